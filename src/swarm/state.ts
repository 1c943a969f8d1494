// The swarm's state as one fold of the log: run, task tree, leases, agents, decisions, bill. Recovery is this fold again.

import { assert, unreachable } from "../base/assert.ts";
import type { AgentId, ConflictId, DecisionId, Fence, HostId, Position, RepoPath, TaskId } from "../base/ids.ts";
import { asFence } from "../base/ids.ts";
import type { Fold } from "../log/fold.ts";
import type { StoredRecord } from "../log/log.ts";
import { plainCodec } from "../log/plain-codec.ts";
import {
  type Assumed,
  type Bill,
  beginRequest,
  billRequest,
  type Failures,
  loseRequest,
  type RequestId,
  type Reservation,
  withdrawRequest,
} from "./bill.ts";
import {
  type Handoff,
  type RecordData,
  readSwarmRecord,
  type SwarmRecord,
  type SwarmRole,
  swarmRecordVersions,
  type TaskKind,
  type TranscriptRef,
} from "./records.ts";

export type TaskStatus =
  /** Waits for the tasks it comes after, or for a worker: `isReady` tells which. */
  | { readonly kind: "planned" }
  | {
      readonly kind: "leased";
      readonly agent: AgentId;
      readonly fence: Fence;
      readonly host: HostId;
      readonly sinceMs: number;
    }
  /** A planner whose children are at work. */
  | { readonly kind: "waiting"; readonly agent: AgentId }
  | { readonly kind: "conflicted"; readonly conflict: ConflictId }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly reason: string; readonly workspace: string | null }
  | { readonly kind: "dropped"; readonly reason: string };

export interface Task {
  readonly id: TaskId;
  readonly parent: TaskId | null;
  readonly depth: number;
  readonly kind: TaskKind;
  readonly key: string;
  readonly title: string;
  readonly instructions: string;
  readonly scope: readonly string[];
  readonly check: string | null;
  readonly after: readonly TaskId[];
  readonly base: Position | null;
  readonly decisions: readonly DecisionId[];
  /** For an arbiter's task: what it resolves. */
  readonly conflict: ConflictId | null;
  readonly children: TaskId[];
  status: TaskStatus;
  /** Leases so far, a planner's wakings included. */
  leases: number;
  /** Leases that ended without a result, by its own doing as far as can be told. */
  attemptsLost: number;
  /** Leases that ended with a host of which others were lost too, or which was killed. */
  hostsLost: number;
  /** Of an arbiter's task: answers that were refused. */
  answersRefused: number;
  handoff: Handoff | null;
  /** Of the newest lease: who had it, from which snapshot, and which children's results it was given. */
  lastLease: LastLease | null;
  /** The planner of this task has read its result. */
  reported: boolean;
  endedAtMs: number | null;
}

export interface LastLease {
  readonly agent: AgentId;
  readonly snapshot: Position;
  readonly reported: readonly TaskId[];
}

export interface Agent {
  readonly id: AgentId;
  readonly task: TaskId;
  readonly role: SwarmRole;
  readonly model: string;
  requests: number;
  /** The newest request that was let through; null before the first. */
  begun: RequestId | null;
  /** Requests in the bill, by `requestKey`. */
  readonly billed: Set<string>;
  /** The newest turn in the bill that was answered; 0 before the first. */
  answeredTurn: number;
  transcript: TranscriptRef | null;
}

export interface Decision {
  readonly id: DecisionId;
  readonly question: string;
  readonly answer: string;
  readonly path: RepoPath;
  readonly task: TaskId;
  /** The snapshot that has its page: the record before this one landed it. */
  readonly position: Position;
}

export interface SwarmState {
  run: RecordData<"run_started"> | null;
  startedAtMs: number;
  endedAtMs: number | null;
  end: RecordData<"run_ended"> | null;
  exported: RecordData<"exported"> | null;
  readonly tasks: Map<TaskId, Task>;
  readonly agents: Map<AgentId, Agent>;
  readonly decisions: Map<DecisionId, Decision>;
  readonly bills: Map<SwarmRole, Bill>;
  /** What requests have cost; one whose cost is not known counts with what was held back for it: see `assumedOf`. */
  spentUsd: number;
  /** Requests that are over and whose cost nobody knows, with what `spentUsd` holds for them. */
  assumed: Assumed;
  failures: Failures;
  /** Held back for requests that are on their way, by agent: one at a time. */
  readonly reserved: Map<AgentId, Reservation>;
  /** Requests whose outcome nobody has told: charged in full until it becomes known. By agent and `requestKey`. */
  readonly untold: Map<string, Reservation>;
  nextFence: Fence;
}

export const swarmFold: Fold<SwarmState> = {
  name: "swarm",
  version: 6,
  types: swarmRecordVersions,
  codec: plainCodec(isSwarmState),
  initial: () => ({
    run: null,
    startedAtMs: 0,
    endedAtMs: null,
    end: null,
    exported: null,
    tasks: new Map(),
    agents: new Map(),
    decisions: new Map(),
    bills: new Map(),
    spentUsd: 0,
    assumed: { requests: 0, usd: 0 },
    failures: { requests: 0, attempts: 0, usd: 0, last: null },
    reserved: new Map(),
    untold: new Map(),
    nextFence: asFence(1),
  }),
  apply(state, record) {
    const own = readSwarmRecord(record);
    if (own !== null) applyRecord(state, own, record);
  },
};

/** A look at the shape: the checkpoint's checksum and the fold's version have said the rest. */
function isSwarmState(value: unknown): value is SwarmState {
  if (typeof value !== "object" || value === null) return false;
  const maps = ["tasks", "agents", "decisions", "bills", "reserved", "untold"] as const;
  const fields: Partial<Record<string, unknown>> = { ...value };
  return maps.every((name) => fields[name] instanceof Map) && typeof fields.nextFence === "number";
}

function applyRecord(state: SwarmState, record: SwarmRecord, stored: StoredRecord): void {
  switch (record.type) {
    case "run_started":
      state.run = record.data;
      state.startedAtMs = stored.atMs;
      return;
    case "task_added":
      return addTask(state, record.data);
    case "task_leased":
      return lease(state, record.data, stored.atMs);
    case "lease_ended": {
      const task = getTask(state, record.data.task);
      task.status = { kind: "planned" };
      if (record.data.lost && record.data.blame === "task") task.attemptsLost += 1;
      if (record.data.lost && record.data.blame === "host") task.hostsLost += 1;
      if (record.data.fresh) task.lastLease = null;
      loseRequest(state, record.data.agent);
      return;
    }
    case "task_suspended":
      getTask(state, record.data.task).status = { kind: "waiting", agent: record.data.agent };
      return;
    case "task_done": {
      const task = getTask(state, record.data.task);
      task.status = { kind: "done" };
      task.handoff = record.data.handoff ?? task.handoff;
      task.endedAtMs = stored.atMs;
      return;
    }
    case "task_conflicted": {
      const task = getTask(state, record.data.task);
      task.status = { kind: "conflicted", conflict: record.data.conflict };
      task.handoff = record.data.handoff ?? task.handoff;
      return;
    }
    case "task_failed": {
      const task = getTask(state, record.data.task);
      task.status = { kind: "failed", reason: record.data.reason, workspace: record.data.workspace };
      task.handoff = record.data.handoff ?? task.handoff;
      task.endedAtMs = stored.atMs;
      return;
    }
    case "task_dropped": {
      const task = getTask(state, record.data.task);
      task.status = { kind: "dropped", reason: record.data.reason };
      task.endedAtMs = stored.atMs;
      return;
    }
    case "agent_ended": {
      const agent = getAgent(state, record.data.agent);
      agent.transcript = record.data.transcript ?? agent.transcript;
      loseRequest(state, agent.id);
      return;
    }
    case "request_begun":
      return beginRequest(state, getAgent(state, record.data.agent), record.data);
    case "request_withdrawn":
      return withdrawRequest(state, record.data);
    case "answer_refused":
      getTask(state, record.data.task).answersRefused += 1;
      return;
    case "model_request":
      return billRequest(state, getAgent(state, record.data.agent), record.data);
    case "decision_made": {
      const { decision, question, answer, path, task } = record.data;
      state.decisions.set(decision, { id: decision, question, answer, path, task, position: stored.position });
      return;
    }
    case "run_resumed":
      if (state.run !== null) state.run = { ...state.run, ...record.data };
      state.end = null;
      state.endedAtMs = null;
      state.exported = null;
      for (const agent of [...state.reserved.keys()]) loseRequest(state, agent);
      return;
    case "run_ended":
      state.end = record.data;
      // One that is stopped in its final check has ended before.
      state.endedAtMs ??= stored.atMs;
      return;
    case "exported":
      state.exported = record.data;
      return;
    default:
      unreachable(record);
  }
}

export function getTask(state: SwarmState, id: TaskId): Task {
  const task = state.tasks.get(id);
  assert(task !== undefined, `task ${id} exists`);
  return task;
}

function addTask(state: SwarmState, data: RecordData<"task_added">): void {
  const parent = data.parent === null ? null : getTask(state, data.parent);
  const { task: id, key, kind, title, instructions, scope, check, after, base, decisions, conflict } = data;
  state.tasks.set(id, {
    id,
    parent: data.parent,
    depth: parent === null ? 0 : parent.depth + 1,
    kind,
    key,
    title,
    instructions,
    scope,
    check,
    after,
    base,
    decisions,
    conflict,
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
  });
  parent?.children.push(id);
}

function lease(state: SwarmState, data: RecordData<"task_leased">, sinceMs: number): void {
  const task = getTask(state, data.task);
  task.status = { kind: "leased", agent: data.agent, fence: data.fence, host: data.host, sinceMs };
  task.leases += 1;
  task.lastLease = { agent: data.agent, snapshot: data.snapshot, reported: data.reported };
  for (const child of data.reported) getTask(state, child).reported = true;
  if (!state.agents.has(data.agent)) {
    state.agents.set(data.agent, {
      id: data.agent,
      task: data.task,
      role: data.role,
      model: data.model,
      requests: 0,
      begun: null,
      billed: new Set(),
      answeredTurn: 0,
      transcript: null,
    });
  }
  state.nextFence = asFence(data.fence + 1);
}

function getAgent(state: SwarmState, id: AgentId): Agent {
  const agent = state.agents.get(id);
  assert(agent !== undefined, `${id} was leased`);
  return agent;
}
