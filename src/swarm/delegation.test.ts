// A planner's delegation against the limits, names, order and areas that it must keep.

import { describe, expect, it } from "vitest";
import { asDecisionId, asPosition, asTaskId, type RepoPath } from "../base/ids.ts";
import type { Delegation } from "../protocol/messages.ts";
import { type SwarmTree, swarmTree } from "../testing/swarm/tree.ts";
import { planDelegation, type SplitLimits } from "./delegation.ts";
import { instructionsCharsMax } from "./records.ts";
import { getTask } from "./state.ts";

const limits: SplitLimits = { depthMax: 2, breadthMax: 4, tasksMax: 10 };
const paths = ["src/a.ts", "src/lib/b.ts", "test/a.ts"] as readonly string[] as readonly RepoPath[];

function item(key: string, more: Partial<Delegation> = {}): Delegation {
  return {
    key,
    title: key,
    instructions: `do ${key}`,
    kind: "worker",
    scope: [],
    check: null,
    after: [],
    base: "head",
    decisions: [],
    ...more,
  };
}

function plan(tree: SwarmTree, planner: string, delegations: readonly Delegation[]) {
  const input = { planner: getTask(tree.state, asTaskId(planner)), delegations, snapshot: asPosition(7), paths };
  return planDelegation(tree.state, input, limits);
}

function refusal(tree: SwarmTree, planner: string, ...delegations: readonly Delegation[]): string | null {
  const planned = plan(tree, planner, delegations);
  return planned.ok ? null : planned.error;
}

describe("limits, S14", () => {
  it("holds the depth of planners", () => {
    const upper = swarmTree().plan("t0").plan("t1", { parent: "t0" });
    const tree = swarmTree().plan("t0").plan("t1", { parent: "t0" }).plan("t2", { parent: "t1" });
    const planner = item("deeper", { kind: "planner" });
    expect([refusal(upper, "t1", planner), refusal(tree, "t2", planner), refusal(tree, "t2", item("leaf"))]).toEqual([
      null,
      "planners may be nested 2 deep and you are at that depth: delegate to workers only",
      null,
    ]);
  });

  it("holds the breadth of one planner over all its delegations", () => {
    const tree = swarmTree().plan("t0").work("t1", { parent: "t0" }).work("t2", { parent: "t0" });
    expect(refusal(tree, "t0", item("a"), item("b"))).toBe(null);
    expect(refusal(tree, "t0", item("a"), item("b"), item("c"))).toContain(
      "one planner may have 4 tasks; with these it would have 5",
    );
  });

  it("holds the tasks of the whole run", () => {
    const tree = swarmTree().plan("t0");
    for (let number = 1; number <= 8; number += 1) tree.plan(`t${number}`, { parent: `t${number - 1}` });
    expect(refusal(tree, "t0", item("a"))).toBe(null);
    expect(refusal(tree, "t0", item("a"), item("b"))).toContain("a run may have 10 tasks; with these it would have 11");
  });

  it("refuses an empty list", () => {
    expect(refusal(swarmTree().plan("t0"), "t0")).toContain("the list of tasks is empty");
  });
});

describe("names and order", () => {
  const tree = swarmTree().plan("t0").work("t1", { parent: "t0" });
  tree.decide("d1", "t0");

  it.each([
    [
      "a key of other characters",
      [item("Über")],
      'key "Über": use 1 to 60 of a-z 0-9 . _ - and start with a letter or digit',
    ],
    ["a key of a task before", [item("t1")], "key t1 is taken: keys are unique among your tasks"],
    ["a key twice in the list", [item("a"), item("a")], "key a is taken: keys are unique among your tasks"],
    [
      "no instructions",
      [item("a", { instructions: " \n" })],
      "a: instructions are empty; the task's agent knows nothing but them",
    ],
    [
      "a predecessor that comes later",
      [item("a", { after: ["b"] }), item("b")],
      "a: `after` names b, which is no earlier task of yours; order the list so that predecessors come first",
    ],
    [
      "itself as predecessor",
      [item("a", { after: ["a"] })],
      "a: `after` names a, which is no earlier task of yours; order the list so that predecessors come first",
    ],
    [
      "a snapshot after others",
      [item("a", { after: ["t1"], base: "snapshot" })],
      "a: a task that comes after others must start from the head, not from the snapshot",
    ],
    ["an unknown decision", [item("a", { decisions: ["d2"] })], "a: there is no decision d2; known: d1"],
  ])("refuses %s", (_, list, reason) => {
    expect(refusal(tree, "t0", ...list)).toBe(reason);
  });

  it("turns keys into ids, of this list and of earlier tasks, and keeps titles on one line", () => {
    const long = "x".repeat(instructionsCharsMax + 5);
    const planned = plan(tree, "t0", [
      item("a", { title: " two\nlines\u0007 ", after: ["t1"], decisions: ["d1"], scope: ["src"], check: "npm test" }),
      item("b", { kind: "planner", after: ["a"], instructions: long }),
      item("c", { base: "snapshot" }),
    ]);
    expect(planned).toEqual({
      ok: true,
      value: [
        {
          task: "t2",
          parent: "t0",
          kind: "work",
          key: "a",
          title: "two lines\u0007",
          instructions: "do a",
          scope: ["src"],
          check: "npm test",
          after: ["t1"],
          base: null,
          decisions: [asDecisionId("d1")],
          conflict: null,
        },
        {
          task: "t3",
          parent: "t0",
          kind: "plan",
          key: "b",
          title: "b",
          instructions: `${"x".repeat(instructionsCharsMax)}… [5 more characters]`,
          scope: [],
          check: null,
          after: ["t2"],
          base: null,
          decisions: [],
          conflict: null,
        },
        {
          task: "t4",
          parent: "t0",
          kind: "work",
          key: "c",
          title: "c",
          instructions: "do c",
          scope: [],
          check: null,
          after: [],
          base: 7,
          decisions: [],
          conflict: null,
        },
      ],
    });
  });
});

describe("planners' areas", () => {
  const area = (key: string, ...scope: readonly string[]) => item(key, { kind: "planner", scope });

  it("may not overlap in a file, in one list or with an earlier planner", () => {
    const tree = swarmTree().plan("t0");
    const overlap = "src/lib/b.ts lies in the areas of both one and two: planners' areas may not overlap";
    expect([
      refusal(tree, "t0", area("one", "src"), area("two", "src/lib/**")),
      refusal(tree, "t0", area("one", "src"), area("two", "test")),
    ]).toEqual([overlap, null]);
    const later = swarmTree()
      .plan("t0")
      .plan("one", { parent: "t0", scope: ["src"] });
    expect(refusal(later, "t0", area("two", "**/b.ts"))).toBe(overlap);
  });

  it("need bounds as soon as there are two; workers may share files", () => {
    const tree = swarmTree().plan("t0");
    expect([
      refusal(tree, "t0", area("one")),
      refusal(tree, "t0", area("one"), area("two", "test")),
      refusal(
        tree,
        "t0",
        area("one", "src"),
        item("worker", { scope: ["src/a.ts"] }),
        item("other", { scope: ["src/a.ts"] }),
      ),
    ]).toEqual([null, "one: with several planners each needs a scope, so that their areas do not overlap", null]);
  });
});

describe("a subplanner's area", () => {
  const tree = swarmTree()
    .plan("t0")
    .plan("t1", { parent: "t0", scope: ["src/lib/**", "!src/lib/gen/**"] });
  const outside = (key: string, path: string) =>
    `${key}: its scope reaches outside your area (src/lib/**, !src/lib/gen/**): ${path}. Narrow its scope to your area, or leave it ` +
    "out, which stands for all of your area; what is needed outside, name in your handoff";

  it("holds its tasks' scopes, of files that are there and of new ones", () => {
    const scoped = (...scope: readonly string[]) => refusal(tree, "t1", item("x", { scope }));
    expect([
      scoped("src/lib/b.ts", "src/lib/new/*.ts"),
      scoped("src"),
      scoped("docs/new.md"),
      scoped("src/lib/gen/x.ts"),
      refusal(tree, "t1", item("ok", { scope: ["src/lib/b.ts"] }), item("y", { kind: "planner", scope: ["**"] })),
    ]).toEqual([
      null,
      outside("x", "src/a.ts"),
      outside("x", "docs/new.md"),
      outside("x", "src/lib/gen/x.ts"),
      outside("y", "src/a.ts"),
    ]);
  });

  it("is the scope of a task that names none", () => {
    const planned = plan(tree, "t1", [item("any")]);
    expect(planned.ok && planned.value.map(({ scope }) => scope)).toEqual([["src/lib/**", "!src/lib/gen/**"]]);
  });
});
