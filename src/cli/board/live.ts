// The live board: looks, keys and notices together, until its person leaves.

import { type Follower, follow } from "../../app/board/follow.ts";
import type { Board } from "../../app/board/open.ts";
import { focusPane, paneOf } from "../../app/board/tmux.ts";
import { todayOf } from "../../app/board/today.ts";
import type { Surroundings } from "../../app/surroundings.ts";
import type { BoardRow } from "../../sessions/board/board-row.ts";
import type { BoardView } from "../../sessions/board/view.ts";
import { whoWord } from "../../sessions/presence/words.ts";
import type { Io } from "../io.ts";
import { dayStretch } from "./day.ts";
import { boardFrame } from "./frame.ts";
import { openScreen, type Screen } from "./screen.ts";
import { todayLines } from "./today.ts";
import { firstUi, type Key, pressed, type Ui } from "./ui.ts";

export interface LiveOptions {
  readonly io: Io;
  readonly surroundings: Surroundings;
  readonly board: Board;
  readonly stop: AbortSignal;
  readonly onWait: Follower["onWait"] | null;
}

/** How long a message stands in the place of the keys. */
const messageMs = 4_000;
/** Today's times are read again after this. */
const todayMs = 15_000;

export async function liveBoard(options: LiveOptions): Promise<void> {
  const { surroundings, stop } = options;
  const left = new AbortController();
  const live = new Live(options, () => left.abort());
  try {
    await follow(options.board, {
      clock: surroundings.host.clock,
      stop: AbortSignal.any([stop, left.signal]),
      onView: (view, now) => live.show(view, now),
      ...(options.onWait === null || options.onWait === undefined ? {} : { onWait: options.onWait }),
    });
  } finally {
    live.close();
  }
}

class Live {
  readonly #options: LiveOptions;
  readonly #screen: Screen;
  readonly #leave: () => void;
  #ui: Ui = firstUi;
  #view: BoardView | null = null;
  #now = 0;
  #message: { readonly text: string; readonly untilMs: number } | null = null;
  #today: { readonly lines: readonly string[]; readonly readMs: number } | null = null;
  #reading = false;

  constructor(options: LiveOptions, leave: () => void) {
    this.#options = options;
    this.#leave = leave;
    const colors = options.io.colors.isColorSupported;
    this.#screen = openScreen({
      colors,
      onKey: (key) => this.#press(key),
      onInterrupt: leave,
      onResize: () => this.#draw(),
    });
  }

  show(view: BoardView, now: number): void {
    this.#view = view;
    this.#now = now;
    if (this.#ui.panel === "today") void this.#readToday();
    this.#draw();
  }

  close(): void {
    this.#screen.close();
  }

  #press(key: Key): void {
    if (this.#view === null) return;
    const { ui, effect } = pressed(this.#ui, key, this.#view);
    this.#ui = ui;
    if (ui.panel === "today") void this.#readToday();
    if (effect?.kind === "quit") this.#leave();
    if (effect?.kind === "focus") void this.#focus(effect.row);
    this.#draw();
  }

  #draw(): void {
    const { io, surroundings } = this.#options;
    if (this.#view === null) return;
    if (this.#message !== null && surroundings.host.clock.monotonicMs() > this.#message.untilMs) this.#message = null;
    const { columns, rows } = io.size();
    const lines = boardFrame({
      view: this.#view,
      ui: this.#ui,
      now: this.#now,
      columns,
      rows,
      colors: io.colors,
      message: this.#message?.text ?? null,
      today: this.#today?.lines ?? null,
    });
    this.#screen.draw(lines);
  }

  async #focus(row: BoardRow): Promise<void> {
    const pane = paneOf(row.row.facts.tmux);
    const who = whoWord(row.row);
    if (pane === null) {
      const { terminal, process } = row.row.facts;
      const where = terminal ?? (process === null ? null : `process ${process.pid}`);
      return this.#say(`${who} runs in no tmux pane${where === null ? "" : `; it is at ${where}`}`);
    }
    const end = await focusPane(this.#options.surroundings, pane);
    const said = {
      shown: `${who} is in front`,
      selected: `${who} is selected in its tmux; nobody is attached there: tmux${pane.socket === null ? "" : ` -S ${pane.socket}`} attach`,
      gone: `the tmux pane of ${who} is not there any more`,
    };
    this.#say(said[end]);
  }

  #say(text: string): void {
    this.#message = { text, untilMs: this.#options.surroundings.host.clock.monotonicMs() + messageMs };
    this.#draw();
  }

  async #readToday(): Promise<void> {
    const { board, io, surroundings } = this.#options;
    const { clock } = surroundings.host;
    const isFresh = this.#today !== null && clock.monotonicMs() - this.#today.readMs < todayMs;
    if (this.#reading || isFresh || this.#view === null) return;
    this.#reading = true;
    const today = await todayOf(board.registry, this.#view, dayStretch(clock.now()));
    const lines = todayLines(today, { columns: io.size().columns, colors: io.colors });
    this.#today = { lines, readMs: clock.monotonicMs() };
    this.#reading = false;
    this.#draw();
  }
}
