// Room for what clients send, of all connections. A large request has its room from its head on, so that it can come to its end; a
// small one takes its own once it is here, out of a part that no large one gets: who announces much and sends nothing is in the way
// of large requests only, and of those not for long.

import { ByteBudget } from "./byte-budget.ts";
import type { SocketLimits } from "./limits.ts";

type RoomLimits = Pick<SocketLimits, "smallFrameBytesMax" | "smallBytesMax" | "requestBytesMax" | "frameBytesMax">;

export class RequestRoom {
  readonly #smallFrameBytesMax: number;
  readonly #small: ByteBudget;
  readonly #large: ByteBudget;

  constructor({ smallFrameBytesMax, smallBytesMax, requestBytesMax, frameBytesMax }: RoomLimits) {
    this.#smallFrameBytesMax = smallFrameBytesMax;
    this.#small = new ByteBudget(Math.max(smallBytesMax, smallFrameBytesMax));
    this.#large = new ByteBudget(Math.max(requestBytesMax, frameBytesMax));
  }

  get taken(): number {
    return this.#small.taken + this.#large.taken;
  }

  /** Somebody waits for room that unfinished requests hold. */
  get isWanted(): boolean {
    return this.#large.isWanted;
  }

  isSmall(bytes: number): boolean {
    return bytes <= this.#smallFrameBytesMax;
  }

  /** Asked when a body is announced; null where it may come at once, else resolves when it may. */
  announced(bytes: number): Promise<void> | null {
    return this.isSmall(bytes) ? null : this.#large.take(bytes);
  }

  /** Asked when a body is here; null where it may be worked on at once, else resolves when it may. */
  arrived(bytes: number): Promise<void> | null {
    return this.isSmall(bytes) ? this.#small.take(bytes) : null;
  }

  /** After `arrived`, or after `announced` for a large one that never came. */
  give(bytes: number): void {
    (this.isSmall(bytes) ? this.#small : this.#large).give(bytes);
  }
}
