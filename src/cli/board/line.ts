// One session on one line of the board: columns whose widths depend on the terminal's, the intent in what is left.

import type { BoardRow } from "../../sessions/board/board-row.ts";
import { branchWord, pathWord, quoted, whoWord } from "../../sessions/presence/words.ts";
import type { Colors } from "../io.ts";
import { cell, fitted } from "./fit.ts";
import { markOf, shortTime, stateWordOf, whyOf } from "./words.ts";

export interface LineOptions {
  readonly columns: number;
  readonly now: number;
  readonly colors: Colors;
  readonly selected: boolean;
  /** It has no second line. */
  readonly alone: boolean;
}

/** Below it a session has a second line, where there is room for all of them. */
export const wideColumns = 100;

interface Widths {
  readonly who: number;
  readonly why: number;
  readonly branch: number;
  readonly files: number;
}

/** 80 columns show a file's number, 120 and more their names. */
function widthsFor(columns: number): Widths {
  if (columns < narrowColumns) return { who: 14, why: 14, branch: 0, files: 0 };
  if (columns < wideColumns) return { who: 20, why: 18, branch: 11, files: 0 };
  if (columns < 150) return { who: 20, why: 22, branch: 18, files: 18 };
  return { who: 24, why: 26, branch: 26, files: 44 };
}

const stateWidth = 10;
/** Below it only the beginning of who it is can be read: the name stands first. */
const narrowColumns = 60;
const intentCharsMax = 160;

/** Intent and files, for a narrow terminal. */
export function secondLine({ row }: BoardRow, { columns, colors }: Pick<LineOptions, "columns" | "colors">): string {
  const files = row.files.slice(0, 4).map(({ path }) => lastPart(path));
  const more = row.files.length + row.filesForgotten - files.length;
  const edited = files.length === 0 ? "" : `${files.join(" ")}${more > 0 ? ` +${more}` : ""}`;
  const intent = row.intent === null ? "" : quoted(row.intent.text, intentCharsMax);
  const text = [intent, edited].filter((part) => part !== "").join("  ");
  if (text === "") return "";
  return colors.dim(fitted(`     ${text}`, columns));
}

export function sessionLine(row: BoardRow, { columns, now, colors, selected, alone }: LineOptions): string {
  const widths = widthsFor(columns);
  const paint = painter(row, colors);
  const state = `${stateWordOf(row)} ${shortTime(now - row.since)}`;
  const strong = row.needsPerson || selected ? colors.bold : plain;
  const cells = [
    `${selected ? "›" : " "}${paint(markOf(row))}`,
    strong(cell(columns < narrowColumns ? `${row.row.name} ${row.row.client}` : whoWord(row.row), widths.who)),
    paint(cell(state, stateWidth)),
    cell(whyOf(row, now), widths.why),
    ...(widths.branch === 0 ? [] : [colors.dim(cell(branchWord(row.row.standing), widths.branch))]),
    ...(widths.files === 0 ? [] : [cell(filesText(row), widths.files)]),
    alone ? fitted(restText(row, widths), restColumns(columns, widths)) : "",
  ];
  return fitted(cells.join(" ").trimEnd(), columns);
}

/** What the columns before it leave. */
function restColumns(columns: number, { who, why, branch, files }: Widths): number {
  const cells = [who, stateWidth, why, branch, files].filter((width) => width > 0);
  return Math.max(0, columns - 2 - cells.reduce((sum, width) => sum + width + 1, 0) - 1);
}

/** Without names where there is no column for them. */
function restText({ row }: BoardRow, { files }: Widths): string {
  const count =
    files === 0 && row.files.length > 0 ? `${row.files.length} ${row.files.length === 1 ? "file" : "files"} ` : "";
  return `${count}${row.intent === null ? "" : quoted(row.intent.text, intentCharsMax)}`;
}

function filesText({ row: { files, filesForgotten } }: BoardRow): string {
  const [first, second] = files;
  if (first === undefined) return "";
  const more = files.length + filesForgotten;
  const names = [first, second].flatMap((touch) => (touch === undefined ? [] : [lastPart(touch.path)]));
  return more > names.length ? `${names.join(" ")} +${more - names.length}` : names.join(" ");
}

function lastPart(path: string): string {
  return pathWord(path.split("/").at(-1) ?? path);
}

function plain(text: string): string {
  return text;
}

export function painter(row: BoardRow, colors: Colors): (text: string) => string {
  if (row.needsPerson) return (text) => colors.bold(colors.yellow(text));
  if (row.died) return colors.red;
  if (row.row.liveness.kind === "unknown") return colors.dim;
  return row.state.kind === "working" ? colors.cyan : colors.dim;
}
