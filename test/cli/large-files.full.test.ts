// A file of 200 MB through a store's socket: in parts, with bounded memory at the server, and the same bytes out again.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { nodeClock } from "../../src/adapters/node/clock.ts";
import { nodeNet } from "../../src/adapters/node/net.ts";
import { openStoreClient } from "../../src/adapters/socket/client.ts";
import { asAgentId, asBlobId, asCommitKey, asPosition, asTaskId, type RepoPath } from "../../src/base/ids.ts";
import { unwrap } from "../../src/base/result.ts";
import { sandbox } from "../support/sandbox.ts";
import { eventually, lastJson, skein, startSkein } from "../support/skein.ts";

const MIB = 1024 * 1024;

it("200 MB go in and out in parts, and the server never holds them", async () => {
  using place = sandbox();
  const store = join(place.root, "store");
  await skein(place, { args: ["vcs", "init", "--store", store, "--empty"] });
  const server = startSkein(place, { args: ["serve", "--store", store, "--json", "--max-file-mib", "256"] });
  let said = "";
  server.child.stdout?.on("data", (text: string) => {
    said += text;
  });
  const { socket } = JSON.parse(await eventually("it listens", () => (said.includes("\n") ? said : null)));
  const options = { net: nodeNet, clock: nodeClock, soon: setImmediate, path: String(socket) };
  const client = unwrap(await openStoreClient(options), "connect");
  const before = peakMib(server.pid);
  const bytes = Buffer.alloc(200 * MIB, "a line of a large file\n");
  const id = asBlobId(createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex"));
  const author = { agent: asAgentId("a"), task: asTaskId("t") };
  const landed = await client.commit({
    key: asCommitKey("large"),
    base: asPosition(1),
    author,
    message: "large",
    changes: [{ kind: "put", path: "large.bin" as RepoPath, blob: id, mode: "100644" }],
    blobs: [{ id, bytes }],
  });
  let largest = 0;
  const length = await client.blob(id, (part) => {
    largest = Math.max(largest, part.length);
  });
  const grown = peakMib(server.pid) - before;
  client.close();
  server.kill("SIGTERM");
  await server.ended;
  const check = await skein(place, { args: ["vcs", "fsck", "--store", store, "--json"] });
  expect([landed, length, largest, grown < 150, lastJson(check).faults]).toEqual([
    { ok: true, value: { kind: "landed", position: 2, merged: [] } },
    { ok: true, value: bytes.length },
    256 * 1024,
    true,
    [],
  ]);
});

function peakMib(pid: number): number {
  const status = process.platform === "linux" ? readFileSync(`/proc/${pid}/status`, "utf8") : "";
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}
