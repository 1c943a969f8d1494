// The last gate before a terminal. Whatever a name, a path or a model says, only text, line ends, tabs and the few colours that this
// program itself uses come through.

import { cleanText } from "../base/text.ts";

/** What `picocolors` writes for bold, dim, red, green, yellow, cyan and their ends: none of them hides or moves anything. */
const OURS = new RegExp(`${String.fromCharCode(27)}\\[(?:0|1|2|22|31|32|33|36|39)m`);
const SPLIT = new RegExp(`(${OURS.source})`);

export interface CleanOptions {
  /** False: no sequence at all. */
  readonly colors: boolean;
}

export function cleanOutput(text: string, { colors }: CleanOptions): string {
  if (!colors) return clean(text);
  return text
    .split(SPLIT)
    .map((part, index) => (index % 2 === 1 ? part : clean(part)))
    .join("");
}

function clean(text: string): string {
  return cleanText(text, Number.POSITIVE_INFINITY);
}
