// Whether a run of characters looks drawn by lot, as keys are, or made of words and numbers, as names and paths are: how often capitals, small
// letters and digits change. Where every character is drawn from 62, two neighbours are of different kinds 62 times in a hundred.

import { isDigit, isLower, isUpper } from "./scan.ts";

const separators = /[-_/.=+~:]/;

/** Of two neighbours, how many are of different kinds: 0 to 1. */
export function changeRate(run: string): number {
  let changes = 0;
  for (let at = 1; at < run.length; at++) if (kindAt(run, at) !== kindAt(run, at - 1)) changes += 1;
  return run.length < 2 ? 0 : changes / (run.length - 1);
}

/** A small and a capital letter and a digit, or at least two of the three. */
export function kindsIn(run: string): number {
  return [/[a-z]/, /[A-Z]/, /\d/].filter((kind) => kind.test(run)).length;
}

export function digitsIn(run: string): number {
  let digits = 0;
  for (let at = 0; at < run.length; at++) if (isDigit(run.charCodeAt(at))) digits += 1;
  return digits;
}

/** Made of words, camelCase, dates and numbers only, with separators between them. */
export function isNameLike(run: string): boolean {
  return run.split(separators).every(isWordLike);
}

const numberCharsMax = 8;
const changesOfWord = 1 / 3;

function isWordLike(part: string): boolean {
  if (/^\d*$/.test(part)) return part.length <= numberCharsMax;
  const [, letters = "", digits = "", rest = ""] = /^([A-Za-z]*)(\d*)(.*)$/s.exec(part) ?? [];
  if (rest !== "" || digits.length > numberCharsMax) return false;
  return letters.length < 4 || changeRate(letters) <= changesOfWord;
}

function kindAt(run: string, at: number): number {
  const code = run.charCodeAt(at);
  if (isLower(code)) return 0;
  if (isUpper(code)) return 1;
  return isDigit(code) ? 2 : 3;
}
