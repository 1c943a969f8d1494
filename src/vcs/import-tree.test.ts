// The import: once, whole, checked, and its blobs in small batches.

import { expect, test } from "vitest";
import { asBlobId, asPosition, type RepoPath } from "../base/ids.ts";
import { blobIdOf } from "../log/blob-id.ts";
import type { Batch, NewBlob } from "../log/log.ts";
import {
  asPath,
  commit,
  imageOf,
  importFiles,
  openRig,
  type Rig,
  recordsOf,
  rigAtMs,
  rigWith,
  tree,
} from "../testing/vcs/vcs-rig.ts";
import { vcsFold } from "./fold.ts";
import { importBatchBytesMax } from "./import-tree.ts";
import type { Entry } from "./types.ts";
import type { ImportedCommit, ImportedTree } from "./vcs.ts";

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
          coming: 0,
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

/** Commits of 16,000 characters of message: 400 are more than one batch takes. Each says in `f` how many there were. */
function historyOf(count: number): { readonly commits: readonly ImportedCommit[]; readonly blobs: readonly NewBlob[] } {
  const blobs = Array.from({ length: count }, (_, index) => text(`${index}\n`));
  const commits = blobs.map((content, index): ImportedCommit => {
    const id = String(index).padStart(40, "0");
    const changes = [{ kind: "put", path: asPath("f"), blob: content.id, mode: "100644" }] as const;
    return { id, tree: id, author: "a", atMs: index, message: `${index} `.padEnd(16_000, "x"), changes };
  });
  return { commits, blobs };
}

function withHistory(count: number): ImportedTree {
  const { commits, blobs } = historyOf(count);
  const first = text("before\n");
  return treeOf({ f: first }, { blobs: [[first, ...blobs]], history: { commits } });
}

/** Counts batches of records, and refuses all after so many. */
function refuseAfter({ ledger }: Rig, batchesMax: number): () => number {
  const { append } = ledger;
  let batches = 0;
  ledger.append = (batch: Batch) => {
    batches += batch.records.length > 0 ? 1 : 0;
    if (batches <= batchesMax) return append.call(ledger, batch);
    return Promise.resolve({ ok: false, error: { kind: "stopped", message: "enough" } });
  };
  return () => batches;
}

/** All that is told of a store. */
async function told({ vcs }: Rig) {
  const [commits, events, log] = [[], [], []] as [string[], string[], string[]];
  const subject = (message: string): string => message.split(" ")[0] ?? "";
  for await (const { message } of vcs.history()) commits.push(subject(message));
  for await (const event of vcs.events(asPosition(0))) {
    events.push(event.kind === "landed" ? subject(event.message) : event.kind);
  }
  const query = { at: null, agent: null, task: null, path: null, limit: 1_000 };
  for await (const { message } of vcs.log(query)) log.push(subject(message));
  return { commits, events, log, imported: vcs.imported()?.tip.commit ?? null };
}

const numbers = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index));

test("a history that is more than one batch comes in several, and is the same as in one", async () => {
  const rig = await openRig();
  const batches = refuseAfter(rig, 100);
  const answer = await rig.vcs.importTree(withHistory(400));
  // The tree, then by 4 MiB of some 49 kB each: 85, 85, 85, 85, 60.
  expect([answer, batches()]).toEqual([{ ok: true, value: 1 }, 6]);
  expect(await told(rig)).toEqual({
    commits: numbers(400),
    events: ["imported", ...numbers(400)],
    log: numbers(400).reverse(),
    imported: "399".padStart(40, "0"),
  });
  expect([Number(rig.vcs.head()), await tree(rig), await tree(rig, 1), await tree(rig, 201)]).toEqual([
    402,
    { f: "399\n" },
    { f: "before\n" },
    { f: "199\n" },
  ]);
  const again = await openRig({ log: rig.log });
  expect(imageOf(again.ledger.state(vcsFold))).toBe(imageOf(rig.ledger.state(vcsFold)));
  expect(await commit(again, { by: 1, base: 402, files: { f: "new\n" } })).toMatchObject({
    kind: "landed",
    position: 403,
  });
});

test("a small history stays one batch, which older programs can read", async () => {
  const rig = await openRig();
  const batches = refuseAfter(rig, 100);
  await rig.vcs.importTree(withHistory(100));
  const [first] = await recordsOf(rig);
  expect([batches(), first?.type, first?.version]).toEqual([1, "import", 1]);
});

test.each([1, 2, 4, 5])(
  "of a history that breaks off after %i batches nothing is shown, and it can be imported again",
  async (batchesMax) => {
    const rig = await openRig();
    refuseAfter(rig, batchesMax);
    const broken = await rig.vcs.importTree(withHistory(400));
    const nothing = { commits: [], events: [], log: [], imported: null };
    expect([broken.ok, await told(rig), Number(rig.vcs.head())]).toEqual([false, nothing, 0]);
    const left = rig.ledger.end;
    const next = await openRig({ log: rig.log });
    const refused = await commit(next, { by: 1, base: 0, files: { f: "new\n" } });
    expect([refused.kind, await told(next), Number(next.vcs.head()), next.ledger.end]).toEqual([
      "refused",
      nothing,
      0,
      left,
    ]);
    // What a checkpoint would keep of it is nothing: the next opening reads the records.
    expect(vcsFold.codec?.save(next.ledger.state(vcsFold))).toBe(null);

    const other = await next.vcs.importTree(withHistory(300));
    expect(other).toEqual({ ok: true, value: left + 1 });
    const whole = { commits: numbers(300), events: ["imported", ...numbers(300)], log: numbers(300).reverse() };
    expect([await told(next), Number(next.vcs.head()), await tree(next), await tree(next, left + 1)]).toEqual([
      { ...whole, imported: "299".padStart(40, "0") },
      left + 302,
      { f: "299\n" },
      { f: "before\n" },
    ]);
    const again = await openRig({ log: rig.log });
    expect(imageOf(again.ledger.state(vcsFold))).toBe(imageOf(next.ledger.state(vcsFold)));
  },
);

test("a history on its way is shown to nobody, and another import waits for it", async () => {
  const rig = await openRig();
  const { append } = rig.ledger;
  const heads = new Set<number>();
  rig.ledger.append = async (batch: Batch) => {
    const answer = await append.call(rig.ledger, batch);
    if (rig.ledger.end < 402) heads.add(rig.vcs.head());
    return answer;
  };
  const [first, second] = await Promise.all([
    rig.vcs.importTree(withHistory(400)),
    rig.vcs.importTree(treeOf({ f: text("other\n") })),
  ]);
  expect([[...heads], first, second]).toEqual([
    [0],
    { ok: true, value: 1 },
    { ok: false, error: { kind: "already-imported", position: 1 } },
  ]);
});
