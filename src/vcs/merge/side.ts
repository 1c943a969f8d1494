// What each step of the diff works on.

/** One sequence under comparison: its items' numbers and, per item, 1 where it has no partner in the other sequence. */
export interface Side {
  readonly items: Int32Array;
  readonly changed: Uint8Array;
}
