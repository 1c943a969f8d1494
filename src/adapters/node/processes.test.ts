// Process groups against the real system: kills reach grandchildren, and no group outlives us unless we are killed with -9.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { unwrap } from "../../base/result.ts";
import { nodeProcesses } from "./processes.ts";

const env = { PATH: process.env.PATH ?? "/usr/bin:/bin" };

/** A shell that starts a sleeper in the background, prints its pid and does `rest`. */
const withSleeper = (rest: string) => ["sh", "-c", `sleep 300 & echo $!; ${rest}`] as const;

describe("process groups", () => {
  test("a kill reaches a grandchild, also after the child has ended", async () => {
    const survivors: boolean[] = [];
    for (const rest of ["wait", "exit 0"]) {
      const child = unwrap(await nodeProcesses.spawn({ argv: withSleeper(rest), cwd: "/", env }), "spawn");
      const sleeper = Number(await firstLine(child.stdout));
      if (rest === "exit 0") await child.exit;
      const before = await isRunning(sleeper);
      child.kill("SIGKILL");
      await child.exit;
      survivors.push(before, await outlives(sleeper));
    }
    expect(survivors).toEqual([true, false, true, false]);
  });

  test.each([
    ["its normal end", "process.exitCode = 5;", "code 5"],
    ["process.exit", "process.exit(7);", "code 7"],
    ["an uncaught error", "throw new Error('uncaught');", "code 1"],
    [
      "SIGTERM",
      "process.kill(process.pid, 'SIGTERM'); await new Promise((r) => setTimeout(r, 5000));",
      "signal SIGTERM",
    ],
    ["SIGINT", "process.kill(process.pid, 'SIGINT'); await new Promise((r) => setTimeout(r, 5000));", "signal SIGINT"],
    [
      "a SIGINT the program handles itself",
      "process.on('SIGINT', () => process.exit(9)); process.kill(process.pid, 'SIGINT'); await new Promise((r) => setTimeout(r, 5000));",
      "code 9",
    ],
  ])("running groups end with our process: %s", async (_name, ending, expected) => {
    const program = `
      const { nodeProcesses } = await import(${JSON.stringify(new URL("./processes.ts", import.meta.url).href)});
      const spec = { argv: ${JSON.stringify(withSleeper("exit 0"))}, cwd: "/", env: process.env };
      const child = (await nodeProcesses.spawn(spec)).value;
      for await (const chunk of child.stdout) { process.stdout.write(chunk); break; }
      await child.exit;
      ${ending}`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const exit = once(parent, "exit");
    const sleeper = Number(await firstLine(parent.stdout));
    const [code, signal] = await exit;
    expect([signal === null ? `code ${code}` : `signal ${signal}`, await outlives(sleeper)]).toEqual([expected, false]);
  });

  test("a child that has groups of its own to end is asked to, and ends them", async () => {
    const url = JSON.stringify(new URL("./processes.ts", import.meta.url).href);
    const middle = `
      const { nodeProcesses } = await import(${url});
      const spec = { argv: ${JSON.stringify(withSleeper("wait"))}, cwd: "/", env: process.env };
      const child = (await nodeProcesses.spawn(spec)).value;
      for await (const chunk of child.stdout) process.stdout.write(chunk);`;
    const program = `
      const { nodeProcesses } = await import(${url});
      const argv = [process.execPath, "--input-type=module", "-e", ${JSON.stringify(middle)}];
      const child = (await nodeProcesses.spawn({ argv, cwd: "/", env: process.env, atExit: "SIGTERM" })).value;
      for await (const chunk of child.stdout) { process.stdout.write(chunk, () => process.exit(3)); }`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const exit = once(parent, "exit");
    const sleeper = Number(await firstLine(parent.stdout));
    expect([await exit, await outlives(sleeper)]).toEqual([[3, null], false]);
  });

  test("a pipe that a background process holds open does not keep our process alive", async () => {
    const program = `
      const { nodeProcesses } = await import(${JSON.stringify(new URL("./processes.ts", import.meta.url).href)});
      const child = (await nodeProcesses.spawn({ argv: ["sh", "-c", "sleep 300 &"], cwd: "/", env: process.env })).value;
      await child.exit;`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: "inherit" });
    expect(await once(parent, "exit")).toEqual([0, null]);
  });

  test("no zombie is left of an ended child", async () => {
    const child = unwrap(await nodeProcesses.spawn({ argv: ["true"], cwd: "/", env }), "spawn");
    await child.exit;
    expect(await stateOf(child.pid)).toBe(null);
  });
});

test("a program without the execute bit is denied", async () => {
  const result = await nodeProcesses.spawn({ argv: ["/etc/passwd"], cwd: "/", env });
  expect(result).toEqual({
    ok: false,
    error: { kind: "spawn", code: "denied", program: "/etc/passwd", message: expect.stringContaining("EACCES") },
  });
});

test("an argument list beyond the system's limit, or with a NUL, is an error and not an exception", async () => {
  const codes: string[] = [];
  for (const argument of ["a".repeat(4_000_000), "a\0b"]) {
    const result = await nodeProcesses.spawn({ argv: ["true", argument], cwd: "/", env });
    codes.push(result.ok ? "ok" : result.error.code);
  }
  expect(codes).toEqual(["other", "other"]);
});

async function firstLine(source: AsyncIterable<Uint8Array>): Promise<string> {
  for await (const chunk of source) return Buffer.from(chunk).toString().trim();
  return "";
}

/** The kernel's state letter of a process, null if there is none. */
async function stateOf(pid: number): Promise<string | null> {
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  return status === null ? null : (/\) (\w)/.exec(status)?.[1] ?? null);
}

async function isRunning(pid: number): Promise<boolean> {
  const state = await stateOf(pid);
  return state !== null && state !== "Z";
}

/** True if the process is still there after a generous wait. */
async function outlives(pid: number): Promise<boolean> {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (!(await isRunning(pid))) return false;
    await delay(20);
  }
  return true;
}
