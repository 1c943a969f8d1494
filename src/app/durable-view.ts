// What is shown of a run while it goes on. Invariant: never ahead of the disk. The folds have seen what is still being written; a
// task that is shown as done is done, whatever happens next.

import type { Ledger } from "../log/ledger.ts";

export interface DurableViewOptions<View> {
  readonly ledger: Pick<Ledger, "end" | "durable" | "stopped" | "flushed">;
  /** As the folds are now. */
  readonly look: () => View;
  /** Something has changed; the view is made when it is asked for. */
  readonly show: (view: () => View) => void;
}

export class DurableView<View> {
  readonly #options: DurableViewOptions<View>;
  /** Of the newest moment that is known to be on the disk. */
  #shown: View;
  #waiting: Promise<void> | null = null;
  #again = false;

  /** At a moment when all that was accepted is durable. */
  constructor(options: DurableViewOptions<View>) {
    this.#options = options;
    this.#shown = options.look();
  }

  changed(): void {
    if (this.#options.ledger.stopped !== null) return;
    if (this.#waiting !== null) this.#again = true;
    else if (this.#isAtRest()) this.#options.show(() => this.#view());
    else this.#waiting = this.#follow();
  }

  /** Until all that became durable has been shown. */
  async settled(): Promise<void> {
    await this.#waiting;
  }

  /** One look for each flush at the most, however much happens meanwhile. */
  async #follow(): Promise<void> {
    const { ledger, look, show } = this.#options;
    do {
      this.#again = false;
      const seen = look();
      const flushed = await ledger.flushed();
      if (!flushed.ok) break;
      this.#shown = seen;
      show(() => this.#view());
    } while (this.#again);
    this.#waiting = null;
  }

  /** Times go on while nothing is being written. */
  #view(): View {
    return this.#isAtRest() ? this.#options.look() : this.#shown;
  }

  #isAtRest(): boolean {
    const { ledger } = this.#options;
    return ledger.stopped === null && ledger.end === ledger.durable;
  }
}
