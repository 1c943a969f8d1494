// Full-text search over notes: every word of the query, in any place of a note, whatever its case; newest first.

import { type FoundNote, notesIn } from "./merged-view.ts";
import { type ByteText, isOnBranch, mergedByTime, type NoteRow, searchable } from "./note-row.ts";
import type { AllNotes } from "./read-notes.ts";

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
export function searchWords(query: string): readonly ByteText[] | null {
  const words = query
    .slice(0, queryCharsMax)
    .normalize("NFKC")
    .split(/\s+/)
    .filter((word) => word !== "")
    .map(searchable);
  return words.length === 0 ? null : words.slice(0, wordsMax);
}

/** `all` was read to be searched. */
export async function searchNotes(
  all: AllNotes,
  words: readonly ByteText[],
  { branch, hitsMax }: SearchLimits,
): Promise<SearchResult> {
  const fresh = all.fresh.filter(({ searched }) => words.every((word) => searched.includes(word)));
  const found = mergedByTime<NoteRow>(all.indexed?.rowsWith(words) ?? [], fresh);
  const hits = branch === null ? found : found.filter((row) => isOnBranch(row, branch));
  return { hits: await notesIn(all, hits.slice(0, hitsMax)), more: Math.max(0, hits.length - hitsMax) };
}
