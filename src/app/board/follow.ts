// Looks at the board again and again and tells what is new, until it is told to stop.

import type { Clock } from "../../host/clock.ts";
import { type Attention, nextAttention, noAttention } from "../../sessions/board/attention.ts";
import type { BoardRow } from "../../sessions/board/board-row.ts";
import type { BoardView } from "../../sessions/board/view.ts";
import type { Board } from "./open.ts";

/** Time between two looks. */
export const lookMs = 250;

export interface Follower {
  readonly clock: Clock;
  readonly stop: AbortSignal;
  /** At each look; the same object as before where nothing has changed. */
  readonly onView: (view: BoardView, now: number) => void | Promise<void>;
  /** A session begins to wait for its person. */
  readonly onWait?: (row: BoardRow) => void | Promise<void>;
}

export async function follow({ tracker }: Board, { clock, stop, onView, onWait }: Follower): Promise<void> {
  let attention: Attention = noAttention;
  const calls: Promise<void>[] = [];
  let dueMs = clock.monotonicMs();
  while (!stop.aborted) {
    const now = clock.now();
    const view = await tracker.look(now);
    await onView(view, now);
    if (onWait !== undefined) {
      const step = nextAttention(attention, view, clock.monotonicMs());
      attention = step.attention;
      // A desktop that does not answer must not keep the board from looking.
      for (const row of step.due) calls.push(Promise.resolve(onWait(row)));
    }
    // By the time of the beginning: what a look takes does not make the next one later. One that was missed is not made up for.
    dueMs = Math.max(dueMs + lookMs, clock.monotonicMs());
    await clock.sleep(dueMs - clock.monotonicMs(), stop);
  }
  await Promise.all(calls);
}
