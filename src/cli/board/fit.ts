// Texts of a wanted width in columns. Most are plain and short, and then nothing is measured: that is what a frame of many lines would spend its
// time on.

import cliTruncate from "cli-truncate";

/** What `picocolors` writes. */
const COLOR = /\u001b\[\d+m/g;
/** One column each: ASCII, and the marks of our own. */
const PLAIN = /^[\x20-\x7e▶●✗›·…─↑↓▏]*$/;

/** Cut to `columns`, never padded. */
export function fitted(text: string, columns: number): string {
  const bare = text.includes("\u001b") ? text.replace(COLOR, "") : text;
  if (PLAIN.test(bare)) {
    if (bare.length <= columns) return text;
    if (bare === text) return columns < 1 ? "" : `${text.slice(0, columns - 1)}…`;
  }
  return cliTruncate(text, Math.max(1, columns));
}

/** Cut or padded to exactly `columns`; without colours in it. */
export function cell(text: string, columns: number): string {
  const cut = fitted(text, columns);
  if (PLAIN.test(cut)) return cut.padEnd(columns);
  let width = [...cut].length;
  while (cliTruncate(cut, width) !== cut) width += 1;
  return cut + " ".repeat(Math.max(0, columns - width));
}
