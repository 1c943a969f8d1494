// A workspace on the simulated disk: coarse clocks and full disks, which a real one shows only now and then.

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asPosition, type BlobId, type RepoPath } from "../../base/ids.ts";
import { ok, unwrap } from "../../base/result.ts";
import type { Files } from "../../host/files.ts";
import { blobSource } from "../../testing/git/real-repository.ts";
import { type SimHost, simHost } from "../../testing/sim/host.ts";
import { blobId } from "../blob-id.ts";
import type { Entry } from "../types.ts";
import { openBlobCache } from "./blob-cache.ts";
import { createWorkspace } from "./workspace.ts";

const contents = new Map<BlobId, Uint8Array>();

function manifest(tree: Readonly<Record<string, string>>): Map<RepoPath, Entry> {
  const entries = Object.entries(tree).map(([path, text]): [RepoPath, Entry] => {
    const bytes = Buffer.from(text);
    contents.set(blobId(bytes), bytes);
    return [path as RepoPath, { blob: blobId(bytes), mode: "100644" }];
  });
  return new Map(entries);
}

async function made(files: Files, tree: Readonly<Record<string, string>>) {
  const cache = openBlobCache({ files, directory: "/cache" });
  const snapshot = { position: asPosition(1), manifest: manifest(tree) };
  return unwrap(
    await createWorkspace({ files, directory: "/w", snapshot, blobs: blobSource(contents), cache }),
    "create",
  );
}

/** The `skip`-th changing operation from now on fails, part of its bytes written. */
function armNoSpace(sim: SimHost, skip: number): void {
  let count = 0;
  for (const op of [
    "open",
    "append",
    "write",
    "copy",
    "rename",
    "remove",
    "claimDirectory",
    "makeDirectory",
  ] as const) {
    const path = () => {
      count += 1;
      return count === skip + 1;
    };
    sim.disk.failNext({ op, code: "no-space", afterBytes: 30, path });
  }
}

describe("a workspace on the simulated disk", () => {
  test("a change within one tick of the clock is found, and an old file is not read again", async () => {
    const sim = simHost({ seed: 1 });
    const tickMs = 10;
    const reads: string[] = [];
    const files: Files = {
      ...sim.files,
      async stat(path) {
        const stat = await sim.files.stat(path);
        return stat.ok ? ok({ ...stat.value, changedMs: Math.floor(stat.value.changedMs / tickMs) * tickMs }) : stat;
      },
      read(path, bytesMax) {
        reads.push(path);
        return sim.files.read(path, bytesMax);
      },
    };
    const workspace = await made(files, { a: "0000", b: "bbbb" });
    const path = join(workspace.root, "a");
    const edit = async (text: string) => unwrap(await sim.files.write(path, Buffer.from(text)), "write");
    const scan = async () => {
      reads.length = 0;
      const { blobs } = unwrap(await workspace.scan(), "scan");
      return { found: blobs.map(({ bytes }) => Buffer.from(bytes).toString()), read: new Set(reads) };
    };
    const both = new Set([path, join(workspace.root, "b")]);
    await edit("1111");
    const first = await scan();
    await edit("2222");
    const second = await scan();
    await sim.run(sim.clock.sleep(100));
    const settled = await scan();
    const quiet = await scan();
    expect([first, second, settled, quiet]).toEqual([
      { found: ["1111"], read: both },
      { found: ["2222"], read: both },
      { found: ["2222"], read: both },
      // Only what differs from the base is read, for its bytes.
      { found: ["2222"], read: new Set([path]) },
    ]);
  });

  test("a disk that fills up during a sync leaves whole files, and nothing that looks like an edit", async () => {
    const before = { a: "1".repeat(100), b: "1".repeat(100), "d/c": "1".repeat(100), gone: "1" };
    const after = { a: "2".repeat(100), b: "2".repeat(100), "d/c": "2".repeat(100), "new/file": "2".repeat(100) };
    let failures = 0;
    for (let skip = 0; skip < 40; skip += 1) {
      const sim = simHost({ seed: skip });
      const workspace = await made(sim.files, before);
      const target = { position: asPosition(2), manifest: manifest(after) };
      armNoSpace(sim, skip);
      const first = await workspace.sync(target);
      sim.disk.clearFaults();
      if (!first.ok) failures += 1;
      const { changes } = unwrap(await workspace.scan(), "scan");
      const position = workspace.position;
      const second = unwrap(await workspace.sync(target), "second sync");
      const rest = unwrap(await workspace.scan(), "scan");
      expect({ changes, position, overlaps: second.overlaps, rest: rest.changes, end: workspace.position }).toEqual({
        changes: [],
        position: first.ok ? 2 : 1,
        overlaps: [],
        rest: [],
        end: 2,
      });
    }
    expect(failures).toBeGreaterThan(10);
  });
});
