// Today's times as a table: where a person's time leaks, the longest waits first.

import type { SessionToday, Today } from "../../app/board/today.ts";
import { cleanLine } from "../../base/text.ts";
import { quoted, whoWord } from "../../sessions/presence/words.ts";
import type { Colors } from "../io.ts";
import { fitted } from "./fit.ts";
import { clockText, spanText } from "./words.ts";

export interface TodayOptions {
  readonly columns: number;
  readonly colors: Colors;
}

export function todayLines({ sessions, sum, stretch }: Today, { columns, colors }: TodayOptions): readonly string[] {
  const since = `since ${clockText(stretch.from)}`;
  if (sessions.length === 0) return [`no agent session was seen ${since}`];
  const head = cells("session", "worked", "waited", "longest wait", "turns");
  const lines = sessions.map((one) => row(one));
  const total = cells(`all, ${since}`, spanText(sum.workedMs), spanText(sum.waitedMs), "", String(sum.turns));
  return [colors.dim(head), colors.bold(total), ...lines].map((line) => fitted(line, columns));
}

function row({ row: { row }, project, spent }: SessionToday): string {
  const who = `${cleanLine(project, nameChars).slice(0, nameChars).padEnd(nameChars)} ${whoWord(row)}`;
  const longest =
    spent.longestWaitAt === null ? "" : `${spanText(spent.longestWaitMs)} at ${clockText(spent.longestWaitAt)}`;
  const line = cells(who, spanText(spent.workedMs), spanText(spent.waitedMs), longest, String(spent.turns));
  return `${line}  ${row.intent === null ? "" : quoted(row.intent.text, 80)}`;
}

const nameChars = 9;

/** 79 columns. */
function cells(who: string, worked: string, waited: string, longest: string, turns: string): string {
  return [
    who.slice(0, 31).padEnd(31),
    worked.padStart(10),
    waited.padStart(10),
    longest.padStart(19),
    turns.padStart(5),
  ].join(" ");
}
