// A clock that counts the timers that are set and have neither fired nor been cancelled: what is left behind shows.

import type { Clock } from "../../host/clock.ts";

export interface CountedClock extends Clock {
  readonly timersSet: number;
}

export function countedClock(clock: Clock): CountedClock {
  let timersSet = 0;
  return {
    get timersSet() {
      return timersSet;
    },
    now: () => clock.now(),
    monotonicMs: () => clock.monotonicMs(),
    async sleep(ms, signal) {
      timersSet++;
      await clock.sleep(ms, signal);
      timersSet--;
    },
    after(ms, callback) {
      let set = true;
      timersSet++;
      const unset = () => {
        if (set) timersSet--;
        set = false;
      };
      const timer = clock.after(ms, () => {
        unset();
        callback();
      });
      return {
        cancel() {
          unset();
          timer.cancel();
        },
      };
    },
  };
}
