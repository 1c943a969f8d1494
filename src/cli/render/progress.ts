// One frame of a run's live screen: the task tree with states and who does what, then the figures. Pure text in a given size.

import cliTruncate from "cli-truncate";
import type { Spending } from "../../app/spending.ts";
import { cleanLine } from "../../base/text.ts";
import type { RunSummary, TaskLine, TaskLook } from "../../swarm/view.ts";
import type { Colors } from "../io.ts";
import { count, dollars, duration, plural } from "./figures.ts";

export interface FrameInput {
  readonly summary: RunSummary;
  readonly spending: Spending;
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
export function progressFrame({ summary, spending, goal, lines, step, columns, rows, colors }: FrameInput): string {
  const head = [
    colors.bold(`skein ${summary.runId}`) +
      colors.dim(
        `${summary.scripted ? " · scripted model" : ""} · ${duration(summary.wallMs)}${step === null ? "" : ` · ${oneLine(step)}`}`,
      ),
    colors.dim(`goal: ${oneLine(goal)}`),
    "",
  ];
  const tail = ["", ...figureLines(summary, spending, lines, colors)];
  const height = Math.max(1, rows - 1);
  if (height < head.length + 1 + tail.length)
    return fitColumns(shortFrame({ head, tail, lines, height, colors }), columns);
  const room = height - head.length - tail.length;
  const tree = fitted(lines, room);
  const widths = columnWidths(tree.shown);
  const body = tree.shown.map((line) => taskRow(line, widths, colors));
  if (tree.hidden > 0) body.push(colors.dim(`  … ${plural(tree.hidden, "more task")} not shown`));
  return fitColumns([...head, ...body, ...tail], columns);
}

function fitColumns(lines: readonly string[], columns: number): string {
  return lines.map((line) => cliTruncate(line, Math.max(1, columns))).join("\n");
}

interface ShortFrame extends Pick<FrameInput, "lines" | "colors"> {
  readonly head: readonly string[];
  readonly tail: readonly string[];
  readonly height: number;
}

/** A terminal too low for all: the count of tasks stays longest, then the run's name, then what is at work, then the other figures. */
function shortFrame({ head, tail, lines, height, colors }: ShortFrame): readonly string[] {
  const [title = ""] = head;
  const [counts = "", ...figures] = tail.filter((line) => line !== "");
  if (height < 3) return height < 2 ? [counts] : [title, counts];
  const shown = mostImportant(lines, 1).map((line) => taskRow(line, columnWidths([line]), colors));
  return [title, ...shown, counts, ...figures.slice(0, height - 2 - shown.length)];
}

function figureLines(
  summary: RunSummary,
  { budgetUsd, spentUsd }: Spending,
  lines: readonly TaskLine[],
  colors: Colors,
): readonly string[] {
  const at = (look: TaskLook): number => lines.filter((line) => line.look === look && line.role === "worker").length;
  const { tasks, conflicts, total } = summary;
  const open = conflicts.found - conflicts.resolved;
  const scripted = summary.scripted ? " (scripted)" : "";
  const cost = budgetUsd === null ? dollars(total.costUsd) : `${dollars(spentUsd)} of ${dollars(budgetUsd)}`;
  return [
    `tasks: ${tasks.done} done, ${at("running")} running, ${at("ready") + at("waits")} waiting${at("conflicted") > 0 ? colors.yellow(`, ${at("conflicted")} conflicted`) : ""}${tasks.failed > 0 ? colors.red(`, ${tasks.failed} failed`) : ""}${tasks.dropped > 0 ? `, ${tasks.dropped} dropped` : ""}`,
    `landed: ${plural(summary.commits, "commit")}, ${plural(summary.merges, "merge")}, ${plural(conflicts.found, "conflict")}${open > 0 ? colors.yellow(` (${open} open)`) : ""}`,
    colors.dim(
      `model: ${plural(total.requests, "request")}, ${count(total.inputTokens)} tokens in, ${count(total.outputTokens)} out, ${cost}${scripted}`,
    ),
  ];
}

/** Finished tasks give way first when the terminal is short. */
function fitted(
  lines: readonly TaskLine[],
  room: number,
): { readonly shown: readonly TaskLine[]; readonly hidden: number } {
  if (lines.length <= room) return { shown: lines, hidden: 0 };
  const keep = new Set(mostImportant(lines, room - 1));
  return { shown: lines.filter((line) => keep.has(line)), hidden: lines.length - keep.size };
}

function mostImportant(lines: readonly TaskLine[], room: number): readonly TaskLine[] {
  const importance = (line: TaskLine): number => {
    if (line.role === "planner" || line.look === "running" || line.look === "conflicted" || line.look === "failed")
      return 0;
    return line.look === "done" || line.look === "dropped" ? 2 : 1;
  };
  return [...lines].sort((a, b) => importance(a) - importance(b)).slice(0, Math.max(0, room));
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

/** Cleaned before it is measured: what is taken out later would move what stands behind it. */
function oneLine(text: string): string {
  return cleanLine(text, lineCharsMax);
}

const lineCharsMax = 1_000;
