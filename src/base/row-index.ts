// Finds rows by a hash of them: open addressing over row numbers, some six to eleven bytes a row and no objects.
// It knows no keys: whoever asks compares the rows it is given, so that equal hashes are only slow, never wrong.

/** Full beyond this share, the table doubles. */
const fullShareMax = 0.7;
const slotsMin = 64;
/** Knuth's multiplicative hashing (The Art of Computer Programming, 6.4): 2³² over the golden ratio. */
const spread = 0x9e3779b1;

export class RowIndex {
  readonly #hashOf: (row: number) => number;
  /** Row + 1; 0 is free. */
  #slots = new Uint32Array(slotsMin);
  #shift = 32 - Math.log2(slotsMin);
  #count = 0;

  /** `hashOf`: 32 bits of a row that is in the index. */
  constructor(hashOf: (row: number) => number) {
    this.#hashOf = hashOf;
  }

  /** The first row with this hash that `isIt`; -1 if there is none. */
  find(hash: number, isIt: (row: number) => boolean): number {
    for (let slot = this.slotOf(hash); ; slot = this.slotAfter(slot)) {
      const row = this.rowIn(slot);
      if (row === -1 || isIt(row)) return row;
    }
  }

  /** Where rows with this hash begin; they go on in the slots after it, among others, up to a free one. */
  slotOf(hash: number): number {
    return this.#start(hash);
  }

  slotAfter(slot: number): number {
    return (slot + 1) & (this.#slots.length - 1);
  }

  /** -1 if it is free. */
  rowIn(slot: number): number {
    return this.#slots[slot]! - 1;
  }

  /** Makes room at once for so many rows. */
  reserve(rows: number): void {
    let slots = this.#slots.length;
    while (rows > slots * fullShareMax) slots *= 2;
    if (slots !== this.#slots.length) this.#resize(slots);
  }

  add(hash: number, row: number): void {
    this.reserve(this.#count + 1);
    this.#put(hash, row);
    this.#count += 1;
  }

  /** Puts `row` where `old`, of the same hash, stands. */
  replace(hash: number, old: number, row: number): void {
    const mask = this.#slots.length - 1;
    let at = this.#start(hash);
    while (this.#slots[at] !== old + 1) at = (at + 1) & mask;
    this.#slots[at] = row + 1;
  }

  #start(hash: number): number {
    return Math.imul(hash, spread) >>> this.#shift;
  }

  #put(hash: number, row: number): void {
    const mask = this.#slots.length - 1;
    let at = this.#start(hash);
    while (this.#slots[at] !== 0) at = (at + 1) & mask;
    this.#slots[at] = row + 1;
  }

  #resize(slots: number): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(slots);
    this.#shift = 32 - Math.log2(slots);
    for (const slot of old) if (slot !== 0) this.#put(this.#hashOf(slot - 1), slot - 1);
  }
}
