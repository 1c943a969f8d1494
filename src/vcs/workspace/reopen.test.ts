// Workspaces that another process left: everything its agent did is there, on the simulated disk and without its process.

import { describe, expect, test } from "vitest";
import { asPosition, type RepoPath } from "../../base/ids.ts";
import { unwrap } from "../../base/result.ts";
import { simHost } from "../../testing/sim/host.ts";
import { blobId } from "../blob-id.ts";
import type { BlobSource, Entry, Manifest } from "../types.ts";
import { openBlobCache } from "./blob-cache.ts";
import { createWorkspace, reopenWorkspace } from "./workspace.ts";

const bytesOf = (text: string): Uint8Array => Buffer.from(text);
const p = (text: string): RepoPath => text as RepoPath;

function store(): { readonly blobs: BlobSource; entry(text: string): Entry } {
  const known = new Map<string, Uint8Array>();
  return {
    entry(text) {
      const bytes = bytesOf(text);
      const blob = blobId(bytes);
      known.set(blob, bytes);
      return { blob, mode: "100644" };
    },
    blobs: { get: async (ids) => ids.map((id) => known.get(id) ?? new Uint8Array()) },
  };
}

function setUp() {
  const host = simHost({ seed: 7 });
  const { files } = host;
  const { blobs, entry } = store();
  const snapshots = new Map<number, Manifest>([
    [
      1,
      new Map([
        [p("a.txt"), entry("a1\n")],
        [p("b.txt"), entry("b1\n")],
        [p("c.txt"), entry("c1\n")],
      ]),
    ],
    [
      2,
      new Map([
        [p("a.txt"), entry("a2 merged\n")],
        [p("b.txt"), entry("b2\n")],
        [p("c.txt"), entry("c1\n")],
      ]),
    ],
  ]);
  const cache = openBlobCache({ files, directory: "/cache" });
  const common = { files, directory: "/w/a1", blobs, cache };
  const manifestAt = async (position: number): Promise<Manifest> => snapshots.get(position) ?? new Map();
  return { host, files, entry, common, manifestAt };
}

describe("reopenWorkspace", () => {
  test("S6 what an agent did before its process died is found by the next scan", async () => {
    const { host, files, common, manifestAt } = setUp();
    await host.run(
      (async () => {
        await files.makeDirectory("/cache");
        const snapshot = { position: asPosition(1), manifest: await manifestAt(1) };
        const first = unwrap(await createWorkspace({ ...common, snapshot, git: { kind: "none" } }), "create");
        unwrap(await files.write(`${first.root}/a.txt`, bytesOf("edited\n")), "write");
        unwrap(await files.write(`${first.root}/new.txt`, bytesOf("new\n")), "write");
        unwrap(await files.remove(`${first.root}/c.txt`), "remove");
        const again = unwrap(await reopenWorkspace({ ...common, manifestAt }), "reopen");
        const scan = unwrap(await (again ?? first).scan(), "scan");
        expect({ reopened: again !== null, position: again?.position, changes: scan.changes }).toEqual({
          reopened: true,
          position: 1,
          changes: [
            { kind: "put", path: "a.txt", blob: blobId(bytesOf("edited\n")), mode: "100644" },
            { kind: "delete", path: "c.txt" },
            { kind: "put", path: "new.txt", blob: blobId(bytesOf("new\n")), mode: "100644" },
          ],
        });
      })(),
    );
  });

  test("a sync that was cut off goes on, and others' changes are not taken for the agent's", async () => {
    const { host, files, entry, common, manifestAt } = setUp();
    await host.run(
      (async () => {
        await files.makeDirectory("/cache");
        const snapshot = { position: asPosition(1), manifest: await manifestAt(1) };
        const first = unwrap(await createWorkspace({ ...common, snapshot, git: { kind: "none" } }), "create");
        // The agent committed a2, which landed merged at snapshot 2; the sync had brought b.txt when the process died.
        unwrap(await files.write(`${first.root}/a.txt`, bytesOf("a2\n")), "write");
        unwrap(await files.write(`${first.root}/b.txt`, bytesOf("b2\n")), "write");
        const again = unwrap(await reopenWorkspace({ ...common, manifestAt }), "reopen");
        if (again === null) throw new Error("the workspace was there");
        again.committed([{ kind: "put", path: p("a.txt"), ...entry("a2\n") }]);
        const report = unwrap(await again.sync({ position: asPosition(2), manifest: await manifestAt(2) }), "sync");
        const a = unwrap(await files.read(`${again.root}/a.txt`, 100), "read");
        const scan = unwrap(await again.scan(), "scan");
        expect({ report, a: Buffer.from(a).toString(), position: again.position, changes: scan.changes }).toEqual({
          report: { updated: ["a.txt"], overlaps: [] },
          a: "a2 merged\n",
          position: 2,
          changes: [],
        });
      })(),
    );
  });

  test("paths of a conflict stay the agent's across a sync and a reopening", async () => {
    const { host, files, entry, common, manifestAt } = setUp();
    await host.run(
      (async () => {
        await files.makeDirectory("/cache");
        const snapshot = { position: asPosition(1), manifest: await manifestAt(1) };
        const first = unwrap(await createWorkspace({ ...common, snapshot, git: { kind: "none" } }), "create");
        unwrap(await files.write(`${first.root}/a.txt`, bytesOf("mine\n")), "write");
        first.committed([{ kind: "put", path: p("a.txt"), ...entry("mine\n") }]);
        const own = new Map([[p("a.txt"), entry("mine\n")]]);
        unwrap(await first.sync({ position: asPosition(2), manifest: await manifestAt(2) }, own), "sync");
        const again = unwrap(await reopenWorkspace({ ...common, manifestAt }), "reopen");
        const scan = unwrap(await (again ?? first).scan(), "scan");
        const a = unwrap(await files.read(`${first.root}/a.txt`, 100), "read");
        expect({ a: Buffer.from(a).toString(), position: again?.position, changes: scan.changes }).toEqual({
          a: "mine\n",
          position: 2,
          changes: [],
        });
      })(),
    );
  });

  test("a workspace that was never whole is none", async () => {
    const { host, files, common, manifestAt } = setUp();
    await host.run(
      (async () => {
        await files.makeDirectory("/w/a1/tree");
        expect(unwrap(await reopenWorkspace({ ...common, manifestAt }), "reopen")).toBe(null);
      })(),
    );
  });
});
