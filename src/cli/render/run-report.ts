// What `skein run` says first and last: who is asked within what limits, how it ended, what it cost, what to do next.

import { originText } from "../../app/origin.ts";
import type { RunBill } from "../../app/run-bill.ts";
import type { RunResult, RunStart } from "../../app/run-types.ts";
import { sandboxLine } from "../../app/sandbox.ts";
import { unreachable } from "../../base/assert.ts";
import { cleanLine, cleanText } from "../../base/text.ts";
import { adviceFor, modelAdvice } from "../advice.ts";
import { reachedLimit, resumeCommand } from "../resume-command.ts";
import { cost, count, dollars, duration, plural, tokens } from "./figures.ts";
import { modelLines } from "./start.ts";

export function runStartLines(start: RunStart): readonly string[] {
  const { runId, directory, roles, settings, limits, resumed } = start;
  const { budgetUsd, minutes } = settings.limits;
  const budget = budgetUsd === null ? "budget: none" : `budget: ${dollars(budgetUsd.value)}`;
  const parts = [
    plural(limits.turnsMax, "request"),
    `${plural(limits.callsAtOnceMax, "call")} at once`,
    minutes === null ? null : `${minutes.value} min`,
    limits.contextTokens === null ? null : `window of ${count(limits.contextTokens)} tokens`,
  ].filter((part) => part !== null);
  return [
    `run ${runId} ${resumed === null ? "in" : "goes on in"} ${cleanLine(directory, 500)}`,
    ...(resumed === null ? [] : resumedLines(resumed)),
    ...modelLines(roles),
    `${budget}; limits: ${parts.join(", ")}`,
    ...settings.notes.map((note) => `note: ${cleanLine(note, 1_000)}`),
    ...start.around.map((line) => cleanLine(line, 1_000)),
    ...approvalLines(start),
  ];
}

function approvalLines({ policy, sandbox, asksPerson, settings }: RunStart): readonly string[] {
  const { mode } = policy;
  const ruled = [
    ...(policy.allow.length === 0 ? [] : [`; ${plural(policy.allow.length, "rule")} to allow`]),
    ...(policy.deny.length === 0 ? [] : [`; ${plural(policy.deny.length, "rule")} to deny`]),
  ].join("");
  const mayAsk = mode === "ask" || mode === "auto-edit" || (mode === "full-auto" && sandbox.kind === "none");
  const asked = mayAsk && !asksPerson ? "; nobody can be asked here: what no rule allows is refused" : "";
  const from =
    settings.approval.mode.origin.kind === "default"
      ? ""
      : ` (${cleanLine(originText(settings.approval.mode.origin), 300)})`;
  const none = sandbox.kind === "none" && mode === "full-auto" ? "; each command is asked for" : "";
  return [`approval: ${mode}${from}${ruled}${asked}`, `${cleanLine(sandboxLine(sandbox), 1_000)}${none}`];
}

function resumedLines(resumed: NonNullable<RunStart["resumed"]>): readonly string[] {
  const { bill, callsPending, callsInterrupted, linesDamaged } = resumed;
  const parts = [
    billText(bill),
    callsPending > 0 ? `${plural(callsPending, "call")} taken up again` : null,
    callsInterrupted > 0 ? `${plural(callsInterrupted, "call")} told as interrupted: what they did is not known` : null,
    linesDamaged > 0 ? `${plural(linesDamaged, "line")} of the transcript torn` : null,
  ].filter((part) => part !== null);
  return [`so far: ${parts.join(", ")}`];
}

/** Of all agents. */
function billText({ totals, children }: RunBill): string {
  const { requests, usage, costUsd, requestsIncomplete } = totals;
  const missing = requestsIncomplete === 0 ? "" : `; ${plural(requestsIncomplete, "request")} without figures`;
  const by = children === 0 ? "" : ` by ${children + 1} agents`;
  return `${plural(requests, "request")}${by}, ${tokens(usage.inputTokens, usage.outputTokens)}, ${cost(costUsd)}${missing}`;
}

/** What goes to standard output; null where there is no answer. */
export function answerText({ result }: RunResult): string | null {
  return result.kind === "stopped" ? cleanText(result.text, answerCharsMax) : null;
}

const answerCharsMax = 1_000_000;

export function exitCodeOf({ result }: RunResult): 0 | 1 | 130 {
  if (result.kind === "stopped" || result.kind === "ended") return 0;
  return result.kind === "cancelled" || result.kind === "ended-now" ? 130 : 1;
}

export function endLines(run: RunResult): readonly string[] {
  const { runId, bill, wallMs, provider, transcript } = run;
  const { requests, usage, costUsd, requestsIncomplete } = bill.totals;
  const missing = requestsIncomplete === 0 ? "" : `; ${plural(requestsIncomplete, "request")} without figures`;
  const children = bill.children === 0 ? "" : ` by ${bill.children + 1} agents`;
  const advice = adviceOn(run);
  const good = exitCodeOf(run) === 0;
  return [
    ...(good ? [] : [`skein: ${cleanText(lastWords(run), 20_000)}`]),
    `${plural(requests, "request")}${children} in ${duration(wallMs)}: ${tokens(usage.inputTokens, usage.outputTokens)}, ${cost(costUsd)}${provider.scripted ? " (scripted)" : ""}${missing}`,
    ...(bill.unreadable === 0
      ? []
      : [`${plural(bill.unreadable, "transcript")} could not be read: the figures lack them`]),
    ...(advice === null ? [] : [`next: ${advice}`]),
    good ? `more: skein run --resume ${runId} "…"` : `go on: ${goOn(run)}`,
    `transcript: ${transcript}`,
  ];
}

export function resultJson(run: RunResult) {
  const { runId, provider, result, bill, wallMs, transcript } = run;
  const { requests, usage, costUsd, requestsIncomplete } = bill.totals;
  const { inputTokens, cachedTokens, outputTokens } = usage;
  return {
    runId,
    outcome: result.kind === "ended-now" ? "cancelled" : result.kind,
    text: lastWords(run),
    requests,
    children: bill.children,
    requestsIncomplete,
    inputTokens,
    cachedTokens,
    outputTokens,
    costUsd,
    wallMs: Math.round(wallMs),
    model: provider.name,
    scripted: provider.scripted,
    label: provider.scripted ? "scripted model" : null,
    transcript,
    next: adviceOn(run),
    resume: exitCodeOf(run) === 0 ? null : goOn(run),
    exitCode: exitCodeOf(run),
  };
}

function goOn({ runId, result, bill }: RunResult): string {
  // Where a limit may have ended it.
  const reason = result.kind === "model-error" ? result.error.message : result.kind === "budget" ? result.reason : "";
  const { costUsd } = bill.totals;
  return resumeCommand({ kind: "run", runId, reason, spentUsd: typeof costUsd === "number" ? costUsd : null });
}

function adviceOn({ result }: RunResult): string | null {
  if (result.kind === "model-error") {
    const limit = reachedLimit(result.error.message);
    return `${modelAdvice(result.error.code)}${limit === null ? "" : `; then use a larger ${limit.flag}`}`;
  }
  if (result.kind === "turn-limit") return "a larger --max-turns, or go on as below";
  return result.kind === "budget" ? adviceFor(result.reason) : null;
}

function lastWords({ result }: RunResult): string {
  switch (result.kind) {
    case "stopped":
      return result.text;
    case "ended":
      return "done";
    case "turn-limit":
      return `stopped at the limit of ${plural(result.turnsMax, "model request")}; what was changed is kept`;
    case "no-progress":
      return `stopped without progress: ${result.reason}; what was changed is kept`;
    case "model-error":
      return `the model failed (${result.error.code}): ${result.error.message}; what was changed is kept`;
    case "budget":
      return `stopped by its budget: ${result.reason}`;
    case "hook":
      return `stopped by a hook of yours: ${result.reason}; what was changed is kept`;
    case "cancelled":
      return "stopped by you; what was changed is kept";
    case "ended-now":
      return "ended by you without waiting; what was changed is kept, and calls that ran are told as interrupted when it goes on";
    case "record-failed":
      return `stopped, since its transcript cannot be written: ${result.error.message}`;
    default:
      return unreachable(result);
  }
}
