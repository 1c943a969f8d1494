// Questions about the task tree, answered from the state alone.

import { unreachable } from "../base/assert.ts";
import type { SwarmRole } from "./records.ts";
import { getTask, type SwarmState, type Task } from "./state.ts";

/** Nothing more will happen to it by itself. `conflicted` is not final: its arbiter is at work. */
export function isFinal(task: Task): boolean {
  switch (task.status.kind) {
    case "done":
    case "failed":
    case "dropped":
      return true;
    case "planned":
    case "leased":
    case "waiting":
    case "conflicted":
      return false;
    default:
      return unreachable(task.status);
  }
}

/**
 * Could be leased now: its predecessors are done; or it is a planner whose children are all through; or it is an
 * arbiter's and the conflicted task's worker has ended (until then later commits may still join the conflict).
 */
export function isReady(state: SwarmState, task: Task): boolean {
  if (task.kind === "resolve") {
    const conflicted = task.parent === null ? undefined : state.tasks.get(task.parent);
    return task.status.kind === "planned" && conflicted?.status.kind === "conflicted";
  }
  if (task.status.kind === "waiting") return task.children.every((child) => isFinal(getTask(state, child)));
  return task.status.kind === "planned" && task.after.every((id) => getTask(state, id).status.kind === "done");
}

/** A predecessor that can never be done; null while there is hope. */
export function brokenPredecessor(state: SwarmState, task: Task): Task | null {
  if (task.status.kind !== "planned") return null;
  for (const id of task.after) {
    const before = getTask(state, id);
    if (before.status.kind === "failed" || before.status.kind === "dropped") return before;
  }
  return null;
}

/**
 * The planner of a task that nobody works on, where it failed or was dropped: nobody is left who would read the result. What is at
 * work goes on and may land; what a worker has handed in is brought together all the same.
 */
export function lostPlanner(state: SwarmState, task: Task): Task | null {
  const idle = task.status.kind === "planned" || task.status.kind === "waiting";
  if (task.kind === "resolve" || task.parent === null || !idle) return null;
  const planner = getTask(state, task.parent);
  return planner.status.kind === "failed" || planner.status.kind === "dropped" ? planner : null;
}

export function roleOf(task: Task): SwarmRole {
  switch (task.kind) {
    case "plan":
      return "planner";
    case "work":
      return "worker";
    case "resolve":
      return "arbiter";
    default:
      return unreachable(task.kind);
  }
}

/** Children whose result their planner has not read; arbiters' tasks are not the planner's. */
export function unreportedChildren(state: SwarmState, planner: Task): readonly Task[] {
  return planner.children
    .map((id) => getTask(state, id))
    .filter((child) => child.kind !== "resolve" && isFinal(child) && !child.reported);
}

/** Ids in the order of creation are `t0`, `t1`, …: the next one follows the count. */
export function nextTaskNumber(state: SwarmState): number {
  return state.tasks.size;
}

/** Agents that may still be set to work: every one that is at work will ask once more. */
export function requestsLeft(state: SwarmState, requestsMax: number): number {
  let taken = requestsOver(state);
  for (const task of state.tasks.values()) if (task.status.kind === "leased") taken += 1;
  return requestsMax - taken;
}

/** Model requests that were let through and not withdrawn: made, or on their way. The limit of a run is of these. */
export function requestsBegun(state: SwarmState): number {
  return requestsOver(state) + state.reserved.size;
}

/** Those whose outcome nobody told were made. */
function requestsOver(state: SwarmState): number {
  let over = state.untold.size;
  for (const bill of state.bills.values()) over += bill.requests;
  return over;
}

/** Why a run ends at its limit; who used it up besides work is said too. */
export function limitReached({ failures }: Pick<SwarmState, "failures">, requestsMax: number): string {
  const reason = `the run may make ${requestsMax} model requests and has none left to give`;
  const { requests, last } = failures;
  return requests === 0 || last === null ? reason : `${reason}; ${requests} of them failed, the last: ${last}`;
}
