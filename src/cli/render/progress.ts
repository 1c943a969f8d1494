// One frame of a run's live screen: the task tree with states and who does what, then the figures. Pure text in a given size.

import cliTruncate from "cli-truncate";
import type { RunSummary, TaskLine, TaskLook } from "../../swarm/view.ts";
import type { Colors } from "../io.ts";
import { count, dollars, duration, plural } from "./figures.ts";

export interface FrameInput {
  readonly summary: RunSummary;
  readonly goal: string;
  readonly lines: readonly TaskLine[];
  /** What is done after the swarm's end; null while it runs. */
  readonly step: string | null;
  readonly columns: number;
  readonly rows: number;
  readonly colors: Colors;
}

const marks: Readonly<Record<TaskLook, string>> = {
  waits: "◌",
  ready: "○",
  running: "●",
  planning: "◆",
  conflicted: "!",
  done: "✓",
  failed: "✗",
  dropped: "–",
};

/** At most `rows - 1` lines, none wider than `columns`: the terminal never wraps or scrolls it. */
export function progressFrame({ summary, goal, lines, step, columns, rows, colors }: FrameInput): string {
  const head = [
    colors.bold(`skein ${summary.runId}`) +
      colors.dim(
        `${summary.scripted ? " · scripted model" : ""} · ${duration(summary.wallMs)}${step === null ? "" : ` · ${oneLine(step)}`}`,
      ),
    colors.dim(`goal: ${oneLine(goal)}`),
    "",
  ];
  const tail = ["", ...figureLines(summary, lines, colors)];
  const room = Math.max(1, rows - 1 - head.length - tail.length);
  const tree = fitted(lines, room);
  const widths = columnWidths(tree.shown);
  const body = tree.shown.map((line) => taskRow(line, widths, colors));
  if (tree.hidden > 0) body.push(colors.dim(`  … ${plural(tree.hidden, "more task")} not shown`));
  return [...head, ...body, ...tail]
    .slice(0, Math.max(1, rows - 1))
    .map((line) => cliTruncate(line, Math.max(1, columns)))
    .join("\n");
}

function figureLines(summary: RunSummary, lines: readonly TaskLine[], colors: Colors): readonly string[] {
  const at = (look: TaskLook): number => lines.filter((line) => line.look === look && line.role === "worker").length;
  const { tasks, conflicts, total } = summary;
  const open = conflicts.found - conflicts.resolved;
  const scripted = summary.scripted ? " (scripted)" : "";
  return [
    `tasks: ${tasks.done} done, ${at("running")} running, ${at("ready") + at("waits")} waiting${at("conflicted") > 0 ? colors.yellow(`, ${at("conflicted")} conflicted`) : ""}${tasks.failed > 0 ? colors.red(`, ${tasks.failed} failed`) : ""}${tasks.dropped > 0 ? `, ${tasks.dropped} dropped` : ""}`,
    `landed: ${plural(summary.commits, "commit")}, ${plural(summary.merges, "merge")}, ${plural(conflicts.found, "conflict")}${open > 0 ? colors.yellow(` (${open} open)`) : ""}`,
    colors.dim(
      `model: ${plural(total.requests, "request")}, ${count(total.inputTokens)} tokens in, ${count(total.outputTokens)} out, ${dollars(total.costUsd)}${scripted}`,
    ),
  ];
}

/** Finished tasks give way first when the terminal is short. */
function fitted(
  lines: readonly TaskLine[],
  room: number,
): { readonly shown: readonly TaskLine[]; readonly hidden: number } {
  if (lines.length <= room) return { shown: lines, hidden: 0 };
  const importance = (line: TaskLine): number => {
    if (line.role === "planner" || line.look === "running" || line.look === "conflicted" || line.look === "failed")
      return 0;
    return line.look === "done" || line.look === "dropped" ? 2 : 1;
  };
  const keep = new Set([...lines].sort((a, b) => importance(a) - importance(b)).slice(0, Math.max(0, room - 1)));
  return { shown: lines.filter((line) => keep.has(line)), hidden: lines.length - keep.size };
}

interface Widths {
  readonly name: number;
  readonly agent: number;
}

function columnWidths(lines: readonly TaskLine[]): Widths {
  return {
    name: Math.min(36, Math.max(8, ...lines.map((line) => nameOf(line).length))),
    agent: Math.max(2, ...lines.map((line) => line.agent?.length ?? 0)),
  };
}

function nameOf(line: TaskLine): string {
  return `${"  ".repeat(line.depth)}${marks[line.look]} ${oneLine(line.key)}`;
}

function taskRow(line: TaskLine, widths: Widths, colors: Colors): string {
  const paint = paintOf(line.look, colors);
  const name = paint(cliTruncate(nameOf(line), widths.name).padEnd(widths.name));
  const agent = (line.agent ?? "").padEnd(widths.agent);
  const time = (line.runningMs === null ? "" : duration(line.runningMs)).padStart(8);
  const detail = line.detail === "" ? oneLine(line.title) : oneLine(line.detail);
  return `${name} ${line.look.padEnd(10)} ${colors.dim(agent)} ${colors.dim(time)}  ${colors.dim(detail)}`;
}

function paintOf(look: TaskLook, colors: Colors): (text: string) => string {
  if (look === "done") return colors.green;
  if (look === "failed") return colors.red;
  if (look === "conflicted") return colors.yellow;
  return look === "running" || look === "planning" ? colors.cyan : colors.dim;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}
