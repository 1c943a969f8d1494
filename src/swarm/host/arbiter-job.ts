// An arbiter's job: it is shown the conflict object and nothing else. An answer lands only if it keeps both sides and passes both tasks' checks.

import type { ToolAnswer } from "../../agent/tool.ts";
import type { CommitKey } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { cleanLine } from "../../base/text.ts";
import type { NewBlob } from "../../log/log.ts";
import type { ConflictAnswer } from "../../protocol/messages.ts";
import { blobId } from "../../vcs/blob-id.ts";
import { answerBytes, applyHunks, droppedSide } from "../../vcs/merge/hunks.ts";
import type { Change } from "../../vcs/types.ts";
import { conflictPrompt } from "../prompts.ts";
import { runCheck } from "./checks.ts";
import { converse } from "./conversation.ts";
import type { HostEnvironment } from "./environment.ts";
import { type JobEnd, type RoleSetup, remindersMax } from "./job.ts";
import { keyMaker } from "./keys.ts";
import { type ResolveInput, resolveTool } from "./tools/resolve.ts";
import { openTrial } from "./workspaces.ts";

type Open = Extract<ConflictAnswer, { kind: "open" }>;

export interface Resolution {
  readonly changes: readonly Change[];
  readonly blobs: readonly NewBlob[];
}

/** Answers of one arbiter that may be refused before its task fails and its planner hears of it. */
const answersMax = 5;

export async function runArbiter(environment: HostEnvironment, setup: RoleSetup): Promise<JobEnd> {
  const { client } = environment;
  const { job } = setup;
  const id = job.conflict;
  if (id === null) throw new Error("an arbiter's job names a conflict");
  const first = await client.ask({ kind: "conflict", id });
  if (first.kind === "gone") throw new Error(`${id} is not open`);
  let conflict: Open = first;
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
    const failing = await tryChecks(environment, setup, attempt);
    if (failing !== null) return refused(failing);
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
    tools: [resolveTool(act)],
    onStopped: async (stops: number) =>
      stops > remindersMax ? null : "Answer with resolve: only that ends the conflict.",
  });
  const { ending } = conversation;
  if (ending.kind !== "ended" || ending.value !== "gave up") return { conversation, reported: false, workspace: null };
  await client.ask({
    kind: "fail",
    lease: job.lease,
    reason: `${answersMax} answers to ${id} were refused; the conflict stays open`,
    workspace: null,
  });
  return { conversation, reported: true, workspace: null };
}

interface Attempt {
  readonly conflict: Open;
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
  const paths = conflict.paths.map((path) => path.path).join(", ");
  const message = `Resolve ${job.conflict} of ${sides}\n\nBoth sides kept in ${cleanLine(paths, 1_000)}.`;
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

/** The files as answered, or why the answer cannot stand, for the arbiter to act on. */
export function applyAnswer(conflict: Open, input: ResolveInput): Result<Resolution, string> {
  const changes: Change[] = [];
  const blobs: NewBlob[] = [];
  const known = new Set<string>(conflict.paths.map((file) => file.path));
  const stranger = [...input.hunks, ...input.files].find((answer) => !known.has(answer.path));
  if (stranger !== undefined)
    return err(`${cleanLine(stranger.path, 200)} is not part of this conflict: ${[...known].join(", ")}`);
  for (const file of conflict.paths) {
    if (file.kind === "whole") {
      const answer = input.files.find((candidate) => candidate.path === file.path);
      if (answer === undefined) return err(`${file.path}: say in \`files\` which side to take`);
      const side = file[answer.take];
      changes.push(side === null ? { kind: "delete", path: file.path } : { kind: "put", path: file.path, ...side });
      continue;
    }
    const bytes = hunksApplied(file, input);
    if (!bytes.ok) return bytes;
    const blob = blobId(bytes.value, conflict.objectFormat);
    changes.push({ kind: "put", path: file.path, blob, mode: file.mode });
    blobs.push({ id: blob, bytes: bytes.value });
  }
  return ok({ changes, blobs });
}

type TextFile = Extract<Open["paths"][number], { kind: "text" }>;

function hunksApplied(file: TextFile, input: ResolveInput): Result<Uint8Array, string> {
  const answers = new Map<number, Uint8Array>();
  for (const region of file.regions) {
    if (region.kind === "clean") continue;
    const given = input.hunks.filter((answer) => answer.path === file.path && answer.hunk === region.hunk);
    const answer = given[0];
    if (answer === undefined) return err(`${file.path}: hunk ${region.hunk} has no answer`);
    if (given.length > 1) return err(`${file.path}: hunk ${region.hunk} has ${given.length} answers`);
    const bytes = answerBytes(region, answer.text);
    const dropped = droppedSide(region, bytes);
    if (dropped !== null) return err(`${file.path}: the answer to hunk ${region.hunk} drops a side. ${dropped.reason}`);
    answers.set(region.hunk, bytes);
  }
  const unknown = input.hunks.find((answer) => answer.path === file.path && !answers.has(answer.hunk));
  if (unknown !== undefined) return err(`${file.path} has no hunk ${unknown.hunk}`);
  const applied = applyHunks(file.regions, answers);
  return applied.ok
    ? applied
    : err(`${file.path}: ${applied.error.kind} ${applied.error.hunk}: answer with whole lines, each with its line end`);
}

/** Runs both tasks' checks on the head with the answer in place; null when all pass. */
async function tryChecks(
  environment: HostEnvironment,
  { job, signal }: RoleSetup,
  attempt: Attempt,
): Promise<string | null> {
  const { conflict, resolution, number } = attempt;
  const checks = [...new Set(conflict.sides.flatMap((side) => side.check ?? []))];
  if (checks.length === 0) return null;
  const trial = await openTrial(environment, job, {
    head: conflict.head,
    number,
    parts: [conflict.others, resolution],
  });
  try {
    for (const command of checks) {
      environment.client.activity(job.lease.agent, `check: ${cleanLine(command, 100)}`);
      const check = await runCheck(environment, { agent: job.lease.agent, command, directory: trial.root, signal });
      if (!check.passed) return `with this answer the check of a side fails: ${command}\n${check.output}`;
    }
    return null;
  } finally {
    await trial.remove();
  }
}
