// The limits a run has unless a person sets others, and the task every run begins with.

import { asTaskId } from "../base/ids.ts";
import { capLine, capText } from "../base/text.ts";
import type { CoordinatorOptions } from "./coordinator/context.ts";
import { instructionsCharsMax, type RecordData, titleCharsMax } from "./records.ts";

export const requestsMaxDefault = 5_000;
export const workersDefault = 4;
export const outputTokensDefault = 16_384;

export function defaultLimits({
  workers,
  requestsMax,
}: {
  readonly workers: number;
  readonly requestsMax: number;
}): Omit<CoordinatorOptions, "socketPath" | "models"> {
  return {
    caps: { planner: 4, worker: workers, arbiter: 2 },
    split: { depthMax: 3, breadthMax: 50, tasksMax: 1_000 },
    requestsMax,
    budgetUsd: null,
    minutesMax: null,
    outputTokensMax: { planner: outputTokensDefault, worker: outputTokensDefault, arbiter: outputTokensDefault },
    turnsMax: 100,
    beatMs: 2_000,
    hostSilenceMsMax: 30_000,
    attemptsMax: 3,
    hostLossesMax: 20,
  };
}

/** The goal itself, a planner's: `t0`, which a script calls `root`. */
export function rootTask(goal: string): RecordData<"task_added"> {
  return {
    task: asTaskId("t0"),
    parent: null,
    kind: "plan",
    key: "root",
    title: capLine(goal, titleCharsMax),
    instructions: capText(goal, instructionsCharsMax),
    scope: [],
    check: null,
    after: [],
    base: null,
    decisions: [],
    conflict: null,
  };
}
