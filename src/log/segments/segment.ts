// One segment as the log knows it: where it is, how far its good frames reach, and marks to start reading near a position.

import { assert } from "../../base/assert.ts";
import type { Cursor } from "./walk.ts";

/** Reading from a position skips at most this much of a segment. */
export const markBytesStep = 1024 * 1024;

export type SegmentForm =
  /** As it was written: records and blobs in one file. */
  | { readonly kind: "plain" }
  /** Records in one file, compressed blobs in another, which gc replaces by its next edition. */
  | { readonly kind: "sealed"; readonly edition: number; readonly blobsPath: string };

/** Where frames begin: the first right after the file's header, then one about every `markBytesStep`, then the end. */
export interface SegmentExtent {
  readonly marks: readonly Cursor[];
  readonly end: Cursor;
}

export class Segment {
  readonly number: number;
  /** Seeds the checksums of its frames. */
  readonly seed: number;
  #path: string;
  #form: SegmentForm = { kind: "plain" };
  #marks: Cursor[];
  #end: Cursor;

  /** `start`: the place of the first frame, right after the file's header. */
  constructor(path: string, number: number, seed: number, start: Cursor) {
    this.number = number;
    this.seed = seed;
    this.#path = path;
    this.#marks = [start];
    this.#end = start;
  }

  /** The file that has the records. */
  get path(): string {
    return this.#path;
  }

  get form(): SegmentForm {
    return this.#form;
  }

  /** 0 while plain; changes whenever its blobs move. */
  get edition(): number {
    return this.#form.kind === "plain" ? 0 : this.#form.edition;
  }

  get start(): Cursor {
    return this.#marks[0] ?? this.#end;
  }

  /** The place after the last durable frame. */
  get end(): Cursor {
    return this.#end;
  }

  get extent(): SegmentExtent {
    return { marks: this.#marks, end: this.#end };
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
    let [from, to] = [0, this.#marks.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.#marks[middle]!.position <= position) from = middle + 1;
      else to = middle;
    }
    // A frame without records has the position of the next: from the first of such a row nothing is missed.
    while (from > 1 && this.#marks[from - 1]!.position === position) from -= 1;
    return this.#marks[from - 1] ?? this.start;
  }

  /** It is now in other files, with the same frames at other places. */
  become(path: string, form: SegmentForm, { marks, end }: SegmentExtent): void {
    assert(end.position >= this.#end.position, "no record is lost when a segment moves");
    this.#path = path;
    this.#form = form;
    this.#marks = [...marks];
    this.#end = end;
  }
}
