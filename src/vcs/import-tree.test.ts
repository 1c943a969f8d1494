// The import: once, whole, checked, and its blobs in small batches.

import { expect, test } from "vitest";
import { asBlobId, type RepoPath } from "../base/ids.ts";
import { blobIdOf } from "../log/blob-id.ts";
import type { Batch, NewBlob } from "../log/log.ts";
import { asPath, importFiles, openRig, recordsOf, rigAtMs, rigWith, tree } from "../testing/vcs/vcs-rig.ts";
import { importBatchBytesMax } from "./import-tree.ts";
import type { Entry } from "./types.ts";
import type { ImportedTree } from "./vcs.ts";

const source = { repository: "/repository", branch: null, commit: "c", tree: "t" };
const text = (content: string): NewBlob => blob(Buffer.from(content));

function blob(bytes: Uint8Array): NewBlob {
  return { id: blobIdOf(bytes, "sha1"), bytes };
}

function treeOf(files: Readonly<Record<string, NewBlob>>, more: Partial<ImportedTree> = {}): ImportedTree {
  const entries = new Map<RepoPath, Entry>();
  for (const [path, { id }] of Object.entries(files)) entries.set(asPath(path), { blob: id, mode: "100644" });
  return { source, objectFormat: "sha1", entries, blobs: [Object.values(files)], ...more };
}

test("a tree with every mode is imported, a submodule without a blob", async () => {
  const rig = await rigWith({
    f: "f\n",
    "d/run": { text: "run\n", mode: "100755" },
    link: { text: "../outside", mode: "120000" },
    module: { text: "a".repeat(40), mode: "160000" },
  });
  expect([await tree(rig), await tree(rig, 0), Number(rig.vcs.head())]).toEqual([
    { f: "f\n", "d/run": "100755:run\n", link: "120000:../outside", module: `160000:${"a".repeat(40)}` },
    {},
    1,
  ]);
});

test("the store tells where its tree came from", async () => {
  const rig = await openRig();
  const before = rig.vcs.imported();
  await rig.vcs.importTree(treeOf({ f: text("f\n") }));
  expect([before, rig.vcs.imported(), await recordsOf(rig)]).toEqual([
    null,
    { source, objectFormat: "sha1", position: 1, tip: { commit: source.commit, tree: source.tree, position: 1 } },
    [
      {
        position: 0,
        type: "import",
        version: 1,
        atMs: rigAtMs,
        // `printf 'f\n' | git hash-object --stdin`
        data: {
          source,
          object_format: "sha1",
          paths: ["f"],
          modes: ["100644"],
          blobs: ["6a69f92020f5df77af6e8813ff1232493383b708"],
        },
      },
    ],
  ]);
});

test("a second import is refused, also one that runs beside the first", async () => {
  const rig = await openRig();
  const both = await Promise.all([
    rig.vcs.importTree(treeOf({ f: text("1\n") })),
    rig.vcs.importTree(treeOf({ f: text("2\n") })),
  ]);
  const third = await rig.vcs.importTree(treeOf({}));
  const refused = { ok: false, error: { kind: "already-imported", position: 1 } };
  expect([both, third, await tree(rig)]).toEqual([[{ ok: true, value: 1 }, refused], refused, { f: "1\n" }]);
});

test("blobs are gathered into batches below the limit, and stored ones are not written again", async () => {
  const rig = await openRig();
  const sizes: number[] = [];
  const { append } = rig.ledger;
  rig.ledger.append = (batch: Batch) => {
    sizes.push(batch.blobs.reduce((sum, { bytes }) => sum + bytes.byteLength, 0));
    return append.call(rig.ledger, batch);
  };
  const third = Math.floor(importBatchBytesMax / 3);
  const large = ["a", "b", "c", "d"].map((letter) => blob(new Uint8Array(third).fill(letter.charCodeAt(0))));
  const files = Object.fromEntries(large.map((one, index) => [`f${index}`, one]));
  async function* groups() {
    for (const one of [...large, ...large]) yield [one];
  }
  await rig.vcs.importTree(treeOf(files, { blobs: groups() }));
  expect(sizes).toEqual([third * 3, third, 0]);
});

test("a tree whose contents are not there, not right or cannot stand is refused", async () => {
  const rig = await openRig();
  const f = text("f\n");
  const answers = [
    await rig.vcs.importTree(treeOf({ f }, { blobs: [] })),
    await rig.vcs.importTree(treeOf({ f }, { blobs: [[{ id: f.id, bytes: Buffer.from("g\n") }]] })),
    await rig.vcs.importTree(treeOf({ f: { ...f, id: asBlobId("f".repeat(64)) } }, { blobs: [] })),
    await rig.vcs.importTree(treeOf({ "../f": f })),
    await rig.vcs.importTree(treeOf({ a: f, "a/b": f })),
  ];
  expect([answers.map((answer) => !answer.ok && answer.error.kind), rig.vcs.imported()]).toEqual([
    ["missing-blob", "bad-blob", "bad-blob", "bad-path", "bad-path"],
    null,
  ]);
});

test("an import of nothing begins an empty store", async () => {
  const rig = await openRig();
  expect([await importFiles(rig.vcs, {}), await tree(rig)]).toEqual([1, {}]);
});
