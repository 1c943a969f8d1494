// Work that can wait, slice by slice: one slice each time the process has looked at what came in, in the order in which they were
// asked for. So lists and contents go out while commits go first, however many of them are asked for.

import type { Soon } from "./outbox.ts";

export class Turns {
  readonly #soon: Soon;
  readonly #waiting: (() => void)[] = [];
  #isScheduled = false;

  constructor(soon: Soon) {
    this.#soon = soon;
  }

  /** Resolves when it is the caller's turn for one slice. */
  next(): Promise<void> {
    const turn = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#schedule();
    return turn;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    this.#soon(() => {
      this.#isScheduled = false;
      this.#waiting.shift()?.();
      this.#schedule();
    });
  }
}
