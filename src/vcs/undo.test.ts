// Undo: only what the chosen commits changed goes, others' later changes stay or the undo is a conflict.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asAgentId, asCommitKey, asPosition, type Position } from "../base/ids.ts";
import { unwrap } from "../base/result.ts";
import { author, commit, commitsOf, type FileTexts, type Rig, rigWith, tree } from "../testing/vcs/vcs-rig.ts";
import { vcsFold } from "./fold.ts";
import type { UndoWish } from "./undo.ts";

const lines = "1\n2\n3\n4\n5\n6\n7\n8\n";

function undo(rig: Rig, wish: UndoWish, key = "undo") {
  return rig.vcs.undo({ wish, key: asCommitKey(key), author: author(9), message: null });
}

const agent = (number: number): UndoWish => ({ kind: "agent", agent: asAgentId(`a${number}`) });
const commits = (...positions: number[]): UndoWish => ({ kind: "commits", positions: positions.map(asPosition) });

async function story(start: FileTexts, steps: readonly (readonly [by: number, files: FileTexts])[]): Promise<Rig> {
  const rig = await rigWith(start);
  for (const [by, files] of steps) await commit(rig, { by, base: rig.vcs.head(), files });
  return rig;
}

test("S9 of five agents in 500 commits one is undone: only its lines and files go, in one commit", async () => {
  const agents = [1, 2, 3, 4, 5];
  const files = Array.from({ length: 8 }, (_, index) => `src/f${index}.txt`);
  // Each agent has a place of its own in each file; what it adds there goes below what it has added before.
  const start = agents.map((by) => `-- a${by}\n.\n.\n.\n`).join("");
  const rig = await rigWith(Object.fromEntries(files.map((path) => [path, start])));
  const now = new Map(files.map((path) => [path, start.split(/(?<=\n)/)]));
  const expected = new Map(files.map((path) => [path, start.split(/(?<=\n)/)]));
  const draws = fc.sample(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.nat(7)), { seed: 500, numRuns: 500 });
  for (const [serial, [by, which]] of draws.entries()) {
    const isNew = serial % 50 === 7;
    const path = isNew ? `new/${serial}.txt` : (files[which] ?? "");
    const add = (to: Map<string, string[]>): void => {
      const text = to.get(path) ?? [];
      text.splice(isNew ? 0 : text.indexOf(`-- a${by}\n`) + 1, 0, `line ${serial} of a${by}\n`);
      to.set(path, text);
    };
    add(now);
    if (by !== 3) add(expected);
    await commit(rig, { by, base: rig.vcs.head(), files: { [path]: (now.get(path) ?? []).join("") } });
  }
  const before = rig.vcs.head();
  const own = (await commitsOf(rig)).filter((each) => each.author.agent === "a3").map(({ position }) => position);
  const undone = unwrap(await undo(rig, agent(3)), "undo");
  expect({
    undone: undone.undone,
    outcome: [undone.outcome.kind, undone.outcome.kind !== "refused" && undone.outcome.position],
    tree: await tree(rig),
    history: (await commitsOf(rig)).length,
    by: (await commitsOf(rig)).at(-1)?.author,
  }).toEqual({
    undone: own,
    outcome: ["landed", before + 1],
    tree: Object.fromEntries([...expected].map(([path, text]) => [path, text.join("")])),
    history: 501,
    by: author(9),
  });
});

describe("S9 undo", () => {
  test("of a commit takes back its edits, additions, deletions and modes, and keeps what others did elsewhere", async () => {
    const rig = await story({ f: lines, gone: "g\n", x: "x\n" }, [
      [1, { f: lines.replace("2", "two"), gone: null, added: "a\n", x: { text: "x\n", mode: "100755" } }],
      [2, { f: lines.replace("2", "two").replace("7", "seven"), other: "o\n" }],
    ]);
    const { outcome } = unwrap(await undo(rig, commits(2)), "undo");
    expect([outcome.kind, await tree(rig)]).toEqual([
      "landed",
      { f: lines.replace("7", "seven"), gone: "g\n", x: "x\n", other: "o\n" },
    ]);
  });

  test("of a line that others have changed since is a conflict with both sides, and the head stays", async () => {
    const rig = await story({ f: lines, g: lines }, [
      [1, { f: lines.replace("2", "two"), g: lines.replace("1", "one") }],
      [2, { f: lines.replace("2", "TWO"), g: lines.replace("1", "one").replace("8", "eight") }],
    ]);
    const before = await tree(rig);
    const { outcome } = unwrap(await undo(rig, agent(1)), "undo");
    const [conflict] = rig.vcs.conflicts();
    const stays = await tree(rig);
    // Its other path is brought together when the conflict is resolved: a2's later line is not taken back with a1's.
    if (conflict !== undefined)
      await commit(rig, { by: 9, base: rig.vcs.head(), files: { f: lines }, resolves: conflict.id });
    expect([outcome.kind, stays, conflict?.paths.map(({ path }) => path), await tree(rig)]).toEqual([
      "conflict",
      before,
      ["f"],
      { f: lines, g: lines.replace("8", "eight") },
    ]);
  });

  test("what a conflict holds of it is the same after a checkpoint and a replay", async () => {
    const rig = await story({ f: "1\n", g: lines }, [
      [1, { f: "2\n", g: lines.replace("1", "one") }],
      [2, { f: "3\n" }],
    ]);
    await undo(rig, agent(1));
    const state = rig.ledger.state(vcsFold);
    const parts = [...(vcsFold.codec?.save(state) ?? [])].map((part) => Uint8Array.from(part));
    async function* read() {
      yield* parts;
    }
    const loaded = await vcsFold.codec?.load(read());
    expect([...(loaded?.conflicts.values() ?? [])]).toEqual([...state.conflicts.values()]);
    expect(rig.vcs.conflicts()[0]?.commits[0]?.bases).toEqual(
      new Map([
        ["f", 2],
        ["g", 2],
      ]),
    );
  });

  test("of interleaved commits takes each away from what is there now", async () => {
    const [one, two] = [lines.replace("1", "one"), lines.replace("1", "one").replace("4", "four")];
    const rig = await story({ f: lines }, [
      [1, { f: one }],
      [2, { f: two }],
      [1, { f: two.replace("7", "seven") }],
    ]);
    unwrap(await undo(rig, agent(1)), "undo");
    expect(await tree(rig)).toEqual({ f: lines.replace("4", "four") });
  });

  test("follows a file that others have moved since, and moves back what it had moved", async () => {
    const first = await story({ f: lines }, [
      [1, { f: lines.replace("2", "two") }],
      [2, { f: null, "d/g": lines.replace("2", "two") }],
    ]);
    const second = await story({ f: lines }, [
      [1, { f: null, "d/g": lines }],
      [2, { "d/g": lines.replace("8", "eight") }],
    ]);
    unwrap(await undo(first, agent(1)), "undo");
    unwrap(await undo(second, agent(1)), "undo");
    expect([await tree(first), await tree(second)]).toEqual([{ "d/g": lines }, { f: lines.replace("8", "eight") }]);
  });

  test("can be undone, tells of nothing left, and gives a repeated key the first answer", async () => {
    const rig = await story({ f: lines }, [[1, { f: "mine\n" }]]);
    const first = unwrap(await undo(rig, commits(2), "k"), "undo");
    const again = unwrap(await undo(rig, commits(2), "k"), "repeat");
    const nothing = unwrap(await undo(rig, commits(2), "other"), "again");
    unwrap(await undo(rig, commits(3), "redo"), "redo");
    expect([first, again, nothing, await tree(rig)]).toEqual([
      { undone: [2], outcome: { kind: "landed", position: 3, merged: [] } },
      { undone: [], outcome: { kind: "landed", position: 3, merged: [] } },
      { undone: [2], outcome: { kind: "unchanged", position: 4 } },
      { f: "mine\n" },
    ]);
  });

  test("of what is no commit, or of nobody's, is an error", async () => {
    const rig = await story({ f: lines }, [[1, { f: "mine\n" }]]);
    const errors = [
      await undo(rig, commits(1)),
      await undo(rig, commits(7)),
      await undo(rig, { kind: "task", task: "t7" }),
    ];
    expect(errors).toEqual([
      { ok: false, error: { kind: "no-commit", position: 1 as Position } },
      { ok: false, error: { kind: "no-commit", position: 7 as Position } },
      { ok: false, error: { kind: "no-commits-of", who: "task t7" } },
    ]);
  });
});

test("S9 a key that was given to one undo, or to a commit, is not the answer to another", async () => {
  const rig = await story({ a: "1\n", b: "1\n" }, [
    [1, { a: "2\n" }],
    [2, { b: "2\n" }],
  ]);
  const first = unwrap(await undo(rig, agent(1)), "undo");
  const other = unwrap(await undo(rig, agent(2)), "undo");
  const again = unwrap(await undo(rig, agent(1)), "undo");
  expect([first.outcome.kind, again]).toEqual(["landed", { undone: [], outcome: first.outcome }]);
  expect(other).toEqual({
    undone: [],
    outcome: {
      kind: "refused",
      policy: "key",
      reason: "The key undo was used for a commit with other changes. Commit these under a new key.",
    },
  });
  expect(await tree(rig)).toEqual({ a: "1\n", b: "2\n" });
});
