// What people see of a run, computed from the folds alone: the task tree with states, and the summary.
// The screen, `--json` and later reports all read this, so their figures cannot disagree.

import { unreachable } from "../base/assert.ts";
import type { AgentId, TaskId } from "../base/ids.ts";
import { addFigures } from "../model/usage.ts";
import type { VcsFigures } from "../vcs/state.ts";
import { type Bill, emptyBill } from "./bill.ts";
import type { SwarmRole } from "./records.ts";
import { getTask, type SwarmState, type Task } from "./state.ts";
import { isReady, roleOf } from "./tasks.ts";

export type TaskLook = "waits" | "ready" | "running" | "planning" | "conflicted" | "done" | "failed" | "dropped";

export interface TaskLine {
  readonly id: TaskId;
  readonly depth: number;
  readonly key: string;
  readonly title: string;
  readonly role: SwarmRole;
  readonly look: TaskLook;
  readonly agent: AgentId | null;
  /** Why it failed, what it waits for, or what its agent does now. */
  readonly detail: string;
  /** Since the lease; null when nobody works on it. */
  readonly runningMs: number | null;
}

/** A request is one question of one agent to its model, however often it is sent: this is what limits count. */
export interface RequestCounts {
  /** Those whose outcome nobody told included. */
  readonly made: number;
  readonly failed: number;
  /** Let through, and what became of them died with their host. */
  readonly untold: number;
  /** How often they were sent; at least once each of those that nobody told of. */
  readonly attempts: number;
}

export interface RunSummary {
  readonly runId: string;
  /** `interrupted`: ended, and its log could not take that. */
  readonly state: "running" | "finished" | "failed" | "stopped" | "interrupted";
  readonly reason: string;
  /** Leaves only: planners' and arbiters' tasks are counted apart. */
  readonly tasks: { readonly done: number; readonly failed: number; readonly dropped: number; readonly open: number };
  readonly planners: number;
  readonly commits: number;
  /** Commits that were brought together with others' changes of the same file. */
  readonly merges: number;
  readonly conflicts: { readonly found: number; readonly resolved: number };
  readonly wallMs: number;
  readonly requests: RequestCounts;
  readonly roles: Readonly<Partial<Record<SwarmRole, Bill>>>;
  readonly total: Bill;
  readonly models: readonly string[];
  readonly scripted: boolean;
}

/** The tree in order: each task before its children. */
export function taskLines(
  state: SwarmState,
  activity: ReadonlyMap<AgentId, string>,
  nowMs: number,
): readonly TaskLine[] {
  const lines: TaskLine[] = [];
  const visit = (task: Task): void => {
    lines.push(lineOf(state, task, activity, nowMs));
    for (const child of task.children) visit(getTask(state, child));
  };
  const root = [...state.tasks.values()][0];
  if (root !== undefined) visit(root);
  return lines;
}

export function summarize(state: SwarmState, vcs: VcsFigures, nowMs: number): RunSummary {
  const tasks = { done: 0, failed: 0, dropped: 0, open: 0 };
  let planners = 0;
  for (const task of state.tasks.values()) {
    if (task.kind === "plan") planners += 1;
    if (task.kind !== "work") continue;
    const { kind } = task.status;
    tasks[kind === "done" || kind === "failed" || kind === "dropped" ? kind : "open"] += 1;
  }
  const models =
    state.run === null ? [] : [state.run.models.planner, state.run.models.worker, state.run.models.arbiter];
  const total = [...state.bills.values()].reduce(addBills, emptyBill());
  return {
    runId: state.run?.run ?? "",
    state: state.end?.state ?? "running",
    reason: state.end?.reason ?? "",
    tasks,
    planners,
    commits: vcs.commits,
    merges: vcs.mergedCommits,
    conflicts: { found: vcs.conflictsFound, resolved: vcs.conflictsResolved },
    wallMs: (state.endedAtMs ?? nowMs) - state.startedAtMs,
    requests: {
      made: total.requests + state.untold.size,
      failed: total.requestsFailed,
      untold: state.untold.size,
      attempts: total.attempts + state.untold.size,
    },
    roles: Object.fromEntries(state.bills),
    total,
    models: [...new Set(models)],
    scripted: state.run?.scripted ?? false,
  };
}

function addBills(a: Bill, b: Bill): Bill {
  return {
    requests: a.requests + b.requests,
    requestsFailed: a.requestsFailed + b.requestsFailed,
    attempts: a.attempts + b.attempts,
    requestsIncomplete: a.requestsIncomplete + b.requestsIncomplete,
    inputTokens: addFigures(a.inputTokens, b.inputTokens),
    cachedTokens: addFigures(a.cachedTokens, b.cachedTokens),
    outputTokens: addFigures(a.outputTokens, b.outputTokens),
    costUsd: addFigures(a.costUsd, b.costUsd),
  };
}

function lineOf(state: SwarmState, task: Task, activity: ReadonlyMap<AgentId, string>, nowMs: number): TaskLine {
  const { status } = task;
  const agent = status.kind === "leased" || status.kind === "waiting" ? status.agent : null;
  return {
    id: task.id,
    depth: task.depth,
    key: task.key,
    title: task.title,
    role: roleOf(task),
    look: lookOf(state, task),
    agent,
    detail: detailOf(state, task, agent === null ? "" : (activity.get(agent) ?? "")),
    runningMs: status.kind === "leased" ? nowMs - status.sinceMs : null,
  };
}

function lookOf(state: SwarmState, task: Task): TaskLook {
  const { kind } = task.status;
  switch (kind) {
    case "planned":
      return isReady(state, task) ? "ready" : "waits";
    case "leased":
      return task.kind === "plan" ? "planning" : "running";
    case "waiting":
      return "waits";
    case "conflicted":
    case "done":
    case "failed":
    case "dropped":
      return kind;
    default:
      return unreachable(kind);
  }
}

function detailOf(state: SwarmState, task: Task, activity: string): string {
  const { status } = task;
  switch (status.kind) {
    case "planned": {
      const open = task.after.map((id) => getTask(state, id)).filter((before) => before.status.kind !== "done");
      return open.length === 0 ? "" : `after ${open.map((before) => before.key).join(", ")}`;
    }
    case "leased":
      return activity;
    case "waiting":
      return "waits for its tasks";
    case "conflicted":
      return `${status.conflict} waits for the arbiter`;
    case "done":
      return "";
    case "failed":
    case "dropped":
      return status.reason;
    default:
      return unreachable(status);
  }
}
