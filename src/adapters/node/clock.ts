// The real clock. A timer that is cancelled or aborted leaves nothing behind: no listener and nothing that keeps the process alive.

import type { Clock } from "../../host/clock.ts";

/** Longest delay a Node timer can hold (32-bit signed); a longer one would fire at once. */
const timerMsMax = 2 ** 31 - 1;

export const nodeClock: Clock = {
  now: () => Date.now(),
  // `performance` loads nine modules of Node's.
  monotonicMs: () => Number(process.hrtime.bigint()) / 1e6,
  sleep,
  after,
};

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = after(ms, finish);
    signal?.addEventListener("abort", finish);
    function finish(): void {
      timer.cancel();
      signal?.removeEventListener("abort", finish);
      resolve();
    }
  });
}

function after(ms: number, callback: () => void): { cancel(): void } {
  // A moment that has just passed is now: a timer of less than nothing makes Node print a warning, over whatever stands on the terminal.
  let leftMs = Math.max(0, ms);
  let timer = arm();
  return { cancel: () => clearTimeout(timer) };

  function arm(): NodeJS.Timeout {
    const stepMs = Math.min(leftMs, timerMsMax);
    leftMs -= stepMs;
    return setTimeout(() => {
      if (leftMs > 0) timer = arm();
      else callback();
    }, stepMs);
  }
}
