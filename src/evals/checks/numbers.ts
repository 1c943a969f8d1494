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
    const negative = /(?:^|[\s=:(|[{*_`"'])[-\u2212]$/.test(text.slice(0, found.index));
    return { value: negative ? -value : value, at: found.index, end: found.index + found[0].length };
  });
}

/** U+FF01 to U+FF5E are ASCII's characters, as wide as ideographs. */
const fullWidth = /[\uff01-\uff5e]/g;
const fullWidthOffset = 0xff01 - 0x21;
/** Byte order marks, and what separates or directs without a width. */
const unseen = /[\ufeff\u200b-\u200f\u2060\u202a-\u202e]/g;

/** What a reader takes for the same: full-width characters as ASCII's, and nothing that is not seen. */
export function plainCharacters(text: string): string {
  return text
    .replace(unseen, "")
    .replace(fullWidth, (wide) => String.fromCharCode(wide.charCodeAt(0) - fullWidthOffset));
}

/** Digits in groups of three with plain spaces between them are one number only where it is known: they could be several. */
export function joinedGroups(text: string, known: ReadonlySet<number>): string {
  return text.replace(/(?<![\d.,])\d{1,3}(?: \d{3})+(?![\d.,]*\d)/g, (groups) => {
    const joined = groups.replaceAll(" ", "");
    return known.has(Number(joined)) ? joined : groups;
  });
}
