// Whole numbers in a text that people or models write: `30909`, `30,909`, `-5`; a fraction makes another number of it.

export interface FoundNumber {
  readonly value: number;
  /** Where it begins and ends in the text. */
  readonly at: number;
  readonly end: number;
}

const separators = ",_'\u2019\u00a0\u2009\u202f";
/** An underscore before it may be Markdown's; one that joins it to a word makes it part of a name. */
const written = new RegExp(
  `(?<![A-Za-z0-9.])(?<![A-Za-z0-9]_)(?:\\d{1,3}(?:[${separators}]\\d{3})+|\\d+)(?:\\.\\d+)?(?!\\d)`,
  "g",
);
const separator = new RegExp(`[${separators}]`, "g");

export function numbersIn(text: string): readonly FoundNumber[] {
  return [...text.matchAll(written)].map((found) => {
    const value = Number(found[0].replace(separator, ""));
    const negative = /(?:^|[\s=:(|])[-\u2212]$/.test(text.slice(0, found.index));
    return { value: negative ? -value : value, at: found.index, end: found.index + found[0].length };
  });
}
