// The Clock port on virtual time. Timers of a process end with it.

import type { Clock } from "../../host/clock.ts";
import type { Life } from "./life.ts";
import type { VirtualLoop } from "./loop.ts";

/** 2026-01-01T00:00:00Z. */
export const simEpochMs = 1_767_225_600_000;

export function simClock(loop: VirtualLoop, life: Life): Clock {
  function after(ms: number, label: string, callback: () => void): { cancel(): void } {
    if (!life.alive) return { cancel: () => undefined };
    const timer = loop.after(ms, `${label} ${ms} ms`, () => {
      forget();
      callback();
    });
    const forget = life.onEnd(() => {
      timer.cancelled = true;
    });
    return {
      cancel() {
        timer.cancelled = true;
        forget();
      },
    };
  }

  return {
    now: () => simEpochMs + Math.floor(loop.nowMs),
    monotonicMs: () => loop.nowMs,
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = after(ms, "sleep", finish);
        signal?.addEventListener("abort", finish);
        function finish(): void {
          timer.cancel();
          signal?.removeEventListener("abort", finish);
          resolve();
        }
      });
    },
    after: (ms, callback) => after(ms, "after", callback),
  };
}
