// Runs as lists show them: for people as lines, for programs as JSON. Both from the same facts.

import type { RunState } from "../../app/find-runs.ts";
import type { KeptRun } from "../../app/prune.ts";
import type { RunFacts } from "../../app/run-facts.ts";
import type { RunStatus } from "../../app/run-list.ts";
import { cleanLine } from "../../base/text.ts";
import type { Figure } from "../../model/usage.ts";
import type { Colors } from "../io.ts";
import { jsonLine } from "../json.ts";
import { resumeCommand } from "../resume-command.ts";
import { duration, plural } from "./figures.ts";
import { billRows, requestLine, spendingLines } from "./summary.ts";

export function runLines(run: RunFacts, colors: Colors): readonly string[] {
  const { runId, state, goal, repo, branch } = run;
  const where = repo === null ? "" : ` ${cleanLine(repo, 300)}${branch === null ? "" : ` → ${cleanLine(branch, 200)}`}`;
  return [
    `${colors.bold(runId)}  ${paint(state, colors)(state.padEnd(11))}  ${cleanLine(goal, 120)}`,
    `  ${colors.dim(`${whatIsLeft(run)};${where}`.replace(/;$/, ""))}`,
  ];
}

function paint(state: RunState, colors: Colors): (text: string) => string {
  if (state === "finished") return colors.green;
  if (state === "running") return colors.cyan;
  return state === "failed" ? colors.red : colors.yellow;
}

/** In words: `3 tasks open, 1 workspace kept`. */
export function whatIsLeft({ kind, runId, state, reason, left, unreadable, repo }: RunFacts): string {
  if (unreadable !== null) return `its log cannot be read: ${cleanLine(unreadable, 300)}`;
  if (kind === "run")
    return `one agent (skein run)${left.resumable ? `, ${resumeCommand({ kind, runId, reason, spentUsd: null })} goes on` : ""}${state === "failed" ? `: ${cleanLine(reason, 300)}` : ""}`;
  if (state === "running" && repo === null) return "it is beginning";
  if (repo === null) return "it was interrupted before it began";
  const parts = [
    left.openTasks > 0 ? `${plural(left.openTasks, "task")} open` : null,
    left.openConflicts > 0 ? `${plural(left.openConflicts, "conflict")} open` : null,
    left.unexportedCommits > 0 ? `${plural(left.unexportedCommits, "commit")} on no branch` : null,
    left.keptWorkspaces > 0 ? `${plural(left.keptWorkspaces, "workspace")} kept` : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? "nothing is left" : parts.join(", ");
}

/** One of the list of `skein runs --json`. */
export function runJson(run: RunFacts) {
  const { kind, runId, state, reason, goal, repo, branch, lastMs, left, directories } = run;
  return {
    runId,
    kind,
    goal,
    state,
    reason,
    repo,
    branch,
    whatIsLeft: { ...left, text: whatIsLeft(run) },
    lastRecord: new Date(lastMs).toISOString(),
    store: directories.run,
  };
}

export function keptLine({ run, reason }: KeptRun): string {
  return `${run.runId} stays: ${cleanLine(reason, 300)}`;
}

export function statusLines(status: RunStatus, colors: Colors): readonly string[] {
  const { summary, tasks, stopping, state, reason, left } = status;
  const lines = [...runLines(status, colors)];
  if (stopping !== null) lines.push(`  stops       agents finish their current calls: ${cleanLine(stopping, 300)}`);
  if (reason !== "") lines.push(`  ended       ${cleanLine(reason, 1_000)}`);
  if (summary !== null) {
    const { tasks: counts, commits, merges, conflicts, wallMs, models } = summary;
    lines.push(
      `  tasks       ${counts.done} done, ${counts.failed} failed, ${counts.dropped} dropped, ${counts.open} open`,
      `  landed      ${plural(commits, "commit")}, ${plural(merges, "merge")}, ${plural(conflicts.found, "conflict")} found, ${conflicts.resolved} resolved`,
      `  time        ${duration(wallMs)}`,
      `  model       ${models.map((model) => cleanLine(model, 200)).join(", ")}${summary.scripted ? " (scripted model)" : ""}`,
      requestLine(summary.requests),
      ...billRows(Object.entries(summary.roles), summary.total),
      ...(status.spending === null ? [] : spendingLines(status.spending)),
      "",
    );
  }
  for (const task of tasks) {
    const who = task.agent === null ? "" : ` by ${task.agent}`;
    const detail = task.detail === "" ? task.title : task.detail;
    lines.push(
      `${"  ".repeat(task.depth + 1)}${task.id} ${cleanLine(task.key, 60)} ${task.look}${who}: ${cleanLine(detail, 160)}`,
    );
  }
  if (state !== "running" && left.resumable)
    lines.push("", `go on: ${resumeCommand({ ...status, spentUsd: known(status.spending?.spentUsd) })}`);
  return lines;
}

function known(figure: Figure | undefined): number | null {
  return typeof figure === "number" ? figure : null;
}

export function statusJson(status: RunStatus): string {
  const { summary, spending, tasks, stopping } = status;
  return jsonLine({
    ...runJson(status),
    stopping,
    summary,
    spending,
    tasks: tasks.map(({ id, depth, key, title, role, look, agent, detail }) => ({
      id,
      depth,
      key,
      title,
      role,
      state: look,
      agent,
      detail,
    })),
  });
}
