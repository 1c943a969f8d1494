// The fold of the swarm's records: what each type does, and that a replay gives the live state.

import { describe, expect, it } from "vitest";
import {
  asAgentId,
  asConflictId,
  asDecisionId,
  asFence,
  asHostId,
  asPosition,
  asRunId,
  asTaskId,
  type RepoPath,
} from "../base/ids.ts";
import { openLedger } from "../log/ledger.ts";
import { doneReport, openSwarmRig, workOf } from "../testing/swarm/rig.ts";
import { vcsFold } from "../vcs/fold.ts";
import { type RecordData, type RecordType, readSwarmRecord, swarmRecord } from "./records.ts";
import { getTask, type SwarmState, swarmFold } from "./state.ts";

class Folding {
  readonly state: SwarmState = swarmFold.initial();
  private position = 0;

  put<T extends RecordType>(type: T, data: RecordData<T>, atMs = 0): this {
    swarmFold.apply(this.state, { ...swarmRecord(atMs, type, data), position: asPosition(this.position++) });
    return this;
  }

  add(task: string, more: Partial<RecordData<"task_added">> = {}): this {
    return this.put("task_added", {
      task: asTaskId(task),
      parent: null,
      kind: "work",
      key: task,
      title: task,
      instructions: "do",
      scope: [],
      check: null,
      after: [],
      base: null,
      decisions: [],
      conflict: null,
      ...more,
    });
  }

  lease(task: string, agent: string, fence: number, reported: readonly string[] = []): this {
    return this.put(
      "task_leased",
      {
        task: asTaskId(task),
        agent: asAgentId(agent),
        fence: asFence(fence),
        host: asHostId("h1"),
        role: "worker",
        model: "m",
        snapshot: asPosition(0),
        reported: reported.map(asTaskId),
      },
      5,
    );
  }

  status(task: string) {
    return getTask(this.state, asTaskId(task)).status;
  }
}

const t1 = asTaskId("t1");
const a1 = asAgentId("a1");
const fence = asFence(1);
const c1 = asConflictId("c1");

describe("one record", () => {
  it("run_started, run_ended, exported", () => {
    const models = { planner: "p", worker: "w", arbiter: "a" };
    const run = {
      run: asRunId("r"),
      goal: "g",
      repository: "/r",
      branch: null,
      head_commit: "0",
      dirty_paths: 0,
      workers: 1,
      models,
      scripted: false,
      check: null,
    };
    const end = { state: "stopped", reason: "why" } as const;
    const exported = { branch: "b", commit: "c", commits: 1, check_passed: null };
    const folding = new Folding().put("run_started", run, 10).put("run_ended", end, 30).put("exported", exported, 40);
    const { startedAtMs, endedAtMs } = folding.state;
    const empty = { tasks: [], agents: [], decisions: [], bills: [], reserved: [], untold: [] };
    expect({ ...folding.state, ...empty }).toEqual({
      run,
      startedAtMs,
      endedAtMs,
      end,
      exported,
      nextFence: 1,
      spentUsd: 0,
      assumed: { requests: 0, usd: 0 },
      failures: { requests: 0, attempts: 0, usd: 0, last: null },
      ...empty,
    });
    expect([startedAtMs, endedAtMs]).toEqual([10, 30]);
  });

  it("task_added makes a planned task below its parent", () => {
    const { state } = new Folding().add("t0", { kind: "plan" }).add("t1", { parent: asTaskId("t0"), scope: ["src"] });
    expect([getTask(state, asTaskId("t0")).children, getTask(state, t1)]).toEqual([
      ["t1"],
      {
        id: "t1",
        parent: "t0",
        depth: 1,
        kind: "work",
        key: "t1",
        title: "t1",
        instructions: "do",
        scope: ["src"],
        check: null,
        after: [],
        base: null,
        decisions: [],
        conflict: null,
        children: [],
        status: { kind: "planned" },
        leases: 0,
        attemptsLost: 0,
        hostsLost: 0,
        answersRefused: 0,
        handoff: null,
        lastLease: null,
        reported: false,
        endedAtMs: null,
      },
    ]);
  });

  it("task_leased gives agent, fence and host, and marks the results the planner is told", () => {
    const folding = new Folding().add("t0").add("t1").lease("t0", "a1", 4, ["t1"]);
    expect([
      folding.status("t0"),
      getTask(folding.state, t1).reported,
      folding.state.nextFence,
      folding.state.agents.get(a1),
    ]).toEqual([
      { kind: "leased", agent: "a1", fence: 4, host: "h1", sinceMs: 5 },
      true,
      5,
      {
        id: "a1",
        task: "t0",
        role: "worker",
        model: "m",
        requests: 0,
        begun: null,
        billed: new Set(),
        answeredTurn: 0,
        transcript: null,
      },
    ]);
  });

  it("lease_ended makes it planned again and counts the attempt", () => {
    const folding = new Folding().add("t1").lease("t1", "a1", 1);
    folding.put("lease_ended", {
      task: t1,
      agent: a1,
      fence,
      reason: "gone",
      workspace: null,
      lost: true,
      blame: "task",
      fresh: false,
    });
    const { status, attemptsLost, leases } = getTask(folding.state, t1);
    expect({ status, attemptsLost, leases }).toEqual({ status: { kind: "planned" }, attemptsLost: 1, leases: 1 });
  });

  it.each([
    [
      "task_suspended",
      new Folding().add("t1").lease("t1", "a1", 1).put("task_suspended", { task: t1, agent: a1, fence }),
      { kind: "waiting", agent: "a1" },
      null,
    ],
    ["task_done", new Folding().add("t1").put("task_done", { task: t1, handoff: null }, 9), { kind: "done" }, 9],
    [
      "task_conflicted",
      new Folding().add("t1").put("task_conflicted", { task: t1, conflict: c1, handoff: null }),
      { kind: "conflicted", conflict: "c1" },
      null,
    ],
    [
      "task_failed",
      new Folding().add("t1").put("task_failed", { task: t1, reason: "no", handoff: null, workspace: "/w" }, 9),
      { kind: "failed", reason: "no", workspace: "/w" },
      9,
    ],
    [
      "task_dropped",
      new Folding().add("t1").put("task_dropped", { task: t1, reason: "no" }, 9),
      { kind: "dropped", reason: "no" },
      9,
    ],
  ] as const)("%s is the task's state", (_, folding, status, endedAtMs) => {
    const task = getTask(folding.state, t1);
    expect({ status: task.status, endedAtMs: task.endedAtMs }).toEqual({ status, endedAtMs });
  });

  it("the arbiter's task_done keeps the worker's handoff", () => {
    const folding = new Folding().add("t1").put("task_conflicted", { task: t1, conflict: c1, handoff: doneReport });
    folding.put("task_done", { task: t1, handoff: null });
    expect(getTask(folding.state, t1).handoff).toEqual(doneReport);
  });

  it("model_request adds to the role's bill; what is unknown stays unavailable; agent_ended names the transcript", () => {
    const folding = new Folding().add("t1").lease("t1", "a1", 1);
    const request = {
      agent: a1,
      task: t1,
      fence,
      role: "worker",
      model: "m",
      turn: 1,
      attempts: 1,
      input_tokens: 10,
      cached_tokens: 4,
      output_tokens: 2,
      cost_usd: 0.5,
      held_charged: true,
      duration_ms: 1,
      failed: null,
    } as const;
    folding.put("model_request", request);
    folding.put("model_request", { ...request, turn: 2, cost_usd: "unavailable", failed: "overloaded: later" });
    const transcript = { path: "/a1.jsonl", bytes: 3, sha256: "ff" };
    folding.put("agent_ended", { agent: a1, task: t1, outcome: "ended", requests: 2, transcript });
    const { bills, agents } = folding.state;
    expect([bills.get("worker"), agents.get(a1)]).toEqual([
      {
        requests: 2,
        requestsFailed: 1,
        attempts: 2,
        requestsIncomplete: 0,
        inputTokens: 20,
        cachedTokens: 8,
        outputTokens: 4,
        costUsd: "unavailable",
      },
      {
        id: "a1",
        task: "t1",
        role: "worker",
        model: "m",
        requests: 2,
        begun: null,
        billed: new Set(["1.1", "1.2"]),
        answeredTurn: 1,
        transcript,
      },
    ]);
  });

  it("decision_made is found by its id", () => {
    const path = "design/d1.md" as RepoPath;
    const decision = asDecisionId("d1");
    const { decisions } = new Folding().put("decision_made", {
      decision,
      question: "q",
      answer: "a",
      path,
      revision: 1,
      agent: a1,
      task: t1,
    }).state;
    expect([...decisions.values()]).toEqual([{ id: "d1", question: "q", answer: "a", path, task: "t1", position: 0 }]);
  });

  it("of another domain is passed over; one of ours that does not parse is a bug", () => {
    const foreign = { type: "commit", version: 1, atMs: 0, data: null, position: asPosition(0) };
    expect(readSwarmRecord(foreign)).toBe(null);
    expect(() => readSwarmRecord({ ...foreign, type: "task_done", data: { task: 1 } })).toThrow("record 0");
  });

  it("of earlier versions is read as what it meant then", () => {
    const stored = { version: 1, atMs: 0, position: asPosition(0) };
    const lease = { task: t1, agent: a1, fence, reason: "gone", workspace: "/w/a1-1" };
    const usage = { input_tokens: 1, cached_tokens: 0, output_tokens: 1, cost_usd: 1, duration_ms: 1, failed: null };
    const request = { agent: a1, task: t1, role: "worker", model: "m", turn: 3, ...usage };
    const begun = { agent: a1, task: t1, fence, turn: 3, reserved_usd: 1 };
    expect([
      readSwarmRecord({ ...stored, type: "lease_ended", data: lease }),
      readSwarmRecord({ ...stored, type: "model_request", data: request }),
      readSwarmRecord({ ...stored, version: 2, type: "lease_ended", data: { ...lease, lost: false, fresh: true } }),
      readSwarmRecord({ ...stored, version: 2, type: "model_request", data: { ...request, fence: 7 } }),
      readSwarmRecord({ ...stored, version: 3, type: "model_request", data: { ...request, fence: 7, attempts: 2 } }),
      readSwarmRecord({ ...stored, version: 3, type: "request_begun", data: begun }),
    ]).toEqual([
      { type: "lease_ended", data: { ...lease, lost: true, blame: "task", fresh: true } },
      { type: "model_request", data: { ...request, fence: 0, attempts: 1, held_charged: true } },
      { type: "lease_ended", data: { ...lease, lost: false, blame: "task", fresh: true } },
      { type: "model_request", data: { ...request, fence: 7, attempts: 1, held_charged: true } },
      { type: "model_request", data: { ...request, fence: 7, attempts: 2, held_charged: true } },
      { type: "request_begun", data: { ...begun, failed: null } },
    ]);
  });
});

it("S12 a replay of the log gives the live state", async () => {
  const rig = await openSwarmRig({ "a.txt": "1\n" });
  await rig.add("t0", "plan");
  await rig.add("t1", "work", { parent: "t0" });
  await rig.add("t2", "work", { parent: "t0" });
  await rig.end(await rig.lease("t1"));
  const [first, second] = [await rig.lease("t1"), await rig.lease("t2")];
  for (const [lease, text] of [
    [first, "ours\n"],
    [second, "theirs\n"],
  ] as const) {
    const work = workOf(asPosition(1), { "a.txt": text });
    await rig.ask({ kind: "handoff", lease, handoff: doneReport, work, workspace: null });
  }
  const again = await openLedger(rig.log, [vcsFold, swarmFold]);
  expect(again.state(swarmFold)).toEqual(rig.state);
});
