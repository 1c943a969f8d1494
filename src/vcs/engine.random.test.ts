// Many committers at once from old bases, with arbiters between them: nothing acknowledged is lost. What the histories
// must satisfy is said over sets of lines, not with the merge under test.

import fc from "fast-check";
import { expect, test } from "vitest";
import { asPosition, type ConflictId, type RepoPath } from "../base/ids.ts";
import { unwrap } from "../base/result.ts";
import {
  asPath,
  commitsOf,
  type FileTexts,
  imageOf,
  type Rig,
  recordsOf,
  request,
  rigWith,
} from "../testing/vcs/vcs-rig.ts";
import { vcsFold } from "./fold.ts";
import { mergeText } from "./merge/merge.ts";
import type { CommitOutcome, CommitRequest, Conflict, Entry, Manifest } from "./types.ts";

const paths = ["a", "b", "d", "d/x", "d/y", "e/f/g"];
const startText = Array.from({ length: 12 }, (_, line) => `line ${line}\n`).join("");

const edit = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("insert" as const), at: fc.nat(12) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("cut" as const), at: fc.nat(12) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom("delete" as const, "executable" as const), at: fc.constant(0) }),
  },
);
const step = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant("commit" as const),
      task: fc.integer({ min: 1, max: 5 }),
      back: fc.nat(6),
      edits: fc.uniqueArray(fc.record({ path: fc.constantFrom(...paths), edit }), {
        minLength: 1,
        maxLength: 3,
        selector: ({ path }) => path,
      }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("resolve" as const), which: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.constantFrom({ kind: "hold" as const }, { kind: "release" as const }) },
  { weight: 3, arbitrary: fc.constant({ kind: "breathe" as const }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type CommitStep = Extract<Step, { kind: "commit" }>;

interface Asked {
  readonly request: CommitRequest;
  readonly answer: Promise<CommitOutcome>;
}

test("nothing acknowledged is lost among concurrent committers", { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
      const run = await play(steps);
      await check(run);
    }),
    { seed: 20_261_129, numRuns: 120 },
  );
});

interface Run {
  readonly rig: Rig;
  readonly asked: readonly Asked[];
}

async function play(steps: readonly Step[]): Promise<Run> {
  let merges = 0;
  const rig = await rigWith(
    { a: startText, b: startText, "d/x": startText },
    {
      merge: async (...sides) => {
        merges += 1;
        await turns(merges % 4);
        return mergeText(...sides);
      },
    },
  );
  const asked: Asked[] = [];
  const ask = (one: CommitRequest) =>
    asked.push({ request: one, answer: rig.vcs.commit(one).then((answer) => unwrap(answer, "commit")) });
  for (const one of steps) {
    switch (one.kind) {
      case "commit":
        ask(await edited(rig, one, asked.length));
        break;
      case "resolve":
        // An arbiter's view waits for the disk; a held one would never come.
        rig.log.release();
        await resolveOne(rig, one.which, ask);
        break;
      case "hold":
        rig.log.hold();
        break;
      case "release":
        rig.log.release();
        break;
      case "breathe":
        await turns(3);
        break;
    }
  }
  rig.log.release();
  await Promise.all(asked.map(({ answer }) => answer));
  for (let round = 0; openConflicts(rig).length > 0 && round < 100; round += 1) {
    await resolveOne(rig, 0, ask);
    await Promise.all(asked.map(({ answer }) => answer));
  }
  return { rig, asked };
}

/** A commit as a worker would make it: from a snapshot, its own lines unlike all others, its tree whole. */
async function edited(rig: Rig, { task, back, edits }: CommitStep, serial: number): Promise<CommitRequest> {
  const base = Math.max(1, rig.vcs.head() - back);
  const before = rig.vcs.manifest(asPosition(base));
  const files: Record<string, FileTexts[string]> = {};
  for (const { path, edit: how } of edits) {
    if (Object.keys(files).some((other) => isAbove(path, other) || isAbove(other, path))) continue;
    const entry = before.get(asPath(path)) ?? null;
    const mode = entry?.mode ?? "100644";
    const lines = await linesOf(rig, entry);
    if (how.kind === "delete") {
      if (entry !== null) files[path] = null;
      continue;
    }
    if (how.kind === "insert") lines.splice(how.at, 0, `new ${serial} ${path}\n`);
    if (how.kind === "cut") lines.splice(how.at, 2);
    files[path] = { text: lines.join(""), mode: how.kind === "executable" ? "100755" : mode };
    for (const other of before.keys()) if (isAbove(path, other) || isAbove(other, path)) files[other] = null;
  }
  return request({ by: task, base, files });
}

/** Brings lines together as sets, in the head's order; of a file and a directory in one place, keeps the head's. */
async function resolveOne(rig: Rig, which: number, ask: (one: CommitRequest) => void): Promise<void> {
  const open = openConflicts(rig);
  const conflict = open[which % Math.max(1, open.length)];
  if (conflict === undefined) return;
  const view = unwrap(await rig.vcs.conflictView(conflict.id), "view");
  const files: Record<string, FileTexts[string]> = {};
  for (const { path, base, ours, theirs } of view.paths) {
    const [b, o, t] = [await linesOf(rig, base), await linesOf(rig, ours), await linesOf(rig, theirs)];
    const known = new Set([...o, ...b, ...(await everOnHead(rig, path))]);
    const kept = [
      ...o.filter((line) => t.includes(line) || !b.includes(line)),
      ...t.filter((line) => !known.has(line)),
    ];
    const mode = ours?.mode ?? theirs?.mode ?? "100644";
    files[path] = ours === null && theirs === null ? null : { text: kept.join(""), mode };
  }
  for (const { path, ours } of view.paths) {
    const clash = Object.entries(files).some(
      ([other, file]) => file !== null && (isAbove(path, other) || isAbove(other, path)),
    );
    if (ours === null && clash) files[path] = null;
  }
  ask(request({ by: 9, base: view.head, files, resolves: conflict.id }));
}

async function check({ rig, asked }: Run): Promise<void> {
  const trees = await replayed(rig);
  const at = (position: number): Manifest => trees[position] ?? new Map();
  for (const { request: wish, answer } of asked) {
    const outcome = await answer;
    const before = at(wish.base);
    if (outcome.kind === "refused") {
      expect([outcome.policy, wish.resolves !== undefined]).toEqual([outcome.policy, true]);
      continue;
    }
    expect(outcome.position).toBeLessThanOrEqual(rig.vcs.head());
    if (wish.resolves !== undefined) {
      expect(rig.vcs.conflict(wish.resolves)?.resolvedAt).toBe(outcome.position);
      for (const change of wish.changes) expect(at(outcome.position).get(change.path) ?? null).toEqual(entryOf(change));
      continue;
    }
    if (outcome.kind === "conflict") {
      const held = rig.vcs.conflict(outcome.conflict)?.commits.find(({ key }) => key === wish.key);
      expect(held?.changes).toEqual(wish.changes);
      expect(at(outcome.position)).toEqual(at(outcome.position - 1));
      continue;
    }
    for (const change of wish.changes) {
      const sides = [before, at(outcome.position - 1), at(outcome.position)].map(
        (tree) => tree.get(change.path) ?? null,
      );
      await checkPath(rig, {
        base: sides[0] ?? null,
        head: sides[1] ?? null,
        landed: sides[2] ?? null,
        proposed: entryOf(change),
      });
    }
  }
  for (const conflict of rig.vcs.conflicts()) await checkResolved(rig, conflict, at);
  await checkContents(rig);
}

/** Every content that a record names is in the store. */
async function checkContents(rig: Rig): Promise<void> {
  const landed = (await commitsOf(rig)).flatMap(({ changes, merged }) => [
    ...changes.map(entryOf),
    ...merged.flatMap(({ proposed, head }) => [proposed, head]),
  ]);
  const kept = rig.vcs
    .conflicts()
    .flatMap(({ paths: sides, commits }) => [
      ...sides.flatMap(({ base, ours, theirs }) => [base, ours, theirs]),
      ...commits.flatMap(({ changes }) => changes.map(entryOf)),
    ]);
  const ids = [...landed, ...kept].flatMap((entry) => (entry === null ? [] : [entry.blob]));
  expect(ids.filter((id) => !rig.log.hasBlob(id))).toEqual([]);
}

interface PathHistory {
  readonly base: Entry | null;
  readonly head: Entry | null;
  readonly proposed: Entry | null;
  readonly landed: Entry | null;
}

/**
 * No line of either side is gone unless the other side took it out, and none is there that no side had. A line that
 * some side has twice says nothing: each side may have taken out another one.
 */
async function checkPath(rig: Rig, { base, head, proposed, landed }: PathHistory): Promise<void> {
  const sides = [await linesOf(rig, base), await linesOf(rig, head), await linesOf(rig, proposed)] as const;
  const twice = new Set(sides.flatMap((lines) => lines.filter((line, index) => lines.indexOf(line) !== index)));
  const [b, h, p] = sides;
  const expected = [...h, ...p].filter((line) => (h.includes(line) && p.includes(line)) || !b.includes(line));
  const plain = (lines: readonly string[]) => [...new Set(lines)].filter((line) => !twice.has(line)).sort();
  expect(plain(await linesOf(rig, landed))).toEqual(plain(expected));
}

/** The held changes that were not in conflict are on the head with the resolution, no line lost. */
async function checkResolved(rig: Rig, conflict: Conflict, at: (position: number) => Manifest): Promise<void> {
  expect(conflict.state).toBe("resolved");
  const position = Number(conflict.resolvedAt);
  const inConflict = new Set<RepoPath>(conflict.paths.map(({ path }) => path));
  const first = new Map<RepoPath, Entry | null>();
  const newest = new Map<RepoPath, Entry | null>();
  for (const commit of conflict.commits) {
    for (const change of commit.changes) {
      if (inConflict.has(change.path)) continue;
      if (!first.has(change.path)) first.set(change.path, at(commit.base).get(change.path) ?? null);
      newest.set(change.path, entryOf(change));
    }
  }
  for (const [path, proposed] of newest) {
    const [head, landed] = [at(position - 1).get(path) ?? null, at(position).get(path) ?? null];
    await checkPath(rig, { base: first.get(path) ?? null, head, proposed, landed });
  }
}

/** The tree at every position, from the import and the history alone; each must be what the snapshot says. */
async function replayed(rig: Rig): Promise<readonly Manifest[]> {
  const records = await recordsOf(rig);
  const fresh = vcsFold.initial();
  for (const record of records) vcsFold.apply(fresh, record);
  expect(imageOf(fresh)).toEqual(imageOf(rig.ledger.state(vcsFold)));
  const commits = new Map((await commitsOf(rig)).map((commit) => [Number(commit.position), commit]));
  let tree: Manifest = rig.vcs.manifest(asPosition(1));
  const trees: Manifest[] = [new Map(), tree];
  for (let position = 2; position <= rig.vcs.head(); position += 1) {
    const next = new Map(tree);
    for (const change of commits.get(position)?.changes ?? []) {
      const entry = entryOf(change);
      if (entry === null) expect(next.delete(change.path)).toBe(true);
      else next.set(change.path, entry);
    }
    const names = [...next.keys()];
    expect(names.filter((name) => names.some((other) => isAbove(name, other)))).toEqual([]);
    expect(rig.vcs.manifest(asPosition(position))).toEqual(next);
    trees.push(next);
    tree = next;
  }
  return trees;
}

function openConflicts(rig: Rig): readonly { readonly id: ConflictId }[] {
  return rig.vcs.conflicts().filter(({ state }) => state === "open");
}

/** What an arbiter does not put back: lines in another place than before would be beyond what sets can tell. */
async function everOnHead(rig: Rig, path: RepoPath): Promise<readonly string[]> {
  const lines: string[] = [];
  for (let position = 1; position <= rig.ledger.end; position += 1) {
    lines.push(...(await linesOf(rig, rig.vcs.entry(path, asPosition(position)))));
  }
  return lines;
}

async function linesOf(rig: Rig, entry: Entry | null): Promise<string[]> {
  if (entry === null) return [];
  const [bytes] = await rig.vcs.blobs.get([entry.blob]);
  return (
    Buffer.from(bytes ?? [])
      .toString()
      .match(/[^\n]*\n/g) ?? []
  );
}

function entryOf(change: CommitRequest["changes"][number]): Entry | null {
  return change.kind === "put" ? { blob: change.blob, mode: change.mode } : null;
}

function isAbove(directory: string, path: string): boolean {
  return path.startsWith(`${directory}/`);
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
