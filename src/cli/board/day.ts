// The day that `today` means: from midnight in the reader's own time zone.

import type { Stretch } from "../../sessions/board/history.ts";

export function dayStretch(now: number): Stretch {
  const date = new Date(now);
  return { from: new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime(), to: now };
}
