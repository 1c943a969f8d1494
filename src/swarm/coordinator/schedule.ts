// Decides what happens next: which tasks are dropped, which are leased to which host. Pure: state in, decisions out.

import type { HostId, TaskId } from "../../base/ids.ts";
import type { SwarmRole } from "../records.ts";
import type { SwarmState, Task } from "../state.ts";
import { brokenPredecessor, isFinal, isReady, limitReached, lostPlanner, requestsLeft, roleOf } from "../tasks.ts";

export interface RoleCaps {
  readonly planner: number;
  readonly worker: number;
  readonly arbiter: number;
}

export type Step =
  | { readonly kind: "drop"; readonly task: TaskId; readonly reason: string }
  | { readonly kind: "lease"; readonly task: TaskId; readonly host: HostId }
  | { readonly kind: "end"; readonly state: "finished" | "failed" | "stopped"; readonly reason: string };

export interface ScheduleLimits {
  readonly caps: RoleCaps;
  /** Model requests of the whole run. */
  readonly requestsMax: number;
}

/** Steps that can be taken now, in order and all together. `hosts` are those alive, in a fixed order. */
export function nextSteps(state: SwarmState, hosts: readonly HostId[], limits: ScheduleLimits): readonly Step[] {
  const tasks = [...state.tasks.values()];
  const root = tasks[0];
  if (root === undefined) return [];
  if (isFinal(root)) return [endOf(root)];
  const drops = tasks.flatMap((task) => dropOf(state, task));
  if (drops.length > 0) return drops;
  const leases = leaseSteps(state, tasks, hosts, limits);
  const busy = tasks.some((task) => task.status.kind === "leased");
  if (leases.length > 0 || busy) return leases;
  if (tasks.some((task) => isReady(state, task))) {
    if (requestsLeft(state, limits.requestsMax) > 0) return [];
    // It can be gone on with, under a higher limit.
    return [{ kind: "end", state: "stopped", reason: limitReached(state, limits.requestsMax) }];
  }
  const open = tasks.filter((task) => !isFinal(task)).map((task) => `${task.id} ${task.status.kind}`);
  return [{ kind: "end", state: "failed", reason: `nothing is left to do, yet these are open: ${open.join(", ")}` }];
}

/** Of a run whose goal's task is through. */
export function endOf(root: Task): Extract<Step, { readonly kind: "end" }> {
  const { status } = root;
  if (status.kind === "failed" || status.kind === "dropped")
    return { kind: "end", state: "failed", reason: status.reason };
  return { kind: "end", state: "finished", reason: "the goal's planner handed off" };
}

function dropOf(state: SwarmState, task: Task): Step[] {
  const broken = brokenPredecessor(state, task);
  if (broken !== null)
    return [
      {
        kind: "drop",
        task: task.id,
        reason: `${broken.id} (${broken.key}), which comes before it, ${broken.status.kind === "failed" ? "failed" : "was dropped"}`,
      },
    ];
  const planner = lostPlanner(state, task);
  if (planner !== null) {
    const ended = planner.status.kind === "failed" ? "failed" : "was dropped";
    return [{ kind: "drop", task: task.id, reason: `its planner ${planner.id} (${planner.key}) ${ended}` }];
  }
  // One at work may still land what it resolves.
  if (task.kind !== "resolve" || task.status.kind !== "planned" || task.parent === null) return [];
  const conflicted = state.tasks.get(task.parent);
  if (conflicted === undefined || !isFinal(conflicted)) return [];
  return [{ kind: "drop", task: task.id, reason: `${conflicted.id} ended without it` }];
}

function leaseSteps(
  state: SwarmState,
  tasks: readonly Task[],
  hosts: readonly HostId[],
  { caps, requestsMax }: ScheduleLimits,
): Step[] {
  const running: Record<SwarmRole, number> = { planner: 0, worker: 0, arbiter: 0 };
  const load = new Map<HostId, number>(hosts.map((host) => [host, 0]));
  for (const task of tasks) {
    if (task.status.kind !== "leased") continue;
    running[roleOf(task)] += 1;
    load.set(task.status.host, (load.get(task.status.host) ?? 0) + 1);
  }
  const steps: Step[] = [];
  let requests = requestsLeft(state, requestsMax);
  for (const task of tasks) {
    const role = roleOf(task);
    if (running[role] >= caps[role] || !isReady(state, task)) continue;
    const host = leastLoaded(hosts, load);
    if (host === null || requests <= 0) break;
    requests -= 1;
    running[role] += 1;
    load.set(host, (load.get(host) ?? 0) + 1);
    steps.push({ kind: "lease", task: task.id, host });
  }
  return steps;
}

function leastLoaded(hosts: readonly HostId[], load: ReadonlyMap<HostId, number>): HostId | null {
  let best: HostId | null = null;
  for (const host of hosts) if (best === null || (load.get(host) ?? 0) < (load.get(best) ?? 0)) best = host;
  return best;
}
