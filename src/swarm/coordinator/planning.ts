// What planners ask: decide a question, delegate tasks, wait for them.

import { asDecisionId, asTaskId, type DecisionId, type RepoPath } from "../../base/ids.ts";
import type { Result } from "../../base/result.ts";
import { cleanLine, cleanText } from "../../base/text.ts";
import type { AppendError } from "../../log/log.ts";
import type { Answers, HostAsk } from "../../protocol/messages.ts";
import { blobId } from "../../vcs/blob-id.ts";
import { planDelegation, repeatedDelegation } from "../delegation.ts";
import { summaryCharsMax, titleCharsMax } from "../records.ts";
import { getTask } from "../state.ts";
import { isFinal, unreportedChildren } from "../tasks.ts";
import { type Context, leasedTask, leaseRefusal } from "./context.ts";

type Ask<K extends HostAsk["kind"]> = Extract<HostAsk, { kind: K }>;

/** Holds the decisions' pages. */
const directory = "design" as RepoPath;

/** Records the decision and lands its page under `design/` in one append. One question has one owner. */
export async function decide(context: Context, ask: Ask<"decide">): Promise<Result<Answers["decide"], AppendError>> {
  const { lease, key } = ask;
  const { state, vcs } = context;
  const task = leasedTask(state, lease);
  if (task === null) return refuse(leaseRefusal(state, lease) ?? "the lease has ended");
  const question = cleanLine(ask.question, titleCharsMax);
  const owned = [...state.decisions.values()].find((decision) => sameQuestion(decision.question, question));
  const answer = cleanText(ask.answer, summaryCharsMax);
  if (owned !== undefined && owned.task === task.id && owned.question === question && owned.answer === answer) {
    const { id, path, position } = owned;
    return repeated(context, { kind: "decided", decision: id, path, position });
  }
  if (owned !== undefined)
    return refuse(
      `this question is already decided as ${owned.id} (${owned.path}) by ${owned.task}: ${cleanText(owned.answer, 500)}`,
    );
  if (question === "" || answer.trim() === "") return refuse("question and answer must not be empty");
  const at = vcs.head();
  if (vcs.entry(directory, at) !== null)
    return refuse(`${directory} is a file in this repository: pages cannot be landed under it`);
  const { id, path } = decisionName(context, question);
  const page = Buffer.from(decisionPage(id, question, answer, cleanText(ask.rationale, summaryCharsMax)));
  const blob = blobId(page, vcs.imported()?.objectFormat);
  const outcome = await context.guards.during(key, lease, () =>
    vcs.commit({
      key,
      base: at,
      author: { agent: lease.agent, task: lease.task },
      message: `Decide ${id}: ${question}`,
      changes: [{ kind: "put", path, blob, mode: "100644" }],
      blobs: [{ id: blob, bytes: page }],
      // Without its page there is no decision.
      attach: ({ kind }) => {
        const { agent } = lease;
        const made = { decision: id, question, answer, path, revision: 1, agent, task: lease.task };
        return kind === "landed" ? [context.record("decision_made", made)] : [];
      },
    }),
  );
  if (!outcome.ok) return outcome;
  if (outcome.value.kind === "landed")
    return { ok: true, value: { kind: "decided", decision: id, path, position: outcome.value.position } };
  return refuse(
    outcome.value.kind === "refused" ? outcome.value.reason : `the page ${path} could not be landed; try again`,
  );
}

export async function delegate(
  context: Context,
  ask: Ask<"delegate">,
): Promise<Result<Answers["delegate"], AppendError>> {
  const { lease, snapshot } = ask;
  const { state, vcs } = context;
  const planner = leasedTask(state, lease);
  if (planner === null || planner.kind !== "plan")
    return refuse(leaseRefusal(state, lease) ?? "only planners delegate");
  if (snapshot > vcs.head()) return refuse(`there is no snapshot ${snapshot}`);
  const input = { planner, delegations: ask.tasks, snapshot, paths: vcs.manifest(snapshot).keys() };
  const before = repeatedDelegation(state, input);
  if (before !== null)
    return repeated(context, { kind: "accepted", tasks: before.map(({ id, key }) => ({ id, key })) });
  const planned = planDelegation(state, input, context.options.split);
  if (!planned.ok) return refuse(planned.error);
  const appended = await context.append(planned.value.map((data) => context.record("task_added", data)));
  if (!appended.ok) return appended;
  return {
    ok: true,
    value: { kind: "accepted", tasks: planned.value.map(({ task, key }) => ({ id: asTaskId(task), key })) },
  };
}

/** The first answer again, for a planner that was interrupted before it read it. What it names may not be durable yet. */
async function repeated<T>({ ledger }: Context, answer: T): Promise<Result<T, AppendError>> {
  const flushed = await ledger.flushed();
  return flushed.ok ? { ok: true, value: answer } : flushed;
}

export async function suspend(
  context: Context,
  { lease }: Ask<"suspend">,
): Promise<Result<Answers["suspend"], AppendError>> {
  const { state } = context;
  const planner = leasedTask(state, lease);
  if (planner === null || planner.kind !== "plan")
    return refuse(leaseRefusal(state, lease) ?? "only planners wait for tasks");
  const open = planner.children.some((id) => !isFinal(getTask(state, id)));
  // Results that it has not read are read on the newest snapshot, so that it is woken with them too.
  if (open || unreportedChildren(state, planner).length > 0) {
    const appended = await context.append([
      context.record("task_suspended", { task: planner.id, agent: lease.agent, fence: lease.fence }),
    ]);
    return appended.ok ? { ok: true, value: { kind: "suspended" } } : appended;
  }
  const message = "You have no task at work. Delegate what is missing, or end with handoff.";
  return { ok: true, value: { kind: "go_on", message } };
}

function sameQuestion(a: string, b: string): boolean {
  const plain = (text: string): string =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim();
  return plain(a) === plain(b);
}

/** The next free number, counting pages that earlier runs left in the repository and decisions whose page is not yet durable. */
function decisionName({ state, vcs }: Context, question: string): { readonly id: DecisionId; readonly path: RepoPath } {
  let last = 0;
  for (const known of state.decisions.keys()) last = Math.max(last, Number(known.slice(1)));
  for (const path of vcs.manifest(vcs.head()).keys()) {
    const number = /^design\/d(\d{1,6})-[^/]*\.md$/.exec(path)?.[1];
    if (number !== undefined) last = Math.max(last, Number(number));
  }
  const id = asDecisionId(`d${last + 1}`);
  const slug = question
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40);
  return { id, path: `design/${id}-${slug === "" ? "decision" : slug}.md` as RepoPath };
}

function decisionPage(id: DecisionId, question: string, answer: string, rationale: string): string {
  const why = rationale.trim() === "" ? "" : `\n## Why\n\n${rationale}\n`;
  return `---\nid: ${id}\nstatus: accepted\nrevision: 1\n---\n\n# ${question}\n\n${answer}\n${why}`;
}

function refuse(reason: string): {
  readonly ok: true;
  readonly value: { readonly kind: "refused"; readonly reason: string };
} {
  return { ok: true, value: { kind: "refused", reason } };
}
