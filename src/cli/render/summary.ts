// The end of a run: for people as lines, for programs as one JSON object. Both from the same summary.

import type { Spending } from "../../app/spending.ts";
import type { SwarmResult } from "../../app/swarm-types.ts";
import { cleanLine, cleanText } from "../../base/text.ts";
import type { Bill } from "../../swarm/bill.ts";
import type { RequestCounts } from "../../swarm/view.ts";
import { adviceFor } from "../advice.ts";
import { explainExport } from "../errors.ts";
import type { Colors } from "../io.ts";
import { jsonLine } from "../json.ts";
import { resumeCommand } from "../resume-command.ts";
import { shellWord } from "../shell-word.ts";
import { count, dollars, duration, plural } from "./figures.ts";

export function summaryLines(result: SwarmResult, colors: Colors): readonly string[] {
  const { summary } = result;
  const scripted = summary.scripted ? " (scripted model: answers, tokens and prices are the script's)" : "";
  const { tasks, conflicts } = summary;
  const title = summary.state === "finished" ? colors.green("finished") : colors.red(summary.state);
  return [
    "",
    `${colors.bold(`skein ${summary.runId}`)} ${title}: ${cleanLine(summary.reason, 1_000)}`,
    `  tasks      ${tasks.done} done, ${tasks.failed} failed, ${tasks.dropped} dropped${tasks.open > 0 ? `, ${tasks.open} open` : ""} (by ${plural(summary.planners, "planner")})`,
    `  landed     ${plural(summary.commits, "commit")}, ${plural(summary.merges, "merge")}, ${plural(conflicts.found, "conflict")} found, ${conflicts.resolved} resolved`,
    `  time       ${duration(summary.wallMs)}`,
    `  model      ${summary.models.map((model) => cleanLine(model, 200)).join(", ")}${scripted}`,
    requestLine(summary.requests),
    ...billRows(Object.entries(summary.roles), summary.total),
    ...spendingLines(result.spending),
    "",
    ...conflictLines(result, colors),
    ...discardedLines(result, colors),
    ...exportLines(result),
    ...checkLines(result, colors),
    `  store      ${cleanLine(result.store, pathCharsMax)}`,
    ...nextLines(result),
  ];
}

export function billRows(roles: readonly [string, Bill][], total: Bill): readonly string[] {
  const rows = [["", "requests", "input", "cached", "output", "cost"], ...roles.map(billRow), billRow(["all", total])];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map(
    (row) =>
      `    ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join("  ")}`,
  );
  const { requestsIncomplete, requests } = total;
  if (requestsIncomplete === 0) return lines;
  return [
    ...lines,
    `    ${requestsIncomplete} of ${plural(requests, "request")} without all figures from the provider`,
  ];
}

function billRow([name, bill]: readonly [string, Bill]): string[] {
  return [
    name,
    String(bill.requests),
    count(bill.inputTokens),
    count(bill.cachedTokens),
    count(bill.outputTokens),
    dollars(bill.costUsd),
  ];
}

/** A request is counted once, however often it was sent. */
export function requestLine({ made, failed, untold, attempts }: RequestCounts): string {
  const parts = [failed > 0 ? `${failed} failed` : null, untold > 0 ? `${untold} whose outcome is unknown` : null];
  const some = parts.filter((part) => part !== null);
  const of = some.length === 0 ? "" : ` (${some.join(", ")})`;
  return `  requests   ${made}${of}, sent ${untold > 0 ? "at least " : ""}${plural(attempts, "time")}`;
}

/** What is known and what is only assumed, apart: an upper bound is not what was spent. */
export function spendingLines(spending: Spending): readonly string[] {
  const { budgetUsd, spentUsd, knownUsd, assumedUsd, requestsAssumed } = spending;
  const unknown = `${plural(requestsAssumed, "request")} whose usage is unknown`;
  if (budgetUsd !== null) {
    const assumed = requestsAssumed === 0 ? "" : ` (${dollars(assumedUsd)} of it assumed at the most: ${unknown})`;
    return [`  budget     ${dollars(spentUsd)} of ${dollars(budgetUsd)} spent${assumed}`];
  }
  return requestsAssumed === 0 || knownUsd === 0 ? [] : [`  spent      at least ${dollars(knownUsd)}, and ${unknown}`];
}

/** How the person goes on, where the goal was not reached. */
function nextLines(result: SwarmResult): readonly string[] {
  const { summary, resumable } = result;
  const next = advice({ summary });
  const lines = next === null ? [] : [`  next       ${next}`];
  if (resumable) lines.push(`  go on      ${goOn(result)}`);
  return lines;
}

function goOn({ summary, spending }: SwarmResult): string {
  const { runId, reason, state } = summary;
  const { spentUsd } = spending;
  return resumeCommand({
    kind: "swarm",
    runId,
    reason: state === "finished" ? "" : reason,
    spentUsd: spentUsd === "unavailable" ? null : spentUsd,
  });
}

function advice({ summary }: Pick<SwarmResult, "summary">): string | null {
  return summary.state === "finished" ? null : adviceFor(summary.reason);
}

/** For programs in one: what is to be mended, and the command that then goes on. */
function nextStep(result: SwarmResult): string | null {
  const next = advice(result);
  return next === null || !result.resumable ? next : `${next}; then: ${goOn(result)}`;
}

/** A run that is over makes only its branch again. */
function exportAgain(runId: string): string {
  return `skein swarm --resume ${runId}`;
}

const pathCharsMax = 4_096;

/** What is kept aside: never left unsaid. */
function conflictLines({ openConflicts }: SwarmResult, colors: Colors): readonly string[] {
  return openConflicts.map(({ id, task, paths }) => {
    const where = cleanLine(paths.join(", "), 500);
    return `  ${colors.yellow("open")}       conflict ${id} of task ${cleanLine(task, 100)} in ${where}: not on the branch, both sides are kept in the store`;
  });
}

/** What an arbiter left out: its reason, and where it is to be had. */
function discardedLines({ discarded }: SwarmResult, colors: Colors): readonly string[] {
  const lines = discarded.slice(0, discardedLinesMax).map(({ path, side, task, blob, reason }) => {
    const what = `${side} of ${task === null ? "the imported tree" : `task ${cleanLine(task, 100)}`}`;
    const where = blob === null ? "it had deleted the file" : `kept in the store as ${blob.slice(0, 12)}`;
    return `  ${colors.yellow("discarded")}  ${cleanLine(path, 300)}: ${what} (${where}): ${cleanLine(reason, 300)}`;
  });
  const left = discarded.length - lines.length;
  return left > 0
    ? [...lines, `  ${colors.yellow("discarded")}  and ${left} more: see the Skein-Discarded trailers`]
    : lines;
}

const discardedLinesMax = 20;

function exportLines({ repository, base, exported, exportError, store, summary }: SwarmResult): readonly string[] {
  if (exportError !== null) {
    const why = explainExport(exportError, store);
    return [
      `  branch     could not be made: ${cleanText(why, 2_000)}`,
      `  once mended ${exportAgain(summary.runId)} makes it`,
    ];
  }
  if (exported === null)
    return [summary.commits === 0 ? "  nothing was exported: no commit landed" : "  nothing was exported"];
  const git = `git -C ${shellWord(repository)}`;
  return [
    `  branch     ${exported.branch}`,
    `  in         ${cleanLine(repository, pathCharsMax)}`,
    "  look at it",
    `    ${git} log --stat ${base.slice(0, 12)}..${exported.branch}`,
    `    ${git} diff ${base.slice(0, 12)}...${exported.branch}`,
    `    ${git} switch ${exported.branch}`,
  ];
}

function checkLines({ check, checkPassed, exported }: SwarmResult, colors: Colors): readonly string[] {
  if (check === null) return ["  check      unavailable: no command was named (--check)"];
  const where = exported === null ? "what the run began from" : "the branch";
  const ran = checkPassed === true ? colors.green(`passes on ${where}`) : colors.red(`fails on ${where}`);
  const outcome = checkPassed === null ? "was not run" : ran;
  return [`  check      ${cleanLine(check, 500)}: ${outcome}`];
}

/** The last line of `--json`. */
export function summaryJson(result: SwarmResult): string {
  const { summary, exported, exportError } = result;
  const { done, failed, dropped, open } = summary.tasks;
  return jsonLine({
    runId: summary.runId,
    state: summary.state,
    reason: summary.reason,
    repo: result.repository,
    branch: exported?.branch ?? null,
    exportError: exportError === null ? null : explainExport(exportError, result.store),
    base: result.base,
    check: result.check ?? "unavailable",
    checkPassed: result.checkPassed ?? "unavailable",
    tasks: { done, failed, dropped, open },
    commits: summary.commits,
    merges: summary.merges,
    conflicts: summary.conflicts,
    openConflicts: result.openConflicts,
    discarded: result.discarded,
    wallMs: summary.wallMs,
    requests: summary.requests,
    roles: summary.roles,
    ...result.spending,
    model: summary.models.join(", "),
    scripted: summary.scripted,
    label: summary.scripted ? "scripted model" : null,
    store: result.store,
    next: nextStep(result),
    resume: result.resumable ? goOn(result) : exportError === null ? null : exportAgain(summary.runId),
  });
}
