// An arbiter's job: it is shown the conflict object and nothing else. An answer lands only if it keeps both sides and passes both tasks' checks.

import type { ToolAnswer } from "../../agent/tool.ts";
import type { CommitKey } from "../../base/ids.ts";
import { cleanLine, cleanText } from "../../base/text.ts";
import { conflictPrompt } from "../prompts.ts";
import { applyAnswer, type OpenConflict, type Resolution } from "./apply-answer.ts";
import { type CheckResult, runCheck } from "./checks.ts";
import { converse } from "./conversation.ts";
import type { HostEnvironment } from "./environment.ts";
import { type JobEnd, type RoleSetup, remindersMax } from "./job.ts";
import { keyMaker } from "./keys.ts";
import { type ResolveInput, resolveTool } from "./tools/resolve.ts";
import { standingTools } from "./tools/standing.ts";
import { openTrial } from "./workspaces.ts";

/** Answers of one arbiter that may be refused before its task fails and its planner hears of it. */
const answersMax = 5;
const messageCharsMax = 4_000;

export async function runArbiter(environment: HostEnvironment, setup: RoleSetup): Promise<JobEnd> {
  const { client } = environment;
  const { job } = setup;
  const id = job.conflict;
  if (id === null) throw new Error("an arbiter's job names a conflict");
  const first = await client.ask({ kind: "conflict", id });
  if (first.kind === "gone") throw new Error(`${id} is not open`);
  let conflict: OpenConflict = first;
  let answers = 0;
  const nextKey = keyMaker(job.lease);

  const refused = (text: string): ToolAnswer =>
    answers >= answersMax
      ? { kind: "end", text: `${text}\nThat was the last of ${answersMax} answers.`, value: "gave up" }
      : { kind: "error", text };

  const act = async (input: ResolveInput): Promise<ToolAnswer> => {
    answers += 1;
    const resolution = applyAnswer(conflict, input);
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
    const again = await client.ask({ kind: "conflict", id });
    if (again.kind === "gone") return { kind: "end", text: "the conflict is closed", value: "gave up" };
    conflict = again;
    return refused(`the files changed meanwhile (${answer.reason}). The conflict is now:\n${conflictPrompt(conflict)}`);
  };

  const conversation = await converse(environment, {
    ...setup,
    job: { ...job, prompt: conflictPrompt(conflict) },
    tools: standingTools(client, job.lease, [resolveTool(act)]),
    onStopped: async (stops: number) =>
      stops > remindersMax ? null : "Answer with resolve: only that ends the conflict.",
  });
  const { ending } = conversation;
  if (ending.kind !== "ended" || ending.value !== "gave up")
    return { kind: "talked", conversation, reported: conversation.paused, workspace: null };
  await client.ask({
    kind: "fail",
    lease: job.lease,
    reason: `${answersMax} answers to ${id} were refused; the conflict stays open`,
    workspace: null,
  });
  return { kind: "talked", conversation, reported: true, workspace: null };
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
  const message = cleanText(`Resolve ${job.conflict} of ${sides}\n\n${resolution.notes.join("\n")}`, messageCharsMax);
  const work = {
    key,
    base: conflict.head,
    message,
    changes: [...resolution.changes],
    blobs: [...resolution.blobs],
    outsideScopeReason: null,
  };
  return client.ask({ kind: "resolve", lease: job.lease, work });
}

/** Runs both tasks' checks on the head with the answer in place; the first that does not pass counts. */
async function tryChecks(
  environment: HostEnvironment,
  { job, signal }: RoleSetup,
  attempt: Attempt,
): Promise<CheckResult> {
  const { conflict, resolution, number } = attempt;
  const checks = [...new Set(conflict.sides.flatMap((side) => side.check ?? []))];
  if (checks.length === 0) return { kind: "passed" };
  const trial = await openTrial(environment, job, {
    head: conflict.head,
    number,
    parts: [conflict.others, resolution],
  });
  try {
    for (const command of checks) {
      environment.client.activity(job.lease.agent, `check: ${cleanLine(command, 100)}`);
      const check = await runCheck(environment, { agent: job.lease.agent, command, directory: trial.root, signal });
      if (check.kind === "failed")
        return { kind: "failed", output: `with this answer the check of a side fails: ${command}\n${check.output}` };
      if (check.kind === "cancelled") return check;
    }
    return { kind: "passed" };
  } finally {
    await trial.remove();
  }
}
