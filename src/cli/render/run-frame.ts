// One frame of the live screen of `skein run`: each running call and each child on a line of its own, with time and tokens.

import cliTruncate from "cli-truncate";
import { unreachable } from "../../base/assert.ts";
import type { Colors } from "../io.ts";
import { count, duration, plural, tokens } from "./figures.ts";
import type { AgentLine, Asking, RunBoard, RunningCall, Sums, WaitingCall } from "./run-board.ts";

export interface RunFrameInput {
  readonly title: string;
  readonly board: RunBoard;
  /** What everybody should know now; null for nothing. */
  readonly notice: string | null;
  /** The line that waits for a key of theirs; null for none. */
  readonly question: string | null;
  readonly startedMs: number;
  readonly nowMs: number;
  readonly columns: number;
  readonly rows: number;
  readonly colors: Colors;
}

/** At most `rows - 1` lines, none wider than `columns`: the terminal never wraps or scrolls it. */
export function runFrame(input: RunFrameInput): string {
  const { title, board, notice, question, startedMs, nowMs, columns, rows, colors } = input;
  const head = `${colors.bold(title)}${colors.dim(` · ${duration(nowMs - startedMs)} · ${sumsText(board.sums())}`)}`;
  const [root, ...children] = board.lines();
  const body = [
    ...(root === undefined ? [] : ownRows(root, { depth: 1, nowMs, colors, board })),
    ...children.flatMap((child) => childRows(child, { depth: 3, nowMs, colors, board })),
  ];
  const tail = [
    ...(notice === null ? [] : [colors.yellow(notice)]),
    ...(question === null ? [] : [colors.bold(colors.yellow(question))]),
  ];
  const room = Math.max(0, rows - 2 - tail.length);
  const shown =
    body.length <= room
      ? body
      : [...body.slice(0, Math.max(0, room - 1)), colors.dim(`  … ${body.length - room + 1} more`)];
  const height = Math.max(1, rows - 1);
  return [head, ...shown.slice(0, room), ...tail]
    .slice(0, height)
    .map((line) => cliTruncate(line, Math.max(1, columns)))
    .join("\n");
}

/** `3 requests, 12.1k tokens in, 320 out`. */
export function sumsText({ requests, inputTokens, outputTokens }: Sums): string {
  return `${plural(requests, "request")}, ${tokens(inputTokens, outputTokens)}`;
}

interface RowOptions {
  readonly depth: number;
  readonly nowMs: number;
  readonly colors: Colors;
  readonly board: RunBoard;
}

function childRows(child: AgentLine, options: RowOptions): readonly string[] {
  const { nowMs, colors } = options;
  const queued = child.state === "queued";
  const mark = queued ? colors.dim("◌") : colors.cyan("●");
  const what = queued ? "waits for a place" : sumsText(child.sums);
  const head = `  ${mark} ${child.agent} ${colors.dim(`${time(nowMs - child.sinceMs)}  ${what}  `)}${child.task}`;
  return [head, ...ownRows(child, options)];
}

function ownRows({ asking, calls, approvals }: AgentLine, options: RowOptions): readonly string[] {
  return [
    ...(asking === null ? [] : [askingRow(asking, options)]),
    // The child of a call has lines of its own.
    ...calls.filter(({ callId }) => !options.board.isDelegation(callId)).map((call) => callRow(call, options)),
    ...approvals.map((waiting) => waitingRow(waiting, options)),
  ];
}

function askingRow(asking: Asking, { depth, nowMs, colors }: RowOptions): string {
  return `${"  ".repeat(depth)}${colors.cyan("●")} ${colors.dim(time(nowMs - asking.sinceMs))}  ${colors.dim(askingText(asking))}`;
}

function askingText(asking: Asking): string {
  switch (asking.kind) {
    case "asks":
      return "asks the model";
    case "writes":
      return `the model answers: ${count(asking.chars)} characters`;
    case "waits":
      return "waits to ask the model";
    case "compacts":
      return "summarizes what is oldest: the context is nearly full";
    default:
      return unreachable(asking);
  }
}

function waitingRow({ what, sinceMs }: WaitingCall, { depth, nowMs, colors }: RowOptions): string {
  return `${"  ".repeat(depth)}${colors.yellow("?")} ${colors.dim(time(nowMs - sinceMs))}  ${colors.yellow("waits for your answer:")} ${what}`;
}

function callRow({ name, hint, sinceMs }: RunningCall, { depth, nowMs, colors }: RowOptions): string {
  return `${"  ".repeat(depth)}${colors.cyan("●")} ${colors.dim(time(nowMs - sinceMs))}  ${name} ${colors.dim(hint)}`;
}

function time(ms: number): string {
  return duration(Math.max(0, ms)).padStart(8);
}
