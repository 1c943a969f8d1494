// One lease: the record that grants it and the job its host is given. Both are made in one step, from one state.

import { assert } from "../../base/assert.ts";
import { asAgentId, asFence, type HostId } from "../../base/ids.ts";
import type { NewRecord } from "../../log/log.ts";
import type { Job } from "../../protocol/messages.ts";
import { systemPrompt, taskPrompt, wakePrompt } from "../prompts.ts";
import { getTask, type Task } from "../state.ts";
import { roleOf, unreportedChildren } from "../tasks.ts";
import type { Context } from "./context.ts";

export interface NewLease {
  readonly record: NewRecord;
  /** To be sent once the record is durable: until then its snapshot is not readable. */
  readonly job: Job;
}

export function newLease(context: Context, task: Task, host: HostId): NewLease {
  const { state, ledger, options } = context;
  const role = roleOf(task);
  const woken = task.status.kind === "waiting" ? task.status.agent : null;
  // A conversation that was interrupted goes on: what was answered is not asked again.
  const last = woken === null ? task.lastLease : null;
  const agent = woken ?? last?.agent ?? asAgentId(`a${state.agents.size + 1}`);
  const fence = asFence(state.nextFence);
  // Not the durable head: the state that made the task ready may be ahead of it, and what it comes after must be there.
  // A planner or an arbiter reads on where it was; a worker's own tree says where it is.
  const snapshot = last?.snapshot ?? task.base ?? ledger.end;
  const given = last?.reported.map((id) => getTask(state, id)) ?? [];
  const unread = woken === null ? given : unreportedChildren(state, task);
  const model = options.models[role];
  const reported = unread.map((child) => child.id);
  return {
    record: context.record("task_leased", { task: task.id, agent, fence, host, role, model, snapshot, reported }),
    job: {
      lease: { task: task.id, agent, fence },
      role,
      keys: keysOf(context, task),
      model,
      snapshot,
      system: systemPrompt(role),
      prompt: unread.length === 0 && woken === null ? taskPrompt(state, task) : wakePrompt(state, unread),
      wakes: unread.length > 0 || woken !== null,
      answeredTurn: state.agents.get(agent)?.answeredTurn ?? 0,
      resume: woken !== null ? "woken" : last !== null ? "interrupted" : "new",
      outputTokensMax: options.outputTokensMax[role],
      check: task.check,
      conflict: task.conflict,
      answersRefused: task.answersRefused,
      turnsMax: options.turnsMax,
    },
  };
}

/** The names a script may call the task by. */
function keysOf({ state, vcs }: Context, task: Task): readonly string[] {
  if (task.conflict === null) return [task.key, task.id];
  const conflict = vcs.conflict(task.conflict);
  assert(conflict !== null, `${task.conflict} exists`);
  const sides = [conflict.author, ...conflict.paths.flatMap((path) => path.oursAuthor ?? [])];
  return [...new Set(sides.map((side) => getTask(state, side.task).key))].sort();
}
