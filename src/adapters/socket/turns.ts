// Work that can wait, slice by slice: so much each time the process has looked at what came in, in the order in which they were asked
// for. So lists and contents go out while commits go first, however many of them are asked for.

import type { Soon } from "./outbox.ts";

/** Of slices each time: many small ones, or a large one. */
export const turnBytes: number = 64 * 1024;

interface Waiting {
  readonly bytes: number;
  readonly go: () => void;
}

export class Turns {
  readonly #soon: Soon;
  readonly #waiting: Waiting[] = [];
  /** Until the process looks again; below nothing where the last slice was larger than what was left. */
  #left = turnBytes;
  #isScheduled = false;

  constructor(soon: Soon) {
    this.#soon = soon;
  }

  /** Resolves when it is the caller's turn for one slice, of so many bytes or as long as any. */
  next(bytes: number = turnBytes): Promise<void> {
    return new Promise((go) => {
      this.#waiting.push({ bytes, go });
      this.#serve();
    });
  }

  #serve(): void {
    while (this.#left > 0 && this.#waiting.length > 0) {
      const { bytes, go } = this.#waiting.shift()!;
      this.#left -= bytes;
      go();
    }
    if (this.#isScheduled || this.#left === turnBytes) return;
    this.#isScheduled = true;
    this.#soon(() => {
      this.#isScheduled = false;
      this.#left = turnBytes;
      this.#serve();
    });
  }
}
