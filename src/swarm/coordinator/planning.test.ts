// What planners ask, at the level of one question to the coordinator over a log in memory.

import { describe, expect, it } from "vitest";
import { asCommitKey, asPosition } from "../../base/ids.ts";
import type { Delegation, Lease } from "../../protocol/messages.ts";
import { openSwarmRig, type SwarmRig, statusOf } from "../../testing/swarm/rig.ts";
import { tree } from "../../testing/vcs/vcs-rig.ts";

let keys = 0;

function decide(swarm: SwarmRig, lease: Lease, question: string, answer = "Yes.") {
  keys += 1;
  return swarm.ask({ kind: "decide", lease, key: asCommitKey(`decide-${keys}`), question, answer, rationale: "" });
}

async function rig(files: Record<string, string>) {
  const swarm = await openSwarmRig(files);
  await swarm.add("t0", "plan");
  await swarm.add("t1", "plan", { parent: "t0" });
  return { swarm, root: await swarm.lease("t0"), other: await swarm.lease("t1") };
}

const delegation: Delegation = {
  key: "one",
  title: "One",
  instructions: "do it",
  kind: "worker",
  scope: [],
  check: null,
  after: [],
  base: "head",
  decisions: [],
};

describe("decide", () => {
  it("lands the page and the decision in one batch", async () => {
    const { swarm, root } = await rig({ "a.txt": "a\n" });
    const before = swarm.log.end;
    const answer = await decide(swarm, root, "Which  unit?", "Metres.");
    expect(answer).toEqual({ kind: "decided", decision: "d1", path: "design/d1-which-unit.md", position: before + 1 });
    expect((await swarm.records(before)).map(({ type }) => type)).toEqual(["commit", "decision_made"]);
    const files = await tree({ ...swarm, ledger: swarm.context.ledger });
    expect(files["design/d1-which-unit.md"]).toBe(
      "---\nid: d1\nstatus: accepted\nrevision: 1\n---\n\n# Which unit?\n\nMetres.\n",
    );
  });

  it("S16 refuses the same question from anybody, naming who owns it", async () => {
    const { swarm, root, other } = await rig({ "a.txt": "a\n" });
    await decide(swarm, root, "Which unit?", "Metres.");
    expect(await decide(swarm, other, "  which UNIT ?!")).toEqual({
      kind: "refused",
      reason: "this question is already decided as d1 (design/d1-which-unit.md) by t0: Metres.",
    });
    const long = `Is this ${"very ".repeat(60)}long?`;
    await decide(swarm, root, long);
    expect(await decide(swarm, other, long)).toMatchObject({ kind: "refused" });
  });

  it("gives two decisions at the same time two ids, also after pages of an earlier run", async () => {
    const { swarm, root, other } = await rig({ "design/d7-old.md": "old\n" });
    swarm.log.hold();
    const made = [decide(swarm, root, "First?"), decide(swarm, other, "Second?")];
    swarm.log.release();
    expect((await Promise.all(made)).map((answer) => ("decision" in answer ? answer.decision : answer))).toEqual([
      "d8",
      "d9",
    ]);
  });

  it("S12 gives its planner the first answer again, once that is durable", async () => {
    const { swarm, root } = await rig({ "a.txt": "a\n" });
    swarm.log.hold();
    const first = decide(swarm, root, "Which unit?", "Metres.");
    const again = decide(swarm, root, "Which unit?", "Metres.");
    swarm.log.release();
    const [made, repeated] = [await first, await again];
    expect(repeated).toEqual(made);
    await swarm.end(root);
    const before = swarm.log.end + 1;
    expect(await decide(swarm, await swarm.leaseAgain(root), "Which unit?", "Metres.")).toEqual(made);
    expect(swarm.log.end).toBe(before);
    expect(await decide(swarm, root, "Which unit?", "Feet.")).toMatchObject({ kind: "refused" });
  });

  it("refuses where `design` is a file, and an ended lease", async () => {
    const { swarm, root } = await rig({ design: "a file\n" });
    const before = swarm.log.end;
    expect(await decide(swarm, root, "Where?")).toEqual({
      kind: "refused",
      reason: "design is a file in this repository: pages cannot be landed under it",
    });
    expect(swarm.log.end).toBe(before);
    await swarm.end(root);
    expect(await decide(swarm, root, "When?")).toMatchObject({ kind: "refused" });
  });
});

describe("delegate", () => {
  it("adds the tasks in one batch, and refuses workers, strangers and snapshots that are not there", async () => {
    const { swarm, root } = await rig({ "a.txt": "a\n" });
    await swarm.add("t2", "work", { parent: "t0" });
    const worker = await swarm.lease("t2");
    const ask = (lease: Lease, snapshot = 1) =>
      swarm.ask({ kind: "delegate", lease, snapshot: asPosition(snapshot), tasks: [delegation] });
    expect([await ask(worker), await ask(root, 1_000)]).toEqual([
      { kind: "refused", reason: "only planners delegate" },
      { kind: "refused", reason: "there is no snapshot 1000" },
    ]);
    expect([await ask(root), statusOf(swarm.state, "t3")]).toEqual([
      { kind: "accepted", tasks: [{ id: "t3", key: "one" }] },
      "planned",
    ]);
    await swarm.end(root);
    expect(await ask(root)).toMatchObject({
      kind: "refused",
      reason: "the lease 1 of a1 on t0 has ended; its late results are refused",
    });
  });
});

describe("delegate again", () => {
  it("S12 gives the same planner the first answer, and adds nothing; other content under a taken key is refused", async () => {
    const { swarm, root, other } = await rig({ "a.txt": "a\n" });
    const tasks = [delegation, { ...delegation, key: "two", after: ["one"], base: "head" as const }];
    const ask = (lease: Lease, list = tasks) =>
      swarm.ask({ kind: "delegate", lease, snapshot: asPosition(1), tasks: list });
    const first = await ask(root);
    expect(first).toEqual({
      kind: "accepted",
      tasks: [
        { id: "t2", key: "one" },
        { id: "t3", key: "two" },
      ],
    });
    await swarm.end(root);
    const again = await swarm.leaseAgain(root);
    const before = swarm.log.end;
    expect([await ask(again), swarm.log.end]).toEqual([first, before]);
    const changed = tasks.map((task) => ({ ...task, instructions: "do something else" }));
    expect(await ask(again, changed)).toMatchObject({ reason: expect.stringContaining("key one is taken") });
    // Part of it and something new is another delegation.
    expect(await ask(again, [delegation, { ...delegation, key: "new" }])).toMatchObject({ kind: "refused" });
    // Keys are a planner's own.
    expect(await ask(other, [delegation])).toEqual({ kind: "accepted", tasks: [{ id: "t4", key: "one" }] });
  });
});

describe("suspend", () => {
  it("waits for open tasks and for results not read, is reminded where there is neither, and is for planners", async () => {
    const { swarm, root, other } = await rig({ "a.txt": "a\n" });
    expect(await swarm.ask({ kind: "suspend", lease: other })).toMatchObject({ kind: "go_on" });
    expect([await swarm.ask({ kind: "suspend", lease: root }), statusOf(swarm.state, "t0")]).toEqual([
      { kind: "suspended" },
      "waiting",
    ]);
    // All through, but nobody has read it: the planner is woken with it, on the newest snapshot.
    await swarm.ask({ kind: "fail", lease: other, reason: "no", workspace: null });
    const again = await swarm.lease("t0");
    expect(await swarm.ask({ kind: "suspend", lease: again })).toEqual({ kind: "suspended" });
    await swarm.add("t2", "work", { parent: "t0" });
    expect(await swarm.ask({ kind: "suspend", lease: await swarm.lease("t2") })).toMatchObject({ kind: "refused" });
  });
});
