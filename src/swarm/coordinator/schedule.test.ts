// The scheduler's decisions on hand-made task trees.

import { describe, expect, it } from "vitest";
import { asHostId, asPosition, asTaskId } from "../../base/ids.ts";
import { swarmTree } from "../../testing/swarm/tree.ts";
import { nextSteps } from "./schedule.ts";

const limits = { caps: { planner: 1, worker: 2, arbiter: 1 }, requestsMax: 1_000 };
const host = asHostId("h1");

describe("nextSteps", () => {
  it("leases ready tasks in order up to the role's cap, and none whose predecessors are open", () => {
    const tree = swarmTree();
    tree.plan("t0").suspend("t0");
    tree
      .work("t1", { parent: "t0" })
      .work("t2", { parent: "t0", after: ["t1"] })
      .work("t3", { parent: "t0" })
      .work("t4", { parent: "t0" });
    expect(nextSteps(tree.state, [host], limits)).toEqual([
      { kind: "lease", task: "t1", host },
      { kind: "lease", task: "t3", host },
    ]);
  });

  it("spreads tasks over hosts by their load", () => {
    const tree = swarmTree();
    tree.plan("t0").suspend("t0").work("t1", { parent: "t0" }).work("t2", { parent: "t0" });
    const other = asHostId("h2");
    expect(nextSteps(tree.state, [host, other], limits)).toEqual([
      { kind: "lease", task: "t1", host },
      { kind: "lease", task: "t2", host: other },
    ]);
  });

  it("drops what comes after a failed task, with the reason, and wakes the planner when all its tasks are through", () => {
    const tree = swarmTree();
    tree
      .plan("t0")
      .suspend("t0")
      .work("t1", { parent: "t0" })
      .work("t2", { parent: "t0", after: ["t1"] });
    tree.lease("t1").fail("t1", "no way");
    expect(nextSteps(tree.state, [host], limits)).toEqual([
      { kind: "drop", task: "t2", reason: "t1 (t1), which comes before it, failed" },
    ]);
    tree.drop("t2");
    expect(nextSteps(tree.state, [host], limits)).toEqual([{ kind: "lease", task: "t0", host }]);
  });

  it("lets an arbiter begin only when the conflicted task's worker has ended", () => {
    const tree = swarmTree();
    tree.plan("t0").suspend("t0").work("t1", { parent: "t0" }).lease("t1").resolve("t2", { parent: "t1" });
    expect(nextSteps(tree.state, [host], limits)).toEqual([]);
    tree.conflict("t1");
    expect(nextSteps(tree.state, [host], limits)).toEqual([{ kind: "lease", task: "t2", host }]);
  });

  it("waits without a host, ends with the goal's planner, and says what is open when nothing can go on", () => {
    const tree = swarmTree();
    tree.plan("t0");
    expect(nextSteps(tree.state, [], limits)).toEqual([]);
    tree.done("t0");
    expect(nextSteps(tree.state, [host], limits)).toEqual([
      { kind: "end", state: "finished", reason: "the goal's planner handed off" },
    ]);

    const stuck = swarmTree();
    stuck.plan("t0").suspend("t0").work("t1", { parent: "t0" }).conflict("t1");
    expect(nextSteps(stuck.state, [host], limits)).toEqual([
      { kind: "end", state: "failed", reason: "nothing is left to do, yet these are open: t0 waiting, t1 conflicted" },
    ]);
  });

  it("starts a snapshot-based task like any other", () => {
    const tree = swarmTree();
    tree
      .plan("t0")
      .suspend("t0")
      .work("t1", { parent: "t0", base: asPosition(1) });
    expect(nextSteps(tree.state, [host], limits)).toEqual([{ kind: "lease", task: asTaskId("t1"), host }]);
  });

  it("S17 promises no request that the limit does not have, and ends when nobody is left to make one", () => {
    const tree = swarmTree().plan("t0").suspend("t0");
    tree.work("t1", { parent: "t0" }).work("t2", { parent: "t0" }).lease("t1").request("t1");
    const max = (requestsMax: number) => nextSteps(tree.state, [host], { ...limits, requestsMax });
    // One is billed and t1 may make another: the third is t2's.
    expect([max(3), max(2)]).toEqual([[{ kind: "lease", task: "t2", host }], []]);
    tree.fail("t1", "no way");
    const reason = "the run may make 1 model requests and has none left to give";
    expect(max(1)).toEqual([{ kind: "end", state: "stopped", reason }]);
  });

  it("drops an arbiter's task whose conflicted task has ended, but lets one at work finish", () => {
    const tree = swarmTree().plan("t0").suspend("t0").work("t1", { parent: "t0" }).conflict("t1");
    tree.resolve("t2", { parent: "t1" }).resolve("t3", { parent: "t1" }).lease("t2").fail("t1", "an arbiter gave up");
    expect(nextSteps(tree.state, [host], limits)).toEqual([
      { kind: "drop", task: "t3", reason: "t1 ended without it" },
    ]);
  });
});

describe("the tasks of a planner that failed", () => {
  it("are dropped where nobody works on them, at every depth; what is at work or handed in goes on", () => {
    const tree = swarmTree();
    tree.plan("t0").suspend("t0").plan("t1", { parent: "t0" }).lease("t1");
    tree.work("t2", { parent: "t1" }).work("t3", { parent: "t1" }).work("t4", { parent: "t1" });
    tree.plan("t5", { parent: "t1" }).suspend("t5").work("t6", { parent: "t5" }).resolve("t7", { parent: "t4" });
    tree.lease("t3").conflict("t4").fail("t1", "the model failed");
    expect(nextSteps(tree.state, [host], limits)).toEqual([
      { kind: "drop", task: "t2", reason: "its planner t1 (t1) failed" },
      { kind: "drop", task: "t5", reason: "its planner t1 (t1) failed" },
    ]);
    tree.drop("t2").drop("t5");
    expect(nextSteps(tree.state, [host], limits)).toEqual([
      { kind: "drop", task: "t6", reason: "its planner t5 (t5) was dropped" },
    ]);
    tree.drop("t6");
    expect(nextSteps(tree.state, [host], limits)).toMatchObject([
      { kind: "lease", task: "t0" },
      { kind: "lease", task: "t7" },
    ]);
  });
});
