// The status line's words. Invariant: one short line, and nothing that a session wrote itself is in it but plain names.

import type { BoardView } from "../../sessions/board/view.ts";
import { isShown } from "../../sessions/board/view.ts";
import type { Colors } from "../plain-io.ts";
import type { StatusPlace } from "./places.ts";

const namesShownMax = 3;
const nameCharsMax = 20;

export interface StatusOptions {
  readonly place: StatusPlace;
  readonly colors: Colors;
  /** The session that shows the line: it is not told of itself. */
  readonly own: string | null;
}

/** `▶ 2 wait for you: app, web · 3 work`; empty where no other session is here. */
export function statusText(view: BoardView, { place, colors, own }: StatusOptions): string {
  const shown = view.projects.flatMap(({ name, rows }) =>
    rows.filter((row) => isShown(row) && row.row.session !== own).map((row) => ({ row, name })),
  );
  const waiting = shown.filter(({ row }) => row.needsPerson);
  const working = shown.filter(({ row }) => row.state.kind === "working" && !row.died).length;
  const parts: string[] = [];
  if (waiting.length > 0) {
    const names = [...new Set(waiting.map(({ name }) => plainName(name)))];
    const more = names.length > namesShownMax ? ` +${names.length - namesShownMax}` : "";
    const verb = waiting.length === 1 ? "waits" : "wait";
    const text = `▶ ${waiting.length} ${verb} for you: ${names.slice(0, namesShownMax).join(", ")}${more}`;
    parts.push(place === "tmux" ? `#[bold]${text}#[default]` : colors.bold(colors.yellow(text)));
  }
  if (working > 0) parts.push(`● ${working} ${working === 1 ? "works" : "work"}`);
  return parts.join(" · ");
}

/** tmux expands `#` and `%` in what a command of its status line prints. */
function plainName(name: string): string {
  return name.replace(/[^A-Za-z0-9._/-]+/g, "_").slice(0, nameCharsMax);
}
