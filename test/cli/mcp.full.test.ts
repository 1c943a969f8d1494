// The end of the MCP server: with its input, or with its client's process though somebody else holds the input open.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sandbox } from "../support/sandbox.ts";
import { bundle, eventually } from "../support/skein.ts";

test("it ends with its input", async () => {
  using box = sandbox();
  const server = spawn(process.execPath, [bundle, "mcp"], {
    cwd: box.root,
    env: box.env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  server.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  const [answer] = await once(server.stdout, "data");
  expect(JSON.parse(String(answer))).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  server.stdin.end();
  expect(await once(server, "exit")).toEqual([0, null]);
});

test("it ends with its client's process", async () => {
  using box = sandbox();
  const [pipe, pidFile, agent] = [join(box.root, "pipe"), join(box.root, "pid"), join(box.root, "fake-agent")];
  execFileSync("mkfifo", [pipe]);
  symlinkSync("/bin/sh", agent);
  writeFileSync(pidFile, "");
  // Open for both, so that the server's input never ends by itself.
  const held = openSync(pipe, "r+");
  const script = `"$1" "$2" mcp <"$3" & echo $! >"$4"; wait`;
  const client = spawn(agent, ["-c", script, "agent", process.execPath, bundle, pipe, pidFile], {
    cwd: box.root,
    env: box.env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  writeSync(held, '{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  await once(client.stdout, "data");
  const pid = Number(readFileSync(pidFile, "utf8"));
  expect(isAlive(pid)).toBe(true);
  client.kill("SIGKILL");
  await eventually("the server has ended", () => (isAlive(pid) ? null : true));
  closeSync(held);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
