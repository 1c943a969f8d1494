// The end of a lease without a result: the record of it, and the end of its task where that has happened too often.

import type { HostId } from "../../base/ids.ts";
import type { NewRecord } from "../../log/log.ts";
import type { RecordData } from "../records.ts";
import type { Task } from "../state.ts";
import { workspacePath } from "../workspace-name.ts";
import type { Context, CoordinatorOptions } from "./context.ts";
import { unresolved } from "./landing.ts";

export interface LeaseLoss {
  readonly reason: string;
  /** Whose doing it was, as far as can be told. */
  readonly blame: RecordData<"lease_ended">["blame"];
  /** False where the run stops: nothing went wrong then. */
  readonly lost: boolean;
  /** Where a host keeps its workspaces, or kept them; null where it never said. */
  readonly workspacesOf: (host: HostId) => string | null;
}

/** Nothing for a task that nobody holds. */
export function leaseEnd(context: Context, task: Task, loss: LeaseLoss): readonly NewRecord[] {
  if (task.status.kind !== "leased") return [];
  const { reason, blame, lost } = loss;
  const { agent, fence, host } = task.status;
  // The host may have gone before it made the directory.
  const workspace = workspacePath(loss.workspacesOf(host), task.kind, task.status);
  const ended = context.record("lease_ended", {
    task: task.id,
    agent,
    fence,
    reason,
    workspace,
    lost,
    blame,
    fresh: false,
  });
  const why = lost ? tooOften(task, loss, context.options) : null;
  if (why === null) return [ended];
  const failed = context.record("task_failed", { task: task.id, reason: why, handoff: null, workspace });
  return [ended, failed, ...unresolved(context, task, why)];
}

/** Why a task that loses one more lease fails; null while it may be tried again. */
function tooOften(
  { attemptsLost, hostsLost }: Task,
  { reason, blame }: LeaseLoss,
  { attemptsMax, hostLossesMax }: CoordinatorOptions,
): string | null {
  if (blame === "task" && attemptsLost + 1 >= attemptsMax)
    return `${attemptsMax} attempts ended without a result; the last: ${reason}`;
  if (blame === "host" && hostsLost + 1 >= hostLossesMax)
    return `it lost its worker host ${hostLossesMax} times; the last: ${reason}`;
  return null;
}
