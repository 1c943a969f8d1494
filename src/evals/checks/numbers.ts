// Whole numbers in a text that people or models write: `30909`, `30,909`, `-5`; a fraction makes another number of it.

export interface FoundNumber {
  readonly value: number;
  /** Where it begins and ends in the text. */
  readonly at: number;
  readonly end: number;
}

const written = /(?<![\w.])(?:\d{1,3}(?:[,_'\u00a0\u202f]\d{3})+|\d+)(?:\.\d+)?(?!\d)/g;

export function numbersIn(text: string): readonly FoundNumber[] {
  return [...text.matchAll(written)].map((found) => {
    const value = Number(found[0].replace(/[,_'\u00a0\u202f]/g, ""));
    const negative = /(?:^|[\s=:(|])[-\u2212]$/.test(text.slice(0, found.index));
    return { value: negative ? -value : value, at: found.index, end: found.index + found[0].length };
  });
}
