// Full-text search over notes: every word of the query, in any place of a note, whatever its case; newest first.

import { type FoundNote, notesIn, onBranch } from "./merged-view.ts";
import type { NotesFile } from "./read-notes.ts";

export interface SearchLimits {
  /** Only of this one; null for all. */
  readonly branch: string | null;
  readonly hitsMax: number;
}

export interface SearchResult {
  readonly hits: readonly FoundNote[];
  /** Beyond `hits`. */
  readonly more: number;
}

const queryCharsMax = 1_000;
const wordsMax = 20;

/** Null for a query without a word. */
export function searchWords(query: string): readonly string[] | null {
  const words = folded(query.slice(0, queryCharsMax))
    .split(/\s+/)
    .filter((word) => word !== "");
  return words.length === 0 ? null : words.slice(0, wordsMax);
}

export function searchNotes(
  files: readonly NotesFile[],
  words: readonly string[],
  { branch, hitsMax }: SearchLimits,
): SearchResult {
  // What holds a word nowhere need not be taken apart. Answers are looked at in all files, or an answered question would seem open.
  const holds = (text: string): boolean => words.every((word) => text.includes(word));
  const candidates = files.filter(({ kind, text }) => kind === "questions" || holds(folded(text)));
  const found = branch === null ? notesIn(candidates) : onBranch(notesIn(candidates), branch);
  const hits = found.filter((note) => holds(folded(note.text)));
  return { hits: hits.slice(0, hitsMax), more: Math.max(0, hits.length - hitsMax) };
}

/** Case and the several ways to write one letter do not count. */
function folded(text: string): string {
  // Most text is plain, and normalising costs more than all the rest.
  return (NOT_ASCII.test(text) ? text.normalize("NFKC") : text).toLowerCase();
}

const NOT_ASCII = /[^\0-\x7f]/;
