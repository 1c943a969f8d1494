// What one side still has to send: gathered into one write for all that is answered together, and counted, so that whoever
// produces more can wait for a slow reader.

import type { Clock } from "../../host/clock.ts";
import type { Connection } from "../../host/net.ts";

/** Runs `act` after what is under way: answers that come together then leave together. */
export type Soon = (act: () => void) => void;

export interface OutboxOptions {
  readonly connection: Connection;
  readonly soon: Soon;
  readonly clock: Clock;
  readonly unsentBytesMax: number;
  readonly stallMsMax: number;
  /** The other side has taken nothing for `stallMsMax`. */
  onStall(reason: string): void;
}

export class Outbox {
  readonly #options: OutboxOptions;
  #queue: Buffer[] = [];
  #unsentBytes = 0;
  #isScheduled = false;
  #isSending = false;
  #isClosed = false;
  readonly #waiting: (() => void)[] = [];

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  get unsentBytes(): number {
    return this.#unsentBytes;
  }

  push(frame: Buffer): void {
    if (this.#isClosed) return;
    this.#queue.push(frame);
    this.#unsentBytes += frame.length;
    if (this.#isScheduled || this.#isSending) return;
    this.#isScheduled = true;
    this.#options.soon(() => {
      this.#isScheduled = false;
      void this.#send();
    });
  }

  /** Null while there is room; else resolves when the other side has taken enough, or is gone. */
  room(): Promise<void> | null {
    if (this.#isClosed || this.#unsentBytes < this.#options.unsentBytesMax) return null;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Nothing more is taken; what waits is dropped. */
  close(): void {
    this.#isClosed = true;
    this.#queue = [];
    this.#unsentBytes = 0;
    this.#wake();
  }

  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    const { connection, clock, stallMsMax, unsentBytesMax, onStall } = this.#options;
    while (this.#queue.length > 0 && !this.#isClosed) {
      const [only, ...others] = this.#queue;
      const bytes = only !== undefined && others.length === 0 ? only : Buffer.concat(this.#queue);
      this.#queue = [];
      const patience = clock.after(stallMsMax, () => onStall(`nothing was taken for ${stallMsMax / 1_000} s`));
      const isSent = await connection.send(bytes);
      patience.cancel();
      // A connection that is gone is told by the end of its bytes, which may still hold the other side's reason.
      if (this.#isClosed || !isSent) break;
      this.#unsentBytes -= bytes.length;
      if (this.#unsentBytes < unsentBytesMax) this.#wake();
    }
    this.#isSending = false;
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
