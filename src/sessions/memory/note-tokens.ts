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

/** In the order in which they come first. */
export class TokenLists {
  readonly #lists = new Map<ByteText, number[]>();
  /** Whose numbers do not rise. */
  readonly #mixed = new Set<number[]>();

  add(searched: ByteText, note: number): void {
    // To part at a character takes a fraction of what a pattern does.
    for (const piece of searched.replace(OTHER_WHITE, " ").split(" ")) if (piece !== "") this.addPiece(piece, note);
  }

  addPiece(piece: ByteText, note: number): void {
    const list = this.#lists.get(piece);
    const last = list?.at(-1);
    if (list === undefined || last === undefined) this.#lists.set(piece, [note]);
    else if (last !== note) {
      list.push(note);
      if (last > note) this.#mixed.add(list);
    }
  }

  table(): TokenTable & { readonly lists: Buffer } {
    const [pieceEnds, listEnds]: [number[], number[]] = [[], []];
    const lists: Buffer[] = [];
    let [pieceEnd, listEnd] = [0, 0];
    for (const [piece, notes] of this.#lists) {
      if (this.#mixed.has(notes)) notes.sort((a, b) => a - b);
      const list = listBytes(notes);
      lists.push(list);
      pieceEnds.push((pieceEnd += piece.length + 1));
      listEnds.push((listEnd += list.length));
    }
    const pieces = Buffer.from([...this.#lists.keys(), ""].join("\n"), "latin1");
    return { pieces, pieceEnds, listEnds, lists: Buffer.concat(lists) };
  }
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
function listBytes(notes: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(notes.length * numberBytesMax);
  let [before, end] = [-1, 0];
  for (const note of notes) {
    // One that was added in another order may be there twice.
    if (note === before) continue;
    let rest = note - before;
    before = note;
    for (; rest > 0x7f; rest >>>= 7) {
      bytes[end] = (rest & 0x7f) | 0x80;
      end += 1;
    }
    bytes[end] = rest;
    end += 1;
  }
  return bytes.subarray(0, end);
}

/** Of 28 bits: of more notes an index would be too large to be read. */
const numberBytesMax = 4;

/** Puts a list's numbers into `notes`, and says how many; null where it is damaged or has a number that `notes` has no room for. */
export function readList(list: Uint8Array, notes: Uint32Array): number | null {
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
