// The board's whole screen as lines. Invariant: never more lines than the terminal has rows, none wider than its columns, and the selected
// session is among them.

import { cleanLine } from "../../base/text.ts";
import type { BoardRow } from "../../sessions/board/board-row.ts";
import { type BoardView, isShown, type Project } from "../../sessions/board/view.ts";
import type { Colors } from "../io.ts";
import { plural } from "../render/figures.ts";
import { detailLines } from "./details.ts";
import { fitted } from "./fit.ts";
import { helpLines } from "./help.ts";
import { type LineOptions, secondLine, sessionLine, wideColumns } from "./line.ts";
import { filtered, selectedRow, type Ui } from "./ui.ts";
import { clockText } from "./words.ts";

export interface FrameInput {
  readonly view: BoardView;
  readonly ui: Ui;
  readonly now: number;
  readonly columns: number;
  readonly rows: number;
  readonly colors: Colors;
  /** A line for the person; null for the keys. */
  readonly message: string | null;
  /** The lines of the panel `today`, once they are known. */
  readonly today: readonly string[] | null;
}

const listRowsMin = 3;

export function boardFrame(input: FrameInput): readonly string[] {
  const { view, ui, columns, rows } = input;
  const projects = filtered(view, ui);
  const selected = selectedRow(projects, ui);
  const head = headLine(view, input);
  const foot = footLine(input);
  const panel = panelLines(input, selected);
  const room = Math.max(1, rows - 2);
  // A panel takes at most two thirds, and leaves the list room for the selected session between the two lines of what is beyond.
  const panelRoom = Math.max(0, Math.min(panel.length, Math.floor((room * 2) / 3), room - listRowsMin));
  const list = listLines(projects, selected, { ...input, rows: room - panelRoom });
  const body = [...list, ...panel.slice(0, panelRoom)];
  const filler = Array.from({ length: Math.max(0, room - body.length) }, () => "");
  return [head, ...body, ...filler, foot].slice(0, rows).map((line) => fitted(line, columns));
}

/** All of it, whatever its length: for `--once`. */
export function wholeBoard(
  input: Omit<FrameInput, "ui" | "rows" | "message" | "today"> & { readonly ui: Ui },
): readonly string[] {
  const { view, ui, columns, now, colors } = input;
  const projects = filtered(view, ui);
  const alone = columns >= wideColumns;
  const lines = projects.flatMap((project) => [
    projectLine(project, colors),
    ...project.rows.flatMap((row) => rowLines(row, { columns, now, colors, selected: false, alone }).filter(isFilled)),
  ]);
  return [countsText(view, colors), ...lines, ...problemLines(view, colors)].map((line) => fitted(line, columns));
}

function isFilled(line: string): boolean {
  return line.trim() !== "";
}

function headLine(view: BoardView, { now, columns, colors }: FrameInput): string {
  const left = `${colors.bold("skein")} ${countsText(view, colors)}`;
  const clock = clockText(now);
  return columns < 60 ? left : `${colors.dim(clock)} ${left}`;
}

/** `2 wait for you · 5 work · 3 projects`. */
export function countsText({ projects }: BoardView, colors: Colors): string {
  const shown = projects.flatMap(({ rows }) => rows.filter(isShown));
  if (shown.length === 0) return "no agent sessions at work";
  const waiting = shown.filter(({ needsPerson }) => needsPerson).length;
  const working = shown.filter(({ state, died }) => state.kind === "working" && !died).length;
  const wait = `${waiting} ${waiting === 1 ? "waits" : "wait"} for you`;
  const named = projects.filter(({ rows }) => rows.some(isShown)).length;
  const parts = [
    waiting === 0 ? colors.dim(wait) : colors.bold(colors.yellow(wait)),
    `${working} ${working === 1 ? "works" : "work"}`,
    plural(named, "project"),
  ];
  return parts.join(colors.dim(" · "));
}

function footLine({ ui, message, colors, columns }: FrameInput): string {
  if (ui.typing) return `/${ui.filter}▏ ${colors.dim("enter keeps it, esc drops it")}`;
  if (message !== null) return colors.yellow(cleanLine(message, 300));
  const set = [
    ui.filter === "" ? null : `/${ui.filter}`,
    ui.waitingOnly ? "waiting only" : null,
    ui.endedToo ? "ended too" : null,
  ].filter((part) => part !== null);
  const keys =
    columns < 100
      ? "↑↓ enter details  f focus  / filter  w waiting  t today  ? help  q quit"
      : "↑↓ select  tab next waiting  enter details  f focus  / filter  w waiting only  a ended too  t today  ? help  q quit";
  return `${set.length === 0 ? "" : `${colors.cyan(set.join(", "))}  `}${colors.dim(keys)}`;
}

function panelLines({ ui, now, columns, colors, today }: FrameInput, selected: BoardRow | null): readonly string[] {
  const rule = colors.dim("─".repeat(Math.max(0, columns)));
  switch (ui.panel) {
    case "none":
      return [];
    case "details":
      return selected === null ? [] : [rule, ...detailLines(selected, { now, colors })];
    case "today":
      return [rule, ...(today ?? [colors.dim("reading…")])];
    case "help":
      return [rule, ...helpLines(colors)];
  }
}

function listLines(projects: readonly Project[], selected: BoardRow | null, input: FrameInput): readonly string[] {
  const { view, columns, now, colors, rows, ui } = input;
  if (projects.length === 0) return [emptyLine(view, ui), ...problemLines(view, colors)].slice(0, rows);
  const problems = problemLines(view, colors).slice(0, Math.max(0, rows - 3));
  const room = Math.max(1, rows - problems.length);
  const sessions = projects.reduce((sum, project) => sum + project.rows.length, 0);
  const alone = columns >= wideColumns || projects.length + 2 * sessions > room;
  // Only what is seen is made: measuring a line costs more than all the rest of it.
  const places = projects.flatMap((project) => [
    { row: null, make: () => [projectLine(project, colors)] },
    ...project.rows.map((row) => ({
      row,
      make: () => rowLines(row, { columns, now, colors, selected: row === selected, alone }),
    })),
  ]);
  const at = Math.max(
    0,
    places.findIndex(({ row }) => row !== null && row === selected),
  );
  const [from, to] = alone ? windowOf(places.length, at, room) : [0, places.length];
  const lines = places.slice(from, to).flatMap(({ make }) => make());
  // The first and last line tell of what is beyond them, where that leaves the selected one.
  if (room < listRowsMin) return [...places.slice(at, at + room).flatMap(({ make }) => make()), ...problems];
  if (from > 0) lines[0] = colors.dim(`  ↑ ${from + 1} more lines above`);
  if (to < places.length) lines[lines.length - 1] = colors.dim(`  ↓ ${places.length - to + 1} more lines below`);
  return [...lines, ...problems];
}

function rowLines(row: BoardRow, options: LineOptions): readonly string[] {
  const line = sessionLine(row, options);
  return options.alone ? [line] : [line, secondLine(row, options)];
}

/** The part of a list that is shown: a page of it, with the selected line neither its first nor its last. */
function windowOf(length: number, at: number, room: number): readonly [number, number] {
  if (length <= room) return [0, length];
  const from = Math.min(Math.max(0, at - Math.floor(room / 2)), length - room);
  return [from, from + room];
}

function projectLine({ name, rows }: Project, colors: Colors): string {
  const waiting = rows.filter(({ needsPerson }) => needsPerson).length;
  const count = rows.length > 1 ? colors.dim(`  ${rows.length} sessions`) : "";
  return `${colors.bold(cleanLine(name, 60))}${count}${waiting > 0 && rows.length > 1 ? colors.yellow(`, ${waiting} for you`) : ""}`;
}

function emptyLine({ projects }: BoardView, ui: Ui): string {
  if (ui.filter !== "" || ui.waitingOnly) return "  no session passes the filter (esc drops it)";
  const ended = projects.some(({ rows }) => rows.length > 0);
  return ended
    ? "  all sessions have ended (a shows them)"
    : "  no agent sessions yet: skein install puts the hooks into your agents";
}

function problemLines({ problems }: BoardView, colors: Colors): readonly string[] {
  return problems.slice(0, 3).map((problem) => colors.yellow(`not readable: ${cleanLine(problem, 200)}`));
}
