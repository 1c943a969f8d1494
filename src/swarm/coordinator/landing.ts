// How work lands: a worker's commits and handoff, an arbiter's resolution. What a result does to its task is one append with the commit.

import { asTaskId, type ConflictId } from "../../base/ids.ts";
import type { Result } from "../../base/result.ts";
import { capText, cleanLine, cleanText } from "../../base/text.ts";
import type { AppendError, NewRecord } from "../../log/log.ts";
import type { Answers, HostAsk, Lease, Work } from "../../protocol/messages.ts";
import type { CommitOutcome, CommitRequest, SettledOutcome } from "../../vcs/types.ts";
import { type Handoff, noteCharsMax, summaryCharsMax, titleCharsMax } from "../records.ts";
import { getTask, type SwarmState, type Task } from "../state.ts";
import { isFinal, nextTaskNumber } from "../tasks.ts";
import { type Context, leasedTask, leaseRefusal } from "./context.ts";

type Ask<K extends HostAsk["kind"]> = Extract<HostAsk, { kind: K }>;
type Landed<T> = Promise<Result<T, AppendError>>;

export async function commit(context: Context, { lease, work }: Ask<"commit">): Landed<Answers["commit"]> {
  const task = leasedTask(context.state, lease);
  if (task === null) return refuse(leaseRefusal(context.state, lease) ?? "the lease has ended");
  const outcome = await land(context, lease, work, (settled) => arbitration(context, task, settled));
  if (!outcome.ok) return outcome;
  const { value } = outcome;
  return { ok: true, value: value.kind === "landed" ? { ...value, moved: value.moved ?? [] } : value };
}

export async function handoff(context: Context, ask: Ask<"handoff">): Landed<Answers["handoff"]> {
  const { lease, work } = ask;
  const { state } = context;
  const task = leasedTask(state, lease);
  if (task === null) return refuse(leaseRefusal(state, lease) ?? "the lease has ended");
  const early = handoffRefusal(state, task, ask.handoff);
  if (early !== null) return refuse(early);
  const report = cappedHandoff(ask.handoff);
  if (report.status === "failed") {
    const failed = context.record("task_failed", {
      task: task.id,
      reason: report.summary,
      handoff: report,
      workspace: ask.workspace,
    });
    const appended = await context.append([failed]);
    return appended.ok ? accepted("the task is recorded as failed; your workspace is kept") : appended;
  }
  if (work === null) {
    const appended = await context.append(settle(context, task, report, null));
    return appended.ok ? accepted("nothing was left to commit") : appended;
  }
  const outcome = await land(context, lease, work, (settled) => [
    ...arbitration(context, task, settled),
    ...settle(context, task, report, settled),
  ]);
  if (!outcome.ok) return outcome;
  return outcome.value.kind === "refused" ? refuse(outcome.value.reason) : accepted(outcome.value.kind);
}

export async function fail(context: Context, ask: Ask<"fail">): Landed<Answers["fail"]> {
  const { lease, workspace } = ask;
  const task = leasedTask(context.state, lease);
  if (task === null) return { ok: true, value: {} };
  const reason = capText(ask.reason, summaryCharsMax);
  const failed = context.record("task_failed", { task: task.id, reason, handoff: null, workspace });
  const appended = await context.append([failed, ...unresolved(context, task, reason)]);
  return appended.ok ? { ok: true, value: {} } : appended;
}

export async function answerRefused(
  context: Context,
  { lease }: Ask<"answer_refused">,
): Landed<Answers["answer_refused"]> {
  if (leasedTask(context.state, lease) === null) return { ok: true, value: {} };
  const appended = await context.append([context.record("answer_refused", lease)]);
  return appended.ok ? { ok: true, value: {} } : appended;
}

export async function resolve(context: Context, ask: Ask<"resolve">): Landed<Answers["resolve"]> {
  const { lease, work, discarded } = ask;
  const { state, vcs } = context;
  const task = leasedTask(state, lease);
  if (task === null || task.conflict === null)
    return refuse(leaseRefusal(state, lease) ?? "this task resolves no conflict");
  const { conflict, parent } = task;
  const done = (outcome: SettledOutcome): readonly NewRecord[] => {
    if (outcome.kind === "conflict") return [];
    const own = context.record("task_done", { task: task.id, handoff: null });
    return [own, ...(parent === null ? [] : closed(context, getTask(state, parent), conflict))];
  };
  const message = `${work.message}\n\n${keptMessages(context, conflict)}`;
  const resolution = { resolves: conflict, discarded, attach: done };
  const request: CommitRequest = { ...requestOf(lease, { ...work, message }), ...resolution };
  const outcome = await context.guards.during(work.key, lease, () => vcs.commit(request));
  if (!outcome.ok) return outcome;
  const { value } = outcome;
  if (value.kind === "landed" || value.kind === "unchanged")
    return { ok: true, value: { kind: "resolved", position: value.position } };
  if (value.kind === "refused") {
    return value.policy === "stale-resolution"
      ? { ok: true, value: { kind: "stale", reason: value.reason } }
      : refuse(value.reason);
  }
  return { ok: true, value: { kind: "stale", reason: `the head changed again: now conflict ${value.conflict}` } };
}

async function land(
  context: Context,
  lease: Lease,
  work: Work,
  attach: (outcome: SettledOutcome) => readonly NewRecord[],
): Promise<Result<CommitOutcome, AppendError>> {
  const request: CommitRequest = { ...requestOf(lease, work), attach };
  return context.guards.during(work.key, lease, () => context.vcs.commit(request));
}

/** What the commits in the object had said, kept or not: it would be lost from the history otherwise. */
function keptMessages({ vcs }: Context, id: ConflictId): string {
  const kept = vcs.conflict(id)?.commits ?? [];
  return kept.map((commit) => `Held in it: ${cleanText(commit.message, noteCharsMax)}`).join("\n");
}

function requestOf(lease: Lease, work: Work): CommitRequest {
  const reason =
    work.outsideScopeReason === null
      ? ""
      : `\n\nOutside its scope: ${cleanText(work.outsideScopeReason, noteCharsMax)}`;
  const { key, base, changes, blobs } = work;
  return {
    key,
    base,
    changes,
    blobs,
    author: { agent: lease.agent, task: lease.task },
    message: `${cleanText(work.message, summaryCharsMax)}${reason}`,
    ...(work.outsideScopeReason === null ? {} : { reason: work.outsideScopeReason }),
  };
}

/** The conflicted task is done with its last conflict, not before. */
function closed(context: Context, conflicted: Task, resolved: ConflictId): readonly NewRecord[] {
  if (conflicted.status.kind !== "conflicted") return [];
  const next = openConflict(context, conflicted, resolved);
  return next === null
    ? [context.record("task_done", { task: conflicted.id, handoff: null })]
    : [context.record("task_conflicted", { task: conflicted.id, conflict: next, handoff: null })];
}

/** The task's oldest open conflict other than `except`. */
function openConflict({ vcs }: Context, task: Task, except: ConflictId | null): ConflictId | null {
  const open = vcs
    .conflicts()
    .find(({ id, state, author }) => state === "open" && author.task === task.id && id !== except);
  return open?.id ?? null;
}

/** A conflict whose arbiter gave up leaves its task failed: its planner hears of it, and the object stays open with both sides. */
export function unresolved(context: Context, arbiter: Task, reason: string): readonly NewRecord[] {
  const conflicted =
    arbiter.conflict === null || arbiter.parent === null ? null : getTask(context.state, arbiter.parent);
  if (conflicted?.status.kind !== "conflicted") return [];
  const why = `${conflicted.status.conflict} was not resolved and is kept with both sides: ${reason}`;
  return [context.record("task_failed", { task: conflicted.id, reason: why, handoff: null, workspace: null })];
}

/** The arbiter's task for a new conflict object: a child of the conflicted task. */
function arbitration(context: Context, task: Task, outcome: SettledOutcome): readonly NewRecord[] {
  if (outcome.kind !== "conflict" || outcome.joined) return [];
  const id = asTaskId(`t${nextTaskNumber(context.state)}`);
  return [
    context.record("task_added", {
      task: id,
      parent: task.id,
      kind: "resolve",
      key: `${outcome.conflict}`,
      title: cleanLine(`resolve ${outcome.conflict} of ${task.key}`, titleCharsMax),
      instructions: "",
      scope: [],
      check: null,
      after: [],
      base: null,
      decisions: [],
      conflict: outcome.conflict,
    }),
  ];
}

/** A task with a conflict that is still open is conflicted, not done, even if its last commit landed. */
function settle(context: Context, task: Task, report: Handoff, outcome: SettledOutcome | null): readonly NewRecord[] {
  const conflict = outcome?.kind === "conflict" ? outcome.conflict : openConflict(context, task, null);
  return conflict === null
    ? [context.record("task_done", { task: task.id, handoff: report })]
    : [context.record("task_conflicted", { task: task.id, conflict, handoff: report })];
}

function handoffRefusal(state: SwarmState, task: Task, report: Handoff): string | null {
  const open = task.children
    .map((id) => getTask(state, id))
    .filter((child) => !isFinal(child) && child.kind !== "resolve");
  if (open.length > 0)
    return `${open.map((child) => child.id).join(", ")} are still at work: end your turn without a call and you are woken with their results`;
  if (task.kind !== "plan" || report.status === "failed") return null;
  const done = task.children.some((id) => getTask(state, id).status.kind === "done");
  return done
    ? null
    : 'no task of yours is done, so there is no evidence for "done": delegate, or hand off with status "failed" and the reason';
}

function cappedHandoff(report: Handoff): Handoff {
  const notes = (items: readonly string[]): readonly string[] => items.map((item) => capText(item, noteCharsMax));
  return {
    status: report.status,
    summary: capText(report.summary, summaryCharsMax),
    concerns: notes(report.concerns),
    deviations: notes(report.deviations),
    findings: notes(report.findings),
  };
}

function refuse(reason: string): {
  readonly ok: true;
  readonly value: { readonly kind: "refused"; readonly policy: string; readonly reason: string };
} {
  return { ok: true, value: { kind: "refused", policy: "swarm", reason } };
}

function accepted(note: string): {
  readonly ok: true;
  readonly value: { readonly kind: "accepted"; readonly note: string };
} {
  return { ok: true, value: { kind: "accepted", note } };
}
