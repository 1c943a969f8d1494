// Unix sockets against the real system: the path's limit to the byte, the stale file of a killed server, and who may connect.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { unwrap } from "../../base/result.ts";
import { nodeNet } from "./net.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "skein-net-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test.runIf(process.platform === "linux")(
  "a path of 107 bytes works; one of 108 is refused with both numbers",
  async () => {
    const longest = pathOf(107);
    const listener = unwrap(await nodeNet.listen(longest, (connection) => connection.close()), "listen");
    const connected = await nodeNet.connect(longest);
    await listener.close();
    expect([connected.ok, existsSync(longest), await nodeNet.listen(pathOf(108), () => undefined)]).toEqual([
      true,
      false,
      {
        ok: false,
        error: {
          kind: "net",
          code: "other",
          path: pathOf(108),
          message: "the socket path has 108 bytes; the system allows 107",
        },
      },
    ]);
  },
);

test("the socket file of a killed server is refused, then replaced; only our user may connect", async () => {
  const path = join(directory, "socket");
  const program = `require("node:net").createServer().listen(${JSON.stringify(path)}, () => console.log("listening"))`;
  const server = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  await once(server.stdout, "data");
  const live = await nodeNet.listen(path, () => undefined);
  server.kill("SIGKILL");
  await once(server, "exit");
  const stale = existsSync(path);
  const dead = await nodeNet.connect(path);
  const listener = unwrap(await nodeNet.listen(path, (connection) => connection.close()), "listen");
  const mode = statSync(path).mode & 0o777;
  await listener.close();
  const codes = [live, dead].map((result) => (result.ok ? "ok" : result.error.code));
  expect({ codes, stale, mode: mode.toString(8) }).toEqual({ codes: ["in-use", "refused"], stale: true, mode: "600" });
});

function pathOf(bytes: number): string {
  return `${directory}/${"s".repeat(bytes - directory.length - 1)}`;
}
