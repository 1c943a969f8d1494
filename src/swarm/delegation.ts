// Checks a planner's delegation as a whole before any of it is accepted: limits, names, order, areas.

import { asTaskId, type Position, type RepoPath, type TaskId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import { capLine, capText, cleanLine } from "../base/text.ts";
import type { Delegation } from "../protocol/messages.ts";
import { inScope, outsideArea } from "../vcs/scope.ts";
import { instructionsCharsMax, type RecordData, titleCharsMax } from "./records.ts";
import { getTask, type SwarmState, type Task } from "./state.ts";
import { nextTaskNumber } from "./tasks.ts";

export interface SplitLimits {
  /** Planners below the root: 0 lets only the root delegate. */
  readonly depthMax: number;
  /** Children of one planner, over all its delegations. */
  readonly breadthMax: number;
  /** Tasks of the whole run. */
  readonly tasksMax: number;
}

export interface DelegationInput {
  readonly planner: Task;
  readonly delegations: readonly Delegation[];
  /** What the planner reads: the base of tasks that ask for `snapshot`. */
  readonly snapshot: Position;
  /** Paths of that snapshot, to see whether areas overlap. */
  readonly paths: Iterable<RepoPath>;
}

const KEY = /^[a-z0-9][a-z0-9_.-]{0,59}$/;

/** The new tasks' records in order, or the reason why nothing was accepted, written for the planner. */
export function planDelegation(
  state: SwarmState,
  input: DelegationInput,
  limits: SplitLimits,
): Result<readonly RecordData<"task_added">[], string> {
  const { planner, delegations } = input;
  const refusal =
    limitRefusal(state, input, limits) ?? nameRefusal(state, input) ?? scopeRefusal(input) ?? areaRefusal(state, input);
  if (refusal !== null) return err(refusal);
  const ids = idsByKey(state, planner);
  const records: RecordData<"task_added">[] = [];
  for (const [index, item] of delegations.entries()) {
    const task = asTaskId(`t${nextTaskNumber(state) + index}`);
    ids.set(item.key, task);
    records.push({ task, parent: planner.id, conflict: null, ...contentOf(state, item, { ids, input }) });
  }
  return ok(records);
}

/** The tasks that the very same delegation made before, where its planner did not live to read the answer; null for another one. */
export function repeatedDelegation(state: SwarmState, input: DelegationInput): readonly Task[] | null {
  const { planner, delegations } = input;
  const ids = idsByKey(state, planner);
  const tasks: Task[] = [];
  for (const item of delegations) {
    const id = ids.get(item.key);
    if (id === undefined) return null;
    const task = getTask(state, id);
    const { kind, key, title, instructions, scope, check, after, base, decisions } = task;
    const known: Content = { kind, key, title, instructions, scope, check, after, base, decisions };
    if (JSON.stringify(known) !== JSON.stringify(contentOf(state, item, { ids, input }))) return null;
    tasks.push(task);
  }
  return tasks.length === 0 ? null : tasks;
}

type Content = Omit<RecordData<"task_added">, "task" | "parent" | "conflict">;

/** Fields in one order, so that two can be compared as text. */
function contentOf(
  state: SwarmState,
  item: Delegation,
  { ids, input }: { readonly ids: ReadonlyMap<string, TaskId>; readonly input: DelegationInput },
): Content {
  return {
    kind: item.kind === "planner" ? "plan" : "work",
    key: item.key,
    title: capLine(item.title, titleCharsMax),
    instructions: capText(item.instructions, instructionsCharsMax),
    // Who names no files may change any of its planner's.
    scope: item.scope.length === 0 ? input.planner.scope : item.scope,
    check: item.check,
    after: item.after.flatMap((key) => ids.get(key) ?? []),
    base: item.base === "snapshot" ? input.snapshot : null,
    decisions: item.decisions.flatMap((name) => [...state.decisions.keys()].filter((id) => id === name)),
  };
}

function idsByKey(state: SwarmState, planner: Task): Map<string, TaskId> {
  return new Map(planner.children.map((child) => [getTask(state, child).key, child]));
}

function limitRefusal(
  state: SwarmState,
  { planner, delegations }: DelegationInput,
  limits: SplitLimits,
): string | null {
  if (delegations.length === 0) return "the list of tasks is empty: delegate at least one task, or end with handoff";
  const breadth = planner.children.length + delegations.length;
  if (breadth > limits.breadthMax)
    return `one planner may have ${limits.breadthMax} tasks; with these it would have ${breadth}. Join small ones, or give a group to a planner of its own`;
  const total = state.tasks.size + delegations.length;
  if (total > limits.tasksMax)
    return `a run may have ${limits.tasksMax} tasks; with these it would have ${total}. Delegate fewer, larger tasks`;
  const deepest = planner.depth + 1;
  if (delegations.some((item) => item.kind === "planner") && deepest > limits.depthMax) {
    return `planners may be nested ${limits.depthMax} deep and you are at that depth: delegate to workers only`;
  }
  return null;
}

function nameRefusal(state: SwarmState, { planner, delegations }: DelegationInput): string | null {
  const known = new Set(planner.children.map((id) => getTask(state, id).key));
  for (const item of delegations) {
    if (!KEY.test(item.key))
      return `key ${JSON.stringify(item.key)}: use 1 to 60 of a-z 0-9 . _ - and start with a letter or digit`;
    if (known.has(item.key)) return `key ${item.key} is taken: keys are unique among your tasks`;
    if (item.instructions.trim() === "")
      return `${item.key}: instructions are empty; the task's agent knows nothing but them`;
    const later = item.after.find((key) => !known.has(key));
    if (later !== undefined)
      return `${item.key}: \`after\` names ${later}, which is no earlier task of yours; order the list so that predecessors come first`;
    if (item.base === "snapshot" && item.after.length > 0)
      return `${item.key}: a task that comes after others must start from the head, not from the snapshot`;
    const unknown = item.decisions.find((name) => ![...state.decisions.keys()].some((id) => id === name));
    if (unknown !== undefined)
      return `${item.key}: there is no decision ${unknown}; known: ${[...state.decisions.keys()].join(", ") || "none"}`;
    known.add(item.key);
  }
  return null;
}

/** A planner hands on only what it was given: else two planners could work on one file without knowing of each other. */
function scopeRefusal({ planner, delegations, paths }: DelegationInput): string | null {
  if (planner.scope.length === 0) return null;
  const known = [...paths];
  for (const { key, scope } of delegations) {
    const outside = outsideArea(scope, planner.scope, known);
    if (outside !== null)
      return (
        `${key}: its scope reaches outside your area (${shown(planner.scope)}): ${shown([outside])}. Narrow its scope to your area, ` +
        "or leave it out, which stands for all of your area; what is needed outside, name in your handoff"
      );
  }
  return null;
}

function shown(items: readonly string[]): string {
  return cleanLine(items.join(", "), 1_000);
}

/** Sibling planners own areas; a file in two areas would give one question two owners. */
function areaRefusal(state: SwarmState, { planner, delegations, paths }: DelegationInput): string | null {
  const areas = [
    ...planner.children
      .map((id) => getTask(state, id))
      .filter((task) => task.kind === "plan")
      .map(({ key, scope }) => ({ key, scope })),
    ...delegations.filter((item) => item.kind === "planner").map(({ key, scope }) => ({ key, scope })),
  ];
  const unbounded = areas.find((area) => area.scope.length === 0);
  if (unbounded !== undefined && areas.length > 1)
    return `${unbounded.key}: with several planners each needs a scope, so that their areas do not overlap`;
  if (areas.length < 2) return null;
  for (const path of paths) {
    const owners = areas.filter((area) => inScope(area.scope, path));
    const [first, second] = owners;
    if (first !== undefined && second !== undefined)
      return `${path} lies in the areas of both ${first.key} and ${second.key}: planners' areas may not overlap`;
  }
  return null;
}
