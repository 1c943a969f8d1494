// Whether a side's new order of words is still there: what it swapped or moved must not be back where it was.

import { tokenKind } from "./tokens.ts";

export interface Sequences {
  readonly base: readonly string[];
  readonly side: readonly string[];
  readonly other: readonly string[];
  readonly answer: readonly string[];
}

/**
 * Null unless the side put tokens of the base in an order that the base did not have, and the answer has none of these
 * orders. Then one of the pairs, first to last. Only pairs count that the other side left in place; tokens that a side
 * added are not looked at, since a list may be combined in any order.
 */
export function lostOrder({ base, side, other, answer }: Sequences): readonly [string, string] | null {
  const [b, s, o, a] = [base, side, other, answer].map(orderOf) as [Order, Order, Order, Order];
  const still = s.tokens.filter(
    (token) => count(s, token) <= count(b, token) && count(o, token) >= count(b, token) && count(b, token) > 0,
  );
  const moved: (readonly [string, string])[] = [];
  for (const [index, token] of still.entries()) {
    const before = still[index - 1];
    if (before !== undefined && before !== token && !stands(b, before, token)) moved.push([before, token]);
  }
  const [first] = moved;
  return first === undefined || moved.some(([x, y]) => stands(a, x, y)) ? null : first;
}

interface Order {
  readonly tokens: readonly string[];
  readonly first: ReadonlyMap<string, number>;
  readonly last: ReadonlyMap<string, number>;
  readonly counts: ReadonlyMap<string, number>;
}

function orderOf(all: readonly string[]): Order {
  const tokens = all.filter((token) => tokenKind(token) === "word" || tokenKind(token) === "operator");
  const first = new Map<string, number>();
  const last = new Map<string, number>();
  const counts = new Map<string, number>();
  for (const [index, token] of tokens.entries()) {
    if (!first.has(token)) first.set(token, index);
    last.set(token, index);
    counts.set(token, (counts.get(token) ?? 0) + 1);
  }
  return { tokens, first, last, counts };
}

/** True if some `x` stands somewhere before some `y`. */
function stands({ first, last }: Order, x: string, y: string): boolean {
  return (first.get(x) ?? Number.POSITIVE_INFINITY) < (last.get(y) ?? -1);
}

function count({ counts }: Order, token: string): number {
  return counts.get(token) ?? 0;
}
