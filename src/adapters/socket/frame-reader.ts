// Cuts a byte stream into frames. Whoever reads decides about each frame when its head is known, before its body is kept:
// `take` it or `skip` it. Only a body that came in several pieces is copied, once.

import { assert } from "../../base/assert.ts";
import { type Frame, type FrameHead, frameHeaderBytes } from "./frame.ts";

export type ReadStep =
  /** All that was pushed is used up. */
  | { readonly kind: "more" }
  /** A frame begins: decide with `take` or `skip`. */
  | { readonly kind: "head"; readonly head: FrameHead }
  | { readonly kind: "frame"; readonly frame: Frame };

type State =
  | { readonly kind: "between" }
  | { readonly kind: "undecided"; readonly head: FrameHead }
  | { readonly kind: "taking"; readonly head: FrameHead }
  | { readonly kind: "filling"; readonly head: FrameHead; readonly body: Buffer; filled: number }
  | { readonly kind: "skipping"; left: number };

const MORE: ReadStep = { kind: "more" };
const BETWEEN: State = { kind: "between" };

export class FrameReader {
  #chunk: Buffer = Buffer.alloc(0);
  #at = 0;
  #state: State = BETWEEN;
  readonly #head = Buffer.alloc(frameHeaderBytes);
  #headFilled = 0;

  /** A frame has begun and is not all here. */
  get isInside(): boolean {
    return this.#state.kind !== "between" || this.#headFilled > 0;
  }

  /** After `step` has answered `more`. The bytes must not change afterwards. */
  push(chunk: Uint8Array): void {
    assert(this.#at === this.#chunk.length, "the bytes before are used up");
    this.#chunk = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#at = 0;
  }

  step(): ReadStep {
    for (;;) {
      const state = this.#state;
      switch (state.kind) {
        case "between": {
          const head = this.#readHead();
          if (head === null) return MORE;
          this.#state = { kind: "undecided", head };
          return { kind: "head", head };
        }
        case "undecided":
          assert(false, "the frame was taken or skipped");
          break;
        case "taking": {
          const { head } = state;
          if (this.#chunk.length - this.#at >= head.bytes) {
            const body = this.#chunk.subarray(this.#at, this.#at + head.bytes);
            this.#at += head.bytes;
            this.#state = BETWEEN;
            return { kind: "frame", frame: { kind: head.kind, id: head.id, body } };
          }
          this.#state = { kind: "filling", head, body: Buffer.allocUnsafe(head.bytes), filled: 0 };
          break;
        }
        case "filling": {
          const { head, body } = state;
          state.filled += this.#copyInto(body, state.filled);
          if (state.filled < body.length) return MORE;
          this.#state = BETWEEN;
          return { kind: "frame", frame: { kind: head.kind, id: head.id, body } };
        }
        case "skipping": {
          const skipped = Math.min(state.left, this.#chunk.length - this.#at);
          this.#at += skipped;
          state.left -= skipped;
          if (state.left > 0) return MORE;
          this.#state = BETWEEN;
          break;
        }
      }
    }
  }

  take(): void {
    assert(this.#state.kind === "undecided", "a frame begins");
    this.#state = { kind: "taking", head: this.#state.head };
  }

  /** Its body is passed over as it comes. */
  skip(): void {
    assert(this.#state.kind === "undecided", "a frame begins");
    this.#state = { kind: "skipping", left: this.#state.head.bytes };
  }

  #readHead(): FrameHead | null {
    if (this.#headFilled === 0 && this.#chunk.length - this.#at >= frameHeaderBytes) {
      const at = this.#at;
      this.#at += frameHeaderBytes;
      return headAt(this.#chunk, at);
    }
    this.#headFilled += this.#copyInto(this.#head, this.#headFilled);
    if (this.#headFilled < frameHeaderBytes) return null;
    this.#headFilled = 0;
    return headAt(this.#head, 0);
  }

  #copyInto(target: Buffer, from: number): number {
    const copied = this.#chunk.copy(target, from, this.#at);
    this.#at += copied;
    return copied;
  }
}

function headAt(bytes: Buffer, at: number): FrameHead {
  return { bytes: bytes.readUInt32LE(at), kind: bytes.readUInt8(at + 4), id: bytes.readUInt32LE(at + 5) };
}
