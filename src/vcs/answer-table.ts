// Which records answered which idempotency keys: 64 bits of each key and the position, some 30 bytes a key, for every key
// the store ever saw. Two keys may share their bits: the record itself, which has the whole key, decides.

import { F64Column, U32Column } from "../base/columns.ts";
import { asPosition, type CommitKey, type Position } from "../base/ids.ts";
import { RowIndex } from "../base/row-index.ts";

export class AnswerTable {
  readonly #low = new U32Column();
  readonly #high = new U32Column();
  readonly #positions = new F64Column();
  readonly #index = new RowIndex((row) => this.#low.get(row));

  get length(): number {
    return this.#positions.length;
  }

  /** The outcome's position: its record is the one before. */
  add(key: CommitKey, position: Position): void {
    const [low, high] = hashOf(key);
    this.#low.push(low);
    this.#high.push(high);
    this.#positions.push(position);
    this.#index.add(low, this.length - 1);
  }

  /** Positions of the outcomes that may have answered the key; nearly always none or one. */
  candidates(key: CommitKey): readonly Position[] {
    const [low, high] = hashOf(key);
    let found: Position[] = NONE;
    this.#index.find(low, (row) => {
      if (this.#low.get(row) === low && this.#high.get(row) === high) {
        found = [...found, asPosition(this.#positions.get(row))];
      }
      return false;
    });
    return found;
  }

  *parts(answers: number): Generator<Uint8Array> {
    yield* this.#low.parts(answers);
    yield* this.#high.parts(answers);
    yield* this.#positions.parts(answers);
  }

  async load(answers: number, next: () => Promise<Uint8Array | null>): Promise<boolean> {
    for (const column of [this.#low, this.#high, this.#positions]) {
      while (column.length < answers) {
        const part = await next();
        if (part === null || !column.pushPart(part)) return false;
      }
      if (column.length !== answers) return false;
    }
    this.#index.reserve(answers);
    for (let row = 0; row < answers; row += 1) this.#index.add(this.#low.get(row), row);
    return true;
  }
}

const NONE: Position[] = [];

/**
 * Two 32-bit hashes of the key's UTF-16 units: FNV-1a (draft-eastlake-fnv) from two starts, the second over the units
 * with their order mixed in.
 */
function hashOf(key: CommitKey): readonly [low: number, high: number] {
  let low = 0x811c9dc5;
  let high = 0x2f0b4c47;
  for (let at = 0; at < key.length; at += 1) {
    const unit = key.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ (unit + at), 0x85ebca6b);
    high ^= high >>> 13;
  }
  return [(low ^ (low >>> 15)) >>> 0, high >>> 0];
}
