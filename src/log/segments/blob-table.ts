// Where the blobs of one id width are in the segments: a row a blob in typed arrays, about 40 bytes each.
// Rows are in the order in which the blobs became durable; a removed one stays as a hole until the store is opened again.

import { HexColumn, U32Column } from "../../base/columns.ts";
import type { BlobId } from "../../base/ids.ts";
import { asBlobId } from "../../base/ids.ts";
import { RowIndex } from "../../base/row-index.ts";

/** No segment has this number. */
const removed = 0xffff_ffff;

export interface StoredPlace {
  /** Number of the segment. */
  readonly segment: number;
  /** In a plain segment of the file, in a sealed one of its blobs before compression. */
  readonly offset: number;
  readonly length: number;
}

export class BlobTable {
  readonly #ids: HexColumn;
  readonly #segments = new U32Column();
  readonly #offsets = new U32Column();
  readonly #lengths = new U32Column();
  readonly #index: RowIndex;
  #live = 0;
  #liveBytes = 0;

  constructor(idBytes: number) {
    this.#ids = new HexColumn(idBytes);
    this.#index = new RowIndex((row) => this.#ids.head(row));
  }

  get rows(): number {
    return this.#ids.length;
  }

  /** Blobs that are there. */
  get live(): number {
    return this.#live;
  }

  get liveBytes(): number {
    return this.#liveBytes;
  }

  has(id: BlobId): boolean {
    const row = this.#find(id);
    return row !== -1 && this.#segments.get(row) !== removed;
  }

  get(id: BlobId): StoredPlace | null {
    const row = this.#find(id);
    if (row === -1 || this.#segments.get(row) === removed) return null;
    return { segment: this.#segments.get(row), offset: this.#offsets.get(row), length: this.#lengths.get(row) };
  }

  /** A blob that is there already keeps its place. */
  add(id: BlobId, place: StoredPlace): void {
    const row = this.#find(id);
    if (row !== -1 && this.#segments.get(row) !== removed) return;
    this.#ids.push(id);
    this.#segments.push(place.segment);
    this.#offsets.push(place.offset);
    this.#lengths.push(place.length);
    this.#live += 1;
    this.#liveBytes += place.length;
    const own = this.#ids.length - 1;
    const hash = this.#ids.head(own);
    if (row === -1) this.#index.add(hash, own);
    else this.#index.replace(hash, row, own);
  }

  /** The blob has moved inside its segment; one that is somewhere else stays there. */
  move(id: BlobId, segment: number, offset: number): void {
    const row = this.#find(id);
    if (row !== -1 && this.#segments.get(row) === segment) this.#offsets.set(row, offset);
  }

  /** Takes out every blob of which `keep` says no. */
  retain(keep: (id: BlobId, segment: number) => boolean): void {
    for (let row = 0; row < this.rows; row += 1) {
      const segment = this.#segments.get(row);
      if (segment === removed || keep(asBlobId(this.#ids.get(row)), segment)) continue;
      this.#segments.set(row, removed);
      this.#live -= 1;
      this.#liveBytes -= this.#lengths.get(row);
    }
  }

  /** The ids and places of one segment's blobs, in the order in which they were written. */
  *ofSegment(segment: number): Generator<StoredPlace & { readonly id: BlobId }> {
    for (let row = 0; row < this.rows; row += 1) {
      if (this.#segments.get(row) !== segment) continue;
      const [offset, length] = [this.#offsets.get(row), this.#lengths.get(row)];
      yield { id: asBlobId(this.#ids.get(row)), segment, offset, length };
    }
  }

  /** The first `rows` as parts of bytes: four for each page, ids, segments, offsets and lengths in turn. */
  *parts(rows: number): Generator<Uint8Array> {
    const columns = [this.#ids, this.#segments, this.#offsets, this.#lengths].map((column) =>
      column.parts(rows)[Symbol.iterator](),
    );
    for (;;) {
      for (const column of columns) {
        const next = column.next();
        if (next.done === true) return;
        yield next.value;
      }
    }
  }

  /** Makes room for so many rows at once. */
  reserve(rows: number): void {
    this.#index.reserve(rows);
  }

  /** Takes back what `parts` gave, with holes for the rows of which `keep` says no; false where the parts do not fit. */
  pushParts(parts: readonly Uint8Array[], keep: (segment: number) => boolean): boolean {
    const [ids, segments, offsets, lengths] = parts;
    if (ids === undefined || segments === undefined || offsets === undefined || lengths === undefined) return false;
    const first = this.rows;
    if (!this.#ids.pushPart(ids) || !this.#segments.pushPart(segments)) return false;
    if (!this.#offsets.pushPart(offsets) || !this.#lengths.pushPart(lengths)) return false;
    const columns = [this.#segments, this.#offsets, this.#lengths];
    if (columns.some(({ length }) => length !== this.rows)) return false;
    for (let row = first; row < this.rows; row += 1) {
      const segment = this.#segments.get(row);
      if (segment === removed) continue;
      if (!keep(segment)) {
        this.#segments.set(row, removed);
        continue;
      }
      this.#live += 1;
      this.#liveBytes += this.#lengths.get(row);
      this.#index.add(this.#ids.head(row), row);
    }
    return true;
  }

  #find(id: BlobId): number {
    const hash = headOf(id);
    if (hash === null) return -1;
    // Without a closure: this is asked several times for each blob that is stored.
    for (let slot = this.#index.slotOf(hash); ; slot = this.#index.slotAfter(slot)) {
      const row = this.#index.rowIn(slot);
      if (row === -1 || this.#ids.isHex(row, id)) return row;
    }
  }
}

/** The first four bytes of an id, little-endian; null where they are not written as an id's are. */
function headOf(id: BlobId): number | null {
  let head = 0;
  for (let at = 0; at < 8; at += 1) {
    const unit = id.charCodeAt(at);
    const digit = unit >= 48 && unit <= 57 ? unit - 48 : unit >= 97 && unit <= 102 ? unit - 87 : -1;
    if (digit === -1) return null;
    // Of the two digits of a byte the first is the higher; the first byte is the lowest.
    head |= digit << (at * 4 + (at % 2 === 0 ? 4 : -4));
  }
  return head >>> 0;
}
