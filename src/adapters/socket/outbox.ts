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
  /** Told when what is in the queue has left, or never will. */
  #told: (() => void)[] = [];
  #sendingSinceMs: number | null = null;
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

  /** How long the other side has taken nothing of what it is being sent. */
  get stuckMs(): number {
    return this.#sendingSinceMs === null ? 0 : this.#options.clock.monotonicMs() - this.#sendingSinceMs;
  }

  /** `left` is called once, when the frame has been taken or is dropped. */
  push(frame: Buffer, left?: () => void): void {
    if (this.#isClosed) return left?.();
    if (left !== undefined) this.#told.push(left);
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
    for (const left of this.#told.splice(0)) left();
  }

  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    const { connection, clock, stallMsMax, unsentBytesMax, onStall } = this.#options;
    while (this.#queue.length > 0 && !this.#isClosed) {
      const [first] = this.#queue;
      const bytes = first !== undefined && this.#queue.length === 1 ? first : Buffer.concat(this.#queue);
      this.#queue = [];
      const told = this.#told;
      if (told.length > 0) this.#told = [];
      this.#sendingSinceMs = clock.monotonicMs();
      const patience = clock.after(stallMsMax, () => onStall(`nothing was taken for ${stallMsMax / 1_000} s`));
      const isSent = await connection.send(bytes);
      patience.cancel();
      this.#sendingSinceMs = null;
      for (const left of told) left();
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
