// Bytes that all connections together may hold. Who asks for more than is left waits its turn, in order: nobody starves.

import { assert } from "../../base/assert.ts";

interface Waiting {
  readonly bytes: number;
  resolve(): void;
}

export class ByteBudget {
  readonly bytesMax: number;
  #taken = 0;
  readonly #waiting: Waiting[] = [];

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Somebody waits. */
  get isWanted(): boolean {
    return this.#waiting.length > 0;
  }

  /** Null where they were there to take; else resolves when they are taken. Every taking is given back once. */
  take(bytes: number): Promise<void> | null {
    assert(bytes <= this.bytesMax, "what is asked for can be had");
    if (this.#waiting.length === 0 && this.#taken + bytes <= this.bytesMax) {
      this.#taken += bytes;
      return null;
    }
    return new Promise((resolve) => this.#waiting.push({ bytes, resolve }));
  }

  give(bytes: number): void {
    this.#taken -= bytes;
    assert(this.#taken >= 0, "what is given back was taken");
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#taken + next.bytes > this.bytesMax) return;
      this.#waiting.shift();
      this.#taken += next.bytes;
      next.resolve();
    }
  }
}
