// One run's record and what is on disk of it, made into a verdict. Asks no model; the same record and checks give the same verdict.

import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { unreachable } from "../base/assert.ts";
import { textWithoutSecrets } from "../base/secrets.ts";
import type { Check } from "./check-spec.ts";
import { judgeCalls, judgeContext } from "./checks/calls.ts";
import { type CommandHost, type Controls, judgeCommand, type NotRun } from "./checks/command.ts";
import { judgeFile } from "./checks/files.ts";
import type { Judged } from "./checks/judged.ts";
import { judgeOutput } from "./checks/output.ts";
import { judgeResults } from "./checks/results.ts";
import { judgeSum } from "./checks/sum.ts";
import { judgeValues } from "./checks/values.ts";
import { endedBy, endingText, failureOf } from "./failure.ts";
import type { RunRecord } from "./record.ts";
import { type RunTranscripts, readTranscripts } from "./transcript.ts";
import { type Aspect, type Checked, type Exclusion, type Verdict, verdictVersion } from "./verdict.ts";

export interface JudgeRequest {
  readonly record: RunRecord;
  readonly checks: readonly Check[];
  /** Of the run: with the workspace as it left it, and its transcripts. */
  readonly directory: string;
  /** What the task began with. */
  readonly workspace: string;
  /** Of commands: no home, and no key. */
  readonly env: Readonly<Record<string, string>>;
  /** What commands are tried on besides; null for a suite's own solutions. */
  readonly controls: Controls | null;
  /** Not there yet, and not among the results: where commands run. */
  readonly scratch: string;
  readonly signal: AbortSignal;
}

export type JudgeHost = CommandHost;

export async function judgeRun(host: JudgeHost, request: JudgeRequest): Promise<Verdict> {
  const { record, checks, directory } = request;
  const transcripts = await readTranscripts(host.files, join(directory, "state"));
  const checked: Checked[] = [];
  let unjudged: string | null = null;
  for (const check of checks) {
    const judged = await judge(host, check, request, transcripts);
    if ("kind" in judged) unjudged ??= `${check.name}: ${judged.message}`;
    else {
      const detail = textWithoutSecrets(judged.detail, host.secrets);
      checked.push({ name: check.name, aspect: check.aspect, ...judged, detail });
    }
  }
  const excluded = exclusionOf(record, unjudged);
  const failure = failureOf(record, checked, excluded);
  const { suite, task, condition, repetition } = record;
  return {
    version: verdictVersion,
    suite,
    task,
    condition,
    repetition,
    checksDigest: digestOf(checks),
    excluded,
    passed: excluded === null && failure === null,
    valueRight: rightIn(checked, "value"),
    formatRight: rightIn(checked, "format"),
    processRight: rightIn(checked, "process"),
    checks: checked,
    failure,
  };
}

async function judge(
  host: JudgeHost,
  check: Check,
  { record, directory, workspace, env, controls, scratch, signal }: JudgeRequest,
  { agents }: RunTranscripts,
): Promise<Judged | NotRun> {
  const after = join(directory, "workspace");
  switch (check.kind) {
    case "output":
      return judgeOutput(check, record.answer);
    case "sum":
      return judgeSum(check, record.answer);
    case "values":
      return judgeValues(check, record.answer);
    case "calls":
      return judgeCalls(check, record);
    case "context":
      return judgeContext(check, record);
    case "results":
      return judgeResults(host.files, { workspace, after }, agents);
    case "file":
      return judgeFile(host.files, check, after);
    case "command":
      return judgeCommand(host, check, { workspace: after, scratch, env, controls }, signal);
    default:
      return unreachable(check);
  }
}

/** The verdict of a run that turned out to be no evidence. */
export function excludedVerdict(verdict: Verdict, detail: string): Verdict {
  const failure = { kind: "environment", detail } as const;
  return { ...verdict, excluded: { reason: "environment", detail }, passed: false, failure };
}

/** A run that is no evidence about its model and condition. */
function exclusionOf({ askedModel, models, faults, ending }: RunRecord, unjudged: string | null): Exclusion | null {
  const [fault] = faults;
  if (fault !== undefined) return { reason: "environment", detail: fault.detail };
  if (endedBy(ending) === "environment") return { reason: "environment", detail: endingText(ending) };
  // Only what says which model answered is evidence about it; a run can have removed its own transcripts.
  if (models.length === 0 && ending.outcome === "stopped")
    return { reason: "environment", detail: "no transcript of it says which model answered" };
  const other = models.find((model) => model !== shownName(askedModel));
  if (other !== undefined) return { reason: "other-model", detail: `${other} answered, ${askedModel} was asked for` };
  return unjudged === null ? null : { reason: "judge", detail: unjudged };
}

/** A script is known by its file's name, wherever it lies. */
function shownName(model: string): string {
  const [, scheme, path] = /^(script|replay):(.*)$/.exec(model) ?? [];
  return scheme === undefined || path === undefined ? model : `${scheme}:${basename(path)}`;
}

/** Null where there is no check of this aspect. */
function rightIn(checked: readonly Checked[], aspect: Aspect): boolean | null {
  const own = checked.filter((check) => check.aspect === aspect);
  return own.length === 0 ? null : own.every(({ passed }) => passed);
}

export function digestOf(checks: readonly Check[]): string {
  const text = JSON.stringify(checks, (_key, value: unknown) => (value instanceof RegExp ? String(value) : value));
  return createHash("sha256").update(text).digest("hex");
}
