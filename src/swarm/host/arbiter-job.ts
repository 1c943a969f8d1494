// An arbiter's job: it is shown the conflict object and nothing else. An answer lands only if it keeps both sides and passes both tasks' checks.

import type { ToolAnswer } from "../../agent/tool.ts";
import type { CommitKey, ConflictId } from "../../base/ids.ts";
import { cleanLine, cleanText } from "../../base/text.ts";
import { conflictPrompt, conflictPromptCharsMax } from "../conflict-prompt.ts";
import type { OpenConflict } from "../open-conflict.ts";
import { applyAnswer, type Resolution } from "./apply-answer.ts";
import { type CheckResult, runCheck } from "./checks.ts";
import { CoordinatorLost } from "./client.ts";
import { type ConflictContents, loadContents } from "./conflict-contents.ts";
import { converse } from "./conversation.ts";
import { diskRefusalIn } from "./disk-watch.ts";
import type { HostEnvironment } from "./environment.ts";
import { type JobEnd, type RoleSetup, remindersMax } from "./job.ts";
import { keyMaker } from "./keys.ts";
import { readConflictTool } from "./tools/read-conflict.ts";
import { type ResolveInput, resolveTool } from "./tools/resolve.ts";
import { standingTools } from "./tools/standing.ts";
import { openTrial } from "./workspaces.ts";

/** Answers of one arbiter that may be refused before its task fails and its planner hears of it. */
const answersMax = 5;
const messageCharsMax = 4_000;

/** A tool's result holds less than a prompt. */
const againCharsMax = 24_000;

export async function runArbiter(environment: HostEnvironment, setup: RoleSetup): Promise<JobEnd> {
  const { client } = environment;
  const { job } = setup;
  const id = job.conflict;
  if (id === null) throw new Error("an arbiter's job names a conflict");
  const first = await look(environment, id);
  if (typeof first === "string") return notBegun(first);
  let looked: Looked = first;
  let given = `${answersMax} answers to ${id} were refused; the conflict stays open`;
  // Its host died between the last refusal and its report.
  if (job.answersRefused >= answersMax) return notBegun(given);
  let answers = job.answersRefused;
  const nextKey = keyMaker(job.lease);

  const refused = async (text: string): Promise<ToolAnswer> => {
    await client.ask({ kind: "answer_refused", lease: job.lease });
    return answers >= answersMax
      ? { kind: "end", text: `${text}\nThat was the last of ${answersMax} answers.`, value: "gave up" }
      : { kind: "error", text };
  };

  const act = async (input: ResolveInput): Promise<ToolAnswer> => {
    answers += 1;
    const { conflict, contents } = looked;
    const resolution = applyAnswer(conflict, contents, input);
    if (!resolution.ok) return refused(resolution.error);
    const attempt = { conflict, resolution: resolution.value, number: answers };
    const tried = await tryChecks(environment, setup, attempt);
    if (tried.kind === "cancelled") {
      answers -= 1;
      return { kind: "cancelled", text: "cancelled: the checks of the sides were stopped" };
    }
    if (tried.kind === "failed") return refused(tried.output);
    const answer = await land(environment, setup, attempt, nextKey());
    if (answer.kind === "resolved") return { kind: "end", text: "resolved", value: "resolved" };
    if (answer.kind === "refused") return refused(answer.reason);
    const again = await look(environment, id);
    if (typeof again === "string") {
      given = again;
      return { kind: "end", text: again, value: "gave up" };
    }
    looked = again;
    const shown = conflictPrompt(again.conflict, again.contents, againCharsMax);
    return refused(`the files changed meanwhile (${answer.reason}). The conflict is now:\n${shown}`);
  };

  const conversation = await converse(environment, {
    ...setup,
    job: { ...job, prompt: conflictPrompt(first.conflict, first.contents, conflictPromptCharsMax) },
    tools: standingTools(client, job.lease, [resolveTool(act), readConflictTool(() => looked)]),
    onStopped: async (stops: number) =>
      stops > remindersMax ? null : "Answer with resolve: only that ends the conflict.",
  });
  const { ending } = conversation;
  if (ending.kind !== "ended" || ending.value !== "gave up")
    return { kind: "talked", conversation, reported: conversation.paused, workspace: null };
  await client.ask({
    kind: "fail",
    lease: job.lease,
    reason: given,
    workspace: null,
  });
  return { kind: "talked", conversation, reported: true, workspace: null };
}

interface Looked {
  readonly conflict: OpenConflict;
  readonly contents: ConflictContents;
}

/** The conflict as it is now, or why there is nothing to be decided about it. */
async function look({ client }: HostEnvironment, id: ConflictId): Promise<Looked | string> {
  const conflict = await client.ask({ kind: "conflict", id });
  if (conflict.kind === "gone") return `${id} is not open any more`;
  if (conflict.kind === "beyond") return conflict.reason;
  return { conflict, contents: await loadContents(client, conflict) };
}

/** No model is asked: the reason is what the planner acts on. */
function notBegun(message: string): JobEnd {
  const conversation = {
    ending: { kind: "unreadable" as const, message },
    requests: 0,
    transcript: null,
    paused: false,
  };
  return { kind: "talked", conversation, reported: false, workspace: null };
}

interface Attempt {
  readonly conflict: OpenConflict;
  readonly resolution: Resolution;
  /** Of the arbiter's answers, from 1. */
  readonly number: number;
}

async function land(
  { client }: HostEnvironment,
  { job }: RoleSetup,
  { conflict, resolution }: Attempt,
  key: CommitKey,
) {
  const sides = conflict.sides.map((side) => side.task).join(", ");
  const checks = checksOf(conflict);
  const ran = `Checks run on the result: ${checks.length === 0 ? "none was named" : checks.map((check) => cleanLine(check, 200)).join("; ")}.`;
  const notes = [ran, ...resolution.notes].join("\n");
  const message = cleanText(`Resolve ${job.conflict} of ${cleanLine(sides, 200)}\n\n${notes}`, messageCharsMax);
  const work = {
    key,
    base: conflict.head,
    message,
    changes: [...resolution.changes],
    blobs: [...resolution.blobs],
    outsideScopeReason: null,
  };
  return client.ask({ kind: "resolve", lease: job.lease, work, discarded: [...resolution.discarded] });
}

/** Runs both tasks' checks on the head with the answer in place; the first that does not pass counts. */
async function tryChecks(
  environment: HostEnvironment,
  { job, signal }: RoleSetup,
  attempt: Attempt,
): Promise<Exclude<CheckResult, { readonly kind: "unable" }>> {
  const { conflict } = attempt;
  const checks = checksOf(conflict);
  if (checks.length === 0) return { kind: "passed" };
  const trial = await layOut(environment, job, attempt);
  if (typeof trial === "string") return { kind: "failed", output: trial };
  try {
    for (const command of checks) {
      environment.client.activity(job.lease.agent, `check: ${cleanLine(command, 100)}`);
      const check = await runCheck(environment, { agent: job.lease.agent, command, directory: trial.root, signal });
      if (check.kind === "failed")
        return { kind: "failed", output: `with this answer the check of a side fails: ${command}\n${check.output}` };
      if (check.kind === "unable")
        return { kind: "failed", output: `the check of a side could not be run: ${command}\n${check.output}` };
      if (check.kind === "cancelled") return check;
    }
    return { kind: "passed" };
  } finally {
    await trial.remove();
  }
}

/** The commands of both sides' tasks, each once. */
function checksOf({ sides }: OpenConflict): readonly string[] {
  return [...new Set(sides.flatMap((side) => side.check ?? []))];
}

/** The head with the answer in place, or why it cannot be laid out as files: the answer's author can act on that. */
async function layOut(environment: HostEnvironment, job: RoleSetup["job"], { conflict, resolution, number }: Attempt) {
  try {
    return await openTrial(environment, job, { head: conflict.head, number, parts: [conflict.others, resolution] });
  } catch (error) {
    const isOurs = error instanceof CoordinatorLost || !(error instanceof Error);
    if (isOurs || diskRefusalIn(error.message) !== null) throw error;
    return `the head with this answer cannot be laid out as files: ${cleanText(error.message, 1_000)}`;
  }
}
