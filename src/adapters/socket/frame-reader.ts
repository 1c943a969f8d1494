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

/** `undecided`: a frame has begun; `filling`: its body comes in several pieces. */
type State = "between" | "undecided" | "taking" | "filling" | "skipping";

const MORE: ReadStep = { kind: "more" };
const NOTHING = Buffer.alloc(0);

export class FrameReader {
  #chunk: Buffer = NOTHING;
  #at = 0;
  #state: State = "between";
  /** Of the frame that has begun. */
  #begun: FrameHead = { bytes: 0, kind: 0, id: 0 };
  /** What a frame in pieces is put together in. */
  #body: Buffer = NOTHING;
  #filled = 0;
  /** Of a frame that is passed over. */
  #left = 0;
  readonly #head = Buffer.alloc(frameHeaderBytes);
  #headFilled = 0;

  /** A frame has begun and is not all here. */
  get isInside(): boolean {
    return this.#state !== "between" || this.#headFilled > 0;
  }

  /** After `step` has answered `more`. The bytes must not change afterwards. */
  push(chunk: Uint8Array): void {
    assert(this.#at === this.#chunk.length, "the bytes before are used up");
    this.#chunk = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#at = 0;
  }

  step(): ReadStep {
    for (;;) {
      switch (this.#state) {
        case "between": {
          const head = this.#readHead();
          if (head === null) return MORE;
          this.#begun = head;
          this.#state = "undecided";
          return { kind: "head", head };
        }
        case "undecided":
          assert(false, "the frame was taken or skipped");
          break;
        case "taking": {
          const { bytes } = this.#begun;
          if (this.#chunk.length - this.#at >= bytes) {
            this.#at += bytes;
            return this.#whole(this.#chunk.subarray(this.#at - bytes, this.#at));
          }
          this.#body = Buffer.allocUnsafe(bytes);
          this.#filled = 0;
          this.#state = "filling";
          break;
        }
        case "filling": {
          this.#filled += this.#copyInto(this.#body, this.#filled);
          if (this.#filled < this.#body.length) return MORE;
          const body = this.#body;
          this.#body = NOTHING;
          return this.#whole(body);
        }
        case "skipping": {
          const skipped = Math.min(this.#left, this.#chunk.length - this.#at);
          this.#at += skipped;
          this.#left -= skipped;
          if (this.#left > 0) return MORE;
          this.#state = "between";
          break;
        }
      }
    }
  }

  take(): void {
    assert(this.#state === "undecided", "a frame begins");
    this.#state = "taking";
  }

  /** Its body is passed over as it comes. */
  skip(): void {
    assert(this.#state === "undecided", "a frame begins");
    this.#state = "skipping";
    this.#left = this.#begun.bytes;
  }

  #whole(body: Buffer): ReadStep {
    this.#state = "between";
    return { kind: "frame", frame: { kind: this.#begun.kind, id: this.#begun.id, body } };
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
