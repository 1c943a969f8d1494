// One word of a rule's pattern: plain text, or with `*` for any characters in it.

import type { ShellWord } from "./command-line.ts";

export type WordPattern =
  | { readonly kind: "plain"; readonly value: string }
  /** `*` by itself. */
  | { readonly kind: "any" }
  /** `*` among other characters: the pieces between. */
  | { readonly kind: "stars"; readonly pieces: readonly string[] };

/** Null for what is neither: a variable, a substitution, another pattern. */
export function wordPattern(word: ShellWord): WordPattern | null {
  if (word.kind === "literal") return { kind: "plain", value: word.value };
  if (/^\*+$/.test(word.text)) return { kind: "any" };
  // Whatever has a meaning to the shell but the star.
  if (/[\s$`"'\\?[\]{}~!^()<>|&;]/.test(word.text)) return null;
  return { kind: "stars", pieces: word.text.split("*") };
}

/**
 * A star stands for no option and leads out of no directory: `src/*` is not `src/../.env`, and a `*` before the end no `--output=x`.
 */
export function fits(pattern: WordPattern, value: string): boolean {
  switch (pattern.kind) {
    case "plain":
      return value === pattern.value;
    case "any":
      return !value.startsWith("-");
    case "stars": {
      const [first = "", ...rest] = pattern.pieces;
      if (value.split("/").includes("..") || (first === "" && value.startsWith("-"))) return false;
      return value.startsWith(first) && inOrder(value.slice(first.length), rest);
    }
  }
}

function inOrder(value: string, pieces: readonly string[]): boolean {
  const last = pieces.at(-1) ?? "";
  let at = 0;
  for (const piece of pieces.slice(0, -1)) {
    const found = value.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return value.length - last.length >= at && value.endsWith(last);
}
