// Full-text search over notes: every word of the query, in any place of a note, whatever its case; newest first.

import { type FoundNote, notesIn } from "./merged-view.ts";
import { type ByteText, type NoteRow, searchable } from "./note-row.ts";
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

/** For the words with which `all` was read. */
export async function searchNotes(all: AllNotes, { branch, hitsMax }: SearchLimits): Promise<SearchResult> {
  const { count, rows } = all.notes.holding(branch);
  return { hits: await notesIn(all, firstOf(rows, hitsMax)), more: Math.max(0, count - hitsMax) };
}

function* firstOf(rows: Iterable<NoteRow>, max: number): Generator<NoteRow> {
  let left = max;
  for (const row of rows) {
    if (left === 0) return;
    left -= 1;
    yield row;
  }
}
