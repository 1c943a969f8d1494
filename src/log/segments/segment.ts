// One segment as the log knows it: where it is, how far its good frames reach, and marks to start reading near a position.

import type { Cursor } from "./walk.ts";

/** Reading from a position skips at most this much of a segment. */
export const markBytesStep = 1024 * 1024;

export class Segment {
  readonly path: string;
  readonly number: number;
  /** Seeds the checksums of its frames. */
  readonly seed: number;
  readonly #marks: Cursor[];
  #end: Cursor;

  /** `start`: the place of the first frame, right after the file's header. */
  constructor(path: string, number: number, seed: number, start: Cursor) {
    this.path = path;
    this.number = number;
    this.seed = seed;
    this.#marks = [start];
    this.#end = start;
  }

  get start(): Cursor {
    return this.#marks[0] ?? this.#end;
  }

  /** The place after the last durable frame. */
  get end(): Cursor {
    return this.#end;
  }

  get isEmpty(): boolean {
    return this.#end.offset === this.start.offset;
  }

  advance(next: Cursor): void {
    this.#end = next;
    const last = this.#marks.at(-1);
    if (last !== undefined && next.offset - last.offset >= markBytesStep) this.#marks.push(next);
  }

  /** The last mark at or before the record at `position`. */
  markBefore(position: number): Cursor {
    return this.#marks.findLast((mark) => mark.position <= position) ?? this.start;
  }
}
