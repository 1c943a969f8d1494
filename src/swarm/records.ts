// The swarm's records in the log: one parser a type, from which the type is derived. Field names are snake_case.
// A change of a record's meaning gets a new version and an upgrade here, nowhere else.

import type { AgentId, ConflictId, DecisionId, Fence, HostId, Position, RepoPath, RunId, TaskId } from "../base/ids.ts";
import {
  either,
  flag,
  list,
  natural,
  nullable,
  object,
  oneOf,
  type Parsed,
  type Parser,
  parse,
  real,
  text,
} from "../base/parse.ts";
import { unwrap } from "../base/result.ts";
import type { NewRecord, StoredRecord } from "../log/log.ts";

export const titleCharsMax = 200;
export const instructionsCharsMax = 20_000;
export const summaryCharsMax = 8_000;
export const noteCharsMax = 2_000;
export const notesMax = 20;
export const scopeGlobsMax = 50;
export const commandCharsMax = 2_000;
export const modelCharsMax = 5_000;

const longText = text(100_000);
const line = text(1_000);
/** As long as Linux takes one. */
const filePath = text(4_096);
/** `script:<path>` is the longest kind. */
const modelName = text(modelCharsMax);
const task = text<TaskId>(40);
const agent = text<AgentId>(40);
const fence = natural<Fence>();
const role = oneOf("planner", "worker", "arbiter");
const figure = either(real, oneOf("unavailable"));

const handoff = object({
  status: oneOf("done", "failed"),
  summary: longText,
  concerns: list(longText, notesMax),
  deviations: list(longText, notesMax),
  findings: list(longText, notesMax),
});

const transcript = object({ path: filePath, bytes: natural(), sha256: text(64) });

const parsers = {
  run_started: object({
    run: text<RunId>(64),
    goal: longText,
    repository: filePath,
    branch: nullable(line),
    head_commit: text(64),
    dirty_paths: natural(),
    workers: natural(),
    models: object({ planner: modelName, worker: modelName, arbiter: modelName }),
    scripted: flag,
    check: nullable(longText),
  }),
  /** `kind`: `plan` splits further, `work` is a leaf, `resolve` is an arbiter's. */
  task_added: object({
    task,
    parent: nullable(task),
    kind: oneOf("plan", "work", "resolve"),
    key: line,
    title: line,
    instructions: longText,
    scope: list(line, scopeGlobsMax),
    check: nullable(longText),
    after: list(task, 1_000),
    /** A fixed snapshot to start from; null takes the head at the time of the lease. */
    base: nullable(natural<Position>()),
    decisions: list(text<DecisionId>(40), 100),
    conflict: nullable(text<ConflictId>(40)),
  }),
  task_leased: object({
    task,
    agent,
    fence,
    host: text<HostId>(64),
    role,
    model: modelName,
    snapshot: natural<Position>(),
    reported: list(task, 1_000),
  }),
  /**
   * `lost`: without a result, by a fault; not where the run was stopped or its coordinator replaced. `fresh`: the agent's
   * conversation is not gone on with, and the next lease is another agent's. `workspace` is where unlanded work may be.
   * `blame`, of one that was lost: `task` where its host had no other and was not killed from outside, else `host`.
   */
  lease_ended: object({
    task,
    agent,
    fence,
    reason: longText,
    workspace: nullable(filePath),
    lost: flag,
    blame: oneOf("task", "host"),
    fresh: flag,
  }),
  task_suspended: object({ task, agent, fence }),
  task_done: object({ task, handoff: nullable(handoff) }),
  task_conflicted: object({ task, conflict: text<ConflictId>(40), handoff: nullable(handoff) }),
  task_failed: object({ task, reason: longText, handoff: nullable(handoff), workspace: nullable(filePath) }),
  task_dropped: object({ task, reason: longText }),
  /** An arbiter's answer. */
  answer_refused: object({ task, agent, fence }),
  agent_ended: object({ agent, task, outcome: line, requests: natural(), transcript: nullable(transcript) }),
  /**
   * A request that may be made, or made once more: the most it can cost is held back from the budget until it is settled; null
   * without a price. `failed`: what the attempt before broke by, and null for the first.
   */
  request_begun: object({
    agent,
    task,
    fence,
    turn: natural(),
    reserved_usd: nullable(real),
    failed: nullable(longText),
  }),
  /** One that was let through was never sent. */
  request_withdrawn: object({ agent, task, fence, turn: natural() }),
  /**
   * `fence`: of the lease under which it was made. `attempts`: how often it was sent. `held_charged`: false where the last of them,
   * for which money was held back, was refused for free.
   */
  model_request: object({
    agent,
    task,
    fence,
    role,
    model: modelName,
    turn: natural(),
    attempts: natural(),
    input_tokens: figure,
    cached_tokens: figure,
    output_tokens: figure,
    cost_usd: figure,
    held_charged: flag,
    duration_ms: real,
    failed: nullable(longText),
  }),
  decision_made: object({
    decision: text<DecisionId>(40),
    question: longText,
    answer: longText,
    path: text<RepoPath>(4_096),
    revision: natural(),
    agent,
    task,
  }),
  /** Another coordinator goes on with the run. */
  run_resumed: object({
    models: object({ planner: modelName, worker: modelName, arbiter: modelName }),
    scripted: flag,
    workers: natural(),
    repository: filePath,
  }),
  run_ended: object({ state: oneOf("finished", "failed", "stopped"), reason: longText }),
  exported: object({ branch: line, commit: text(64), commits: natural(), check_passed: nullable(flag) }),
} as const satisfies Record<string, Parser<object>>;

export type RecordType = keyof typeof parsers;
export type RecordData<T extends RecordType> = Parsed<(typeof parsers)[T]>;
export type SwarmRecord = { [T in RecordType]: { readonly type: T; readonly data: RecordData<T> } }[RecordType];

export type Handoff = Parsed<typeof handoff>;
export type TranscriptRef = Parsed<typeof transcript>;
export type SwarmRole = Parsed<typeof role>;
export type TaskKind = RecordData<"task_added">["kind"];

/**
 * 2: leases say how they ended, and requests under which lease they were made. 3: lost leases say whose doing it was, and requests
 * how often they were sent. 4: further attempts say what the one before failed by, and requests whether the last one was free.
 */
const recordVersion = 4;

/** The types that are read here, each with its newest version. */
export const swarmRecordVersions: Readonly<Record<string, number>> = Object.fromEntries(
  Object.keys(parsers).map((type) => [type, recordVersion]),
);

export function swarmRecord<T extends RecordType>(atMs: number, type: T, data: RecordData<T>): NewRecord {
  return { type, version: recordVersion, atMs, data };
}

/** Null for a record of another domain. A record of ours that does not parse was written by a bug: it crashes here. */
export function readSwarmRecord(record: StoredRecord): SwarmRecord | null {
  if (!Object.hasOwn(parsers, record.type)) return null;
  const type = record.type as RecordType;
  const parser: Parser<object> = parsers[type];
  const data = unwrap(parse(parser, upgraded(record), type), `record ${record.position}`);
  return { type, data } as SwarmRecord;
}

/** The data as the newest version has it. */
function upgraded({ type, version, data }: StoredRecord): unknown {
  if (version >= recordVersion || typeof data !== "object" || data === null) return data;
  // Every lease that ended at first was lost, and its task began anew.
  const first = type === "lease_ended" ? { lost: true, fresh: true } : type === "model_request" ? { fence: 0 } : {};
  // Every loss was the task's then.
  const second = type === "lease_ended" ? { blame: "task" } : type === "model_request" ? { attempts: 1 } : {};
  const third = type === "request_begun" ? { failed: null } : type === "model_request" ? { held_charged: true } : {};
  if (version >= 3) return { ...data, ...third };
  return version >= 2 ? { ...data, ...second, ...third } : { ...data, ...first, ...second, ...third };
}
