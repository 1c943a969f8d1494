// What `skein board` does with its flags: once or live, for people or programs, with notices or without.

import { resolve } from "node:path";
import { follow } from "../../app/board/follow.ts";
import { type NoticeWay, notifyPerson } from "../../app/board/notify.ts";
import { type Board, openBoard } from "../../app/board/open.ts";
import { todayOf } from "../../app/board/today.ts";
import type { Surroundings } from "../../app/surroundings.ts";
import { cleanLine } from "../../base/text.ts";
import type { BoardRow } from "../../sessions/board/board-row.ts";
import { changesBetween } from "../../sessions/board/changes.ts";
import type { BoardView } from "../../sessions/board/view.ts";
import { quoted, whoWord } from "../../sessions/presence/words.ts";
import { explain } from "../errors.ts";
import { fail } from "../fail.ts";
import type { Io } from "../io.ts";
import { jsonLine } from "../json.ts";
import { dayStretch } from "./day.ts";
import { wholeBoard } from "./frame.ts";
import { boardJson, changeJson, todayJson } from "./json.ts";
import { todayLines } from "./today.ts";
import { firstUi } from "./ui.ts";
import { clockText, whyOf } from "./words.ts";

const pathCharsMax = 300;

export interface BoardFlags {
  readonly json: boolean;
  readonly once: boolean;
  readonly today: boolean;
  readonly all: boolean;
  /** Null for all repositories. */
  readonly repo: string | null;
  /** Null without notices. */
  readonly notify: readonly NoticeWay[] | null;
}

export interface Showing {
  readonly io: Io;
  readonly surroundings: Surroundings;
  readonly stop: AbortSignal;
}

export async function showBoard(showing: Showing, flags: BoardFlags): Promise<void> {
  const { io, surroundings } = showing;
  const directory = flags.repo === null ? null : resolve(surroundings.cwd, flags.repo);
  const board = await openBoard(surroundings, { directory });
  if (!board.ok) return fail(io, explain(board.error), flags.json);
  await noteMissing(showing, directory);
  const stays = flags.notify !== null && !flags.once && !flags.json && !flags.today;
  if (io.live && !flags.once && !flags.json && !flags.today) return live(showing, board.value, flags);
  if (stays) return callOnly(showing, board.value, flags.notify ?? []);
  await once(showing, board.value, flags);
}

/** Sessions of a directory that was removed can be asked for: it is no error, but may be a slip. */
async function noteMissing({ io, surroundings }: Showing, directory: string | null): Promise<void> {
  if (directory === null || (await surroundings.host.files.stat(directory)).ok) return;
  io.note(`note: there is no directory ${cleanLine(directory, pathCharsMax)}`);
}

async function live(showing: Showing, board: Board, { notify }: BoardFlags): Promise<void> {
  const { liveBoard } = await import("./live.ts");
  const onWait = notify === null ? null : (row: BoardRow) => call(showing, row, notify).then(() => undefined);
  await liveBoard({ ...showing, board, onWait });
  await board.tracker.remember(uniqueOf(showing.surroundings));
}

async function once({ io, surroundings }: Showing, board: Board, flags: BoardFlags): Promise<void> {
  const now = surroundings.host.clock.now();
  const view = await board.tracker.look(now);
  if (flags.today) {
    const today = await todayOf(board.registry, view, dayStretch(now));
    if (flags.json) io.out(jsonLine(todayJson(today)));
    else io.out(todayLines(today, { columns: io.size().columns, colors: io.colors }).join("\n"));
  } else if (flags.json) io.out(jsonLine(boardJson(view, { now, all: flags.all })));
  else {
    const ui = { ...firstUi, endedToo: flags.all };
    io.out(wholeBoard({ view, ui, now, columns: io.size().columns, colors: io.colors }).join("\n"));
  }
  await board.tracker.remember(uniqueOf(surroundings));
}

/** Without a terminal for the board: a line for each call. */
async function callOnly(showing: Showing, board: Board, ways: readonly NoticeWay[]): Promise<void> {
  const { io, surroundings, stop } = showing;
  io.note("skein: waiting for sessions that need you; Ctrl-C ends it");
  await follow(board, {
    clock: surroundings.host.clock,
    stop,
    onView: () => undefined,
    onWait: async (row) => {
      const { inFront, taken } = await call(showing, row, ways);
      if (inFront) return;
      const { clock } = surroundings.host;
      const how = taken.length === 0 ? "" : ` (told by ${taken.join(", ")})`;
      io.out(`${clockText(clock.now())} ${noticeText(row, clock.now())}${how}`);
    },
  });
}

function call({ io, surroundings }: Showing, row: BoardRow, ways: readonly NoticeWay[]) {
  const notice = { title: "skein", text: noticeText(row, surroundings.host.clock.now()) };
  const onTerminal = (_: unknown, way: "terminal" | "bell"): void => io.signal(way, notice);
  return notifyPerson(surroundings, row, notice, { ways, onTerminal });
}

function noticeText(row: BoardRow, now: number): string {
  const { intent, standing } = row.row;
  const place = standing === null ? "" : ` in ${standing.worktree.split("/").at(-1) ?? ""}`;
  return `${whoWord(row.row)}${place}: ${whyOf(row, now)}${intent === null ? "" : ` ${quoted(intent.text, 80)}`}`;
}

/** `skein watch`: first all that are there, then each change, a line of JSON each. */
export async function watchBoard(showing: Showing, { repo, all }: Pick<BoardFlags, "repo" | "all">): Promise<void> {
  const { io, surroundings, stop } = showing;
  const directory = repo === null ? null : resolve(surroundings.cwd, repo);
  const board = await openBoard(surroundings, { directory });
  if (!board.ok) return fail(io, explain(board.error), true);
  await noteMissing({ io, surroundings, stop }, directory);
  let before: BoardView | null = null;
  await follow(board.value, {
    clock: surroundings.host.clock,
    stop,
    onView: (view, now) => {
      if (view === before) return;
      const isFirst = before === null;
      for (const change of changesBetween(before, view)) {
        const over = change.row.state.kind === "ended" && !change.row.died;
        if (isFirst && over && !all) continue;
        io.out(jsonLine(changeJson(change, now)));
      }
      before = view;
    },
  });
}

function uniqueOf({ processId, host }: Surroundings): string {
  return `${processId}-${host.random.letters(8)}`;
}
