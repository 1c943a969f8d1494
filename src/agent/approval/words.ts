// Which value a word of a shell line has: known only where neither the shell's state nor the file system has a say in it.

import type { Word, WordPart } from "unbash";
import type { ShellWord } from "./command-line.ts";

/** Unquoted, these make more of a word than it says: patterns, braces, home directories, history. */
const MEANING = /[*?[\]{}~!^]/;

export function literalOf(word: Word): ShellWord {
  const { parts } = word;
  const dynamic = { kind: "dynamic", text: word.text } as const;
  if (parts === undefined) return bare(word.text, word.value) ? { kind: "literal", value: word.value } : dynamic;
  return parts.every(isLiteral) ? { kind: "literal", value: word.value } : dynamic;
}

function isLiteral(part: WordPart): boolean {
  switch (part.type) {
    case "Literal":
      return bare(part.text, part.value);
    case "SingleQuoted":
      return true;
    case "AnsiCQuoted":
      // What bash makes of `\c` and of bytes that are no text differs between its versions.
      return /^\$'([^\\']|\\[abefnrtv\\'"]|\\x[0-7][0-9a-fA-F])*'$/.test(part.text);
    case "DoubleQuoted":
      return part.parts.every(({ type }) => type === "Literal");
    default:
      return false;
  }
}

/** Text outside quotes, in which a backslash takes the meaning of the next character away. */
function bare(text: string, value: string): boolean {
  // By themselves they begin no pattern: `[ -f x ]`, `find . ! -name x`.
  if (/^[[\]!]$/.test(text)) return true;
  if (!text.includes("\\")) return !MEANING.test(value);
  return !MEANING.test(text.replace(/\\[\s\S]/g, ""));
}
