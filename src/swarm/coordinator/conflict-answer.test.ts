// What a coordinator puts before an arbiter, and where it is too much: the reason is for a planner to act on.

import { describe, expect, it } from "vitest";
import { asConflictId, asPosition } from "../../base/ids.ts";
import { doneReport, openSwarmRig, type SwarmRig, workOf } from "../../testing/swarm/rig.ts";
import type { FileTexts } from "../../testing/vcs/vcs-rig.ts";
import { listed } from "../../testing/vcs/vcs-rig.ts";

const start = asPosition(1);
const id = asConflictId("c1");

async function conflictOf(files: FileTexts, ours: FileTexts, theirs: FileTexts): Promise<SwarmRig> {
  const rig = await openSwarmRig(files);
  await rig.add("t0", "plan");
  await rig.add("t1", "work", { parent: "t0" });
  await rig.add("t2", "work", { parent: "t0" });
  for (const [task, changed] of [
    ["t1", ours],
    ["t2", theirs],
  ] as const) {
    const lease = await rig.lease(task);
    await rig.ask({ kind: "handoff", lease, handoff: doneReport, work: workOf(start, changed), workspace: null });
  }
  return rig;
}

const many = (count: number, text: string | null): FileTexts =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`old/${index}`, text]));

describe("a conflict within the limits", () => {
  it("comes with each side's task, what else the head's commit changed, and where a file was moved", async () => {
    const rig = await conflictOf({ "d/g": "g\nh\n" }, { "d/g": null, "e/g": "g\nH\n" }, { "d/g": "g\nh\ni\n" });
    expect(await rig.ask({ kind: "conflict", id })).toMatchObject({
      kind: "open",
      head: 11,
      paths: [{ kind: "whole", path: "d/g", because: "deleted", ours: null, oursTask: "t1" }],
      moves: [{ from: "d/g", to: "e/g", side: "ours" }],
      besides: [{ task: "t1", message: "work", changes: [{ kind: "put", path: "e/g" }], left: 0 }],
      sides: [
        { side: "theirs", task: "t2" },
        { side: "ours", task: "t1" },
      ],
    });
  });
});

describe("a conflict beyond an arbiter", () => {
  const advice =
    "Delegate what is missing again, from the newest head and in smaller pieces, or one task after the other.";

  it("of too many paths is told in groups", async () => {
    const rig = await conflictOf(
      { ...many(300, "a\n"), f: "1\n" },
      { ...many(300, null), f: "2\n" },
      { ...many(300, "b\n"), f: "3\n" },
    );
    expect(await rig.ask({ kind: "conflict", id })).toEqual({
      kind: "beyond",
      reason: `c1 is too much for an arbiter (301 paths, at most 200). old/: 300 paths, on the head deleted by t1, in the commit changed; ./: 1 path, on the head changed by t1, in the commit changed. ${advice}`,
    });
  });

  it("of too many hunks or bytes is told so", async () => {
    const lines = (mark: string, width = 1) =>
      Array.from({ length: 1_204 }, (_, line) => (line % 4 === 0 ? mark.repeat(width) : `line ${line}`)).join("\n");
    const [hunks, bytes] = [
      await conflictOf({ f: lines("a") }, { f: lines("b") }, { f: lines("c") }),
      await conflictOf({ f: "a" }, { f: "b".repeat(600_000) }, { f: "c".repeat(600_000) }),
    ];
    expect([await hunks.ask({ kind: "conflict", id }), await bytes.ask({ kind: "conflict", id })]).toEqual([
      { kind: "beyond", reason: expect.stringContaining("(301 hunks, at most 300)") },
      { kind: "beyond", reason: expect.stringContaining("(1.1 MiB of hunks, at most 1.0 MiB)") },
    ]);
  });
});

describe("a resolution that leaves a side out", () => {
  it("names it in the landed commit, together with what the held commits had said", async () => {
    const rig = await conflictOf({ f: "1\n" }, { f: null }, { f: "2\n" });
    const lease = await rig.lease("t3");
    const entry = rig.vcs.conflict(id)?.paths[0]?.theirs ?? null;
    const task = rig.vcs.conflict(id)?.author.task ?? null;
    const discarded = [
      { path: rig.vcs.conflict(id)!.paths[0]!.path, side: "theirs" as const, task, entry, reason: "r" },
    ];
    const work = workOf(rig.vcs.head(), { f: null }, { message: "Resolve c1" });
    expect(await rig.ask({ kind: "resolve", lease, work, discarded })).toMatchObject({ kind: "resolved" });
    expect((await listed(rig.vcs.history())).at(-1)).toMatchObject({
      changes: [],
      discarded,
      message: "Resolve c1\n\nHeld in it: work",
    });
  });
});
