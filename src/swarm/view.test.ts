// What people see of a run, on hand-made task trees.

import { describe, expect, it } from "vitest";
import { asAgentId } from "../base/ids.ts";
import { swarmTree } from "../testing/swarm/tree.ts";
import { summarize, taskLines } from "./view.ts";

describe("taskLines", () => {
  it("shows each task under its parent with its look and what stands in its way", () => {
    const tree = swarmTree().plan("t0").suspend("t0");
    tree
      .work("t1", { parent: "t0" })
      .plan("t2", { parent: "t0" })
      .work("t3", { parent: "t0", after: ["t1"] });
    tree
      .work("t4", { parent: "t2" })
      .work("t5", { parent: "t2" })
      .work("t6", { parent: "t0" })
      .work("t7", { parent: "t0" });
    tree.work("t8", { parent: "t0" });
    tree
      .lease("t1")
      .lease("t2")
      .conflict("t4")
      .resolve("t9", { parent: "t4" })
      .done("t5")
      .fail("t6", "no way")
      .drop("t7");
    const lines = taskLines(tree.state, new Map([[asAgentId("a-t1"), "runs the tests"]]), 40);
    expect(
      lines.map(({ id, depth, role, look, agent, detail, runningMs }) => [
        id,
        depth,
        role,
        look,
        agent,
        detail,
        runningMs,
      ]),
    ).toEqual([
      ["t0", 0, "planner", "waits", "a-t0", "waits for its tasks", null],
      ["t1", 1, "worker", "running", "a-t1", "runs the tests", 40],
      ["t2", 1, "planner", "planning", "a-t2", "", 40],
      ["t4", 2, "worker", "conflicted", null, "c1 waits for the arbiter", null],
      ["t9", 3, "arbiter", "ready", null, "", null],
      ["t5", 2, "worker", "done", null, "", null],
      ["t3", 1, "worker", "waits", null, "after t1", null],
      ["t6", 1, "worker", "failed", null, "no way", null],
      ["t7", 1, "worker", "dropped", null, "", null],
      ["t8", 1, "worker", "ready", null, "", null],
    ]);
  });

  it("is empty before the goal is known", () => {
    expect(taskLines(swarmTree().state, new Map(), 0)).toEqual([]);
  });
});

describe("summarize", () => {
  it("counts leaves, planners and the bill; a run without an end is running", () => {
    const tree = swarmTree().plan("t0").plan("t1", { parent: "t0" });
    tree
      .work("t2", { parent: "t1" })
      .work("t3", { parent: "t1" })
      .work("t4", { parent: "t1" })
      .work("t5", { parent: "t1" });
    tree.lease("t2").request("t2").request("t2").done("t2").fail("t3", "no").drop("t4").resolve("t6", { parent: "t5" });
    const bill = {
      requests: 2,
      requestsFailed: 0,
      attempts: 2,
      requestsIncomplete: 0,
      inputTokens: 200,
      cachedTokens: 80,
      outputTokens: 20,
      costUsd: 1,
    };
    const figures = { commits: 3, mergedCommits: 1, mergedPaths: 2, conflictsFound: 2, conflictsResolved: 1 };
    expect(summarize(tree.state, figures, 70)).toEqual({
      runId: "",
      state: "running",
      reason: "",
      tasks: { done: 1, failed: 1, dropped: 1, open: 1 },
      planners: 2,
      commits: 3,
      merges: 1,
      conflicts: { found: 2, resolved: 1 },
      wallMs: 70,
      requests: { made: 2, failed: 0, untold: 0, attempts: 2 },
      roles: { worker: bill },
      total: bill,
      models: [],
      scripted: false,
    });
  });
});
