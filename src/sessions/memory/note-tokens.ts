// Which notes hold a word, without their text: each piece of text between white space is kept once, with the list of the notes that have it.
// A word has no white space, so a note holds it where one of its pieces does. Invariant: a list of which a part was lost is never taken for whole.

import type { ByteText } from "./note-row.ts";
import { firstAbove } from "./packed-columns.ts";

/** Pieces one after the other, each with a newline behind it, and for each its notes. */
export interface TokenTable {
  readonly pieces: Buffer;
  /** Where each piece ends in `pieces`, and its list in `lists`. */
  readonly pieceEnds: ArrayLike<number>;
  readonly listEnds: ArrayLike<number>;
}

/** Only ASCII's: in UTF-8 as bytes other white space cannot be told from parts of letters, and a longer piece finds the same notes. */
const OTHER_WHITE = /[\t-\r]/g;

export interface FullTable extends TokenTable {
  readonly lists: Buffer;
}

/** What an index has, and which number each of its notes has from now on: rising, or -1 for one that is no more. */
export interface FormerTable extends FullTable {
  readonly numberOf: Int32Array;
}

/** Of some notes, added in the order of their numbers. */
export class TokenLists {
  readonly #lists = new Map<ByteText, number[]>();

  add(searched: ByteText, note: number): void {
    // To part at a character takes a fraction of what a pattern does.
    for (const piece of searched.replace(OTHER_WHITE, " ").split(" ")) if (piece !== "") this.#addPiece(piece, note);
  }

  #addPiece(piece: ByteText, note: number): void {
    const list = this.#lists.get(piece);
    if (list === undefined) this.#lists.set(piece, [note]);
    else if (list.at(-1) !== note) list.push(note);
  }

  /**
   * With what was there before, of which most is taken over as bytes: a text and a list for each piece would cost more than all else. Null where a
   * list of it is damaged.
   */
  table(former: FormerTable | null): FullTable | null {
    const written = new TableWriter(former?.pieces.length ?? 0, former?.lists.length ?? 0);
    const added = new Map(this.#lists);
    if (former !== null && !this.#takeOver(former, added, written)) return null;
    for (const [piece, notes] of added) written.add(piece, notes, notes.length);
    return written.table();
  }

  /** What is taken over goes out of `added`. */
  #takeOver(
    { pieces, pieceEnds, lists, listEnds, numberOf }: FormerTable,
    added: Map<ByteText, readonly number[]>,
    written: TableWriter,
  ): boolean {
    const notes = new Uint32Array(numberOf.length);
    for (let piece = 0; piece < pieceEnds.length; piece++) {
      const [from, end] = [pieceEnds[piece - 1] ?? 0, (pieceEnds[piece] ?? 0) - 1];
      const all = readList(lists.subarray(listEnds[piece - 1] ?? 0, listEnds[piece]), notes);
      if (all === null) return false;
      let count = 0;
      for (let at = 0; at < all; at++) {
        const number = numberOf[notes[at] ?? 0] ?? -1;
        if (number < 0) continue;
        notes[count] = number;
        count += 1;
      }
      const text = added.size === 0 ? "" : pieces.toString("latin1", from, end);
      const more = added.get(text);
      if (more !== undefined) {
        added.delete(text);
        const both = new Uint32Array(count + more.length);
        both.set(notes.subarray(0, count));
        both.set(more, count);
        both.sort();
        written.add(pieces.subarray(from, end), both, both.length);
      } else if (count > 0) written.add(pieces.subarray(from, end), notes, count);
    }
    return true;
  }
}

/** Grows as it is written. */
class TableWriter {
  #pieces: Buffer;
  #lists: Buffer;
  #pieceEnd = 0;
  #listEnd = 0;
  readonly #pieceEnds: number[] = [];
  readonly #listEnds: number[] = [];

  constructor(pieceBytes: number, listBytes: number) {
    this.#pieces = Buffer.allocUnsafe(pieceBytes + roomMin);
    this.#lists = Buffer.allocUnsafe(listBytes + (listBytes >> 1) + roomMin);
  }

  /** The first `count` of `notes`, which rise. */
  add(piece: Buffer | ByteText, notes: ArrayLike<number>, count: number): void {
    this.#pieces = withRoom(this.#pieces, this.#pieceEnd, piece.length + 1);
    if (typeof piece === "string") this.#pieces.write(piece, this.#pieceEnd, "latin1");
    else this.#pieces.set(piece, this.#pieceEnd);
    this.#pieceEnd += piece.length + 1;
    this.#pieces[this.#pieceEnd - 1] = newline;
    this.#pieceEnds.push(this.#pieceEnd);
    this.#lists = withRoom(this.#lists, this.#listEnd, count * numberBytesMax);
    this.#listEnd = putList(this.#lists, this.#listEnd, notes, count);
    this.#listEnds.push(this.#listEnd);
  }

  table(): FullTable {
    return {
      pieces: this.#pieces.subarray(0, this.#pieceEnd),
      pieceEnds: this.#pieceEnds,
      lists: this.#lists.subarray(0, this.#listEnd),
      listEnds: this.#listEnds,
    };
  }
}

const newline = 10;
const roomMin = 64 * 1024;

function withRoom(bytes: Buffer, end: number, more: number): Buffer {
  if (end + more <= bytes.length) return bytes;
  const larger = Buffer.allocUnsafe(Math.max(bytes.length * 2, end + more));
  larger.set(bytes.subarray(0, end));
  return larger;
}

/** Numbers of the pieces that hold a word. */
export function piecesHolding({ pieces, pieceEnds }: TokenTable, word: ByteText): readonly number[] {
  const found: number[] = [];
  for (let at = pieces.indexOf(word, 0, "latin1"); at >= 0; ) {
    const piece = firstAbove(pieceEnds, at);
    found.push(piece);
    at = pieces.indexOf(word, pieceEnds[piece] ?? pieces.length, "latin1");
  }
  return found;
}

/** Numbers that rise, each as what it is beyond the one before, seven bits to a byte, the lowest first. No byte is 0, as lost ones are. */
function putList(bytes: Buffer, from: number, notes: ArrayLike<number>, count: number): number {
  let [before, end] = [-1, from];
  for (let at = 0; at < count; at++) {
    const note = notes[at] ?? 0;
    let rest = note - before;
    before = note;
    for (; rest > 0x7f; rest >>>= 7) {
      bytes[end] = (rest & 0x7f) | 0x80;
      end += 1;
    }
    bytes[end] = rest;
    end += 1;
  }
  return end;
}

/** Of 28 bits: of more notes an index would be too large to be read. */
const numberBytesMax = 4;

/** Puts a list's numbers into `notes`, and says how many; null where it is damaged or has a number that `notes` has no room for. */
export function readList(list: Uint8Array, notes: Uint32Array): number | null {
  // Each piece is some note's.
  if (list.length === 0) return null;
  let count = 0;
  let note = -1;
  let [more, shift] = [0, 0];
  for (let at = 0; at < list.length; at++) {
    const byte = list[at] ?? 0;
    if (byte === 0 || shift > 7 * (numberBytesMax - 1)) return null;
    if (byte > 0x7f) {
      more += (byte & 0x7f) << shift;
      shift += 7;
      continue;
    }
    note += more + (byte << shift);
    more = 0;
    shift = 0;
    if (note >= notes.length) return null;
    notes[count] = note;
    count += 1;
  }
  return shift === 0 ? count : null;
}
