// Reads the notes of all sessions of a repository. Thousands of small files cost more to open than their text to search, so a reader
// keeps in one file, `.index`, what they have. Invariant: an entry counts only while its file has the size and change time that it had when
// it was read, so the index can be lost, old or damaged and costs only time.

import type { SeenFile } from "../../host/files.ts";
import { asSessionKey, type RepositoryKey, type SessionKey } from "../presence/ids.ts";
import { isName } from "../presence/names.ts";
import { indexFileOf, readIndexFile, readTokens } from "./index-file.ts";
import { NOTE_KINDS } from "./note.ts";
import { NoteList } from "./note-list.ts";
import {
  type ByteText,
  byTime,
  type FreshRow,
  mergedByTime,
  type NoteRow,
  type NotesFile,
  rowsIn,
} from "./note-row.ts";
import { TokenLists } from "./note-tokens.ts";
import { noteWords } from "./note-words.ts";
import { IndexedNotes, IndexedRow, indexOf, type PathOf } from "./notes-index.ts";
import { indexFile, limits, type Memory, noteFile, repositoryPlace, sessionPlace } from "./places.ts";

export interface AllNotes {
  /** Whose notes are here. */
  readonly files: () => readonly NotesFile[];
  readonly notes: NoteList;
  /** Sessions whose notes are not all here, since no more was to be read. */
  readonly leftOut: number;
  /** For a person: what could not be read. */
  readonly problems: readonly string[];
  /** Null where the file no longer has this note at its place. */
  readonly wordsOf: (row: NoteRow) => Promise<string | null>;
  /** Lets the next reader be quicker, where that is worth it. `unique` tells this writer from another at the same moment. */
  readonly remember: (unique: string) => Promise<void>;
}

export interface ReadBounds {
  /** Whose files are looked at. */
  readonly sessions: number;
  /** That the index does not have as they are; the newest first. */
  readonly filesRead: number;
}

export interface ReadOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What will be searched for; none where nothing is. */
  readonly words: readonly ByteText[];
  /** Null: all is read, however long it takes. */
  readonly bounds: ReadBounds | null;
}

const renewedMin = 16;
const renewedShareMin = 0.02;
/** A file that was changed just now could be changed again without a trace: its time is only as fine as the kernel's clock. */
const settledMs = 2_000;

interface Found {
  readonly file: NotesFile;
  readonly isFile: boolean;
}

/** `seen` is of this moment alone. */
function foundFile(named: Pick<NotesFile, "key" | "kind" | "path">, { kind, size, changedMs }: SeenFile): Found {
  return { file: { ...named, size, changedMs }, isFile: kind === "file" };
}

export async function readAllNotes(
  memory: Memory,
  repository: RepositoryKey,
  { now, words, bounds }: ReadOptions,
): Promise<AllNotes> {
  const indexPath = indexFile(memory, repository);
  const read = await readIndexFile(memory.files, indexPath, words);
  const pathOf: PathOf = (key, kind) => noteFile(sessionPlace(memory, repository, key), kind);
  const indexed = read === null ? null : new IndexedNotes(read, pathOf);
  const problems: string[] = [];
  const keys = sessionsNow(memory, repository, problems);
  const looked = bounds === null ? keys : chosen(keys, indexed, bounds.sessions);
  let known = 0;
  const unread: Found[] = [];
  // Thousands of files: what is made for each here and in `seen` is what a start waits for.
  const seen: SeenFile = { kind: "file", size: 0, changedMs: 0 };
  const firstFiles = indexed?.firstFiles(looked) ?? null;
  for (const [at, key] of looked.entries()) {
    const directory = sessionPlace(memory, repository, key);
    const first = firstFiles?.[at] ?? -1;
    for (let place = 0; place < NOTE_KINDS.length; place++) {
      const path = directory + fileNames[place];
      const error = memory.files.seeNow(path, seen);
      if (error !== null) {
        if (error.code !== "not-found") problems.push(`${error.path}: ${error.message}`);
      } else if (first >= 0 && indexed?.claim(first + place, seen.size, seen.changedMs)) known += 1;
      else unread.push(foundFile({ key, kind: NOTE_KINDS[place] ?? "scratchpad", path }, seen));
    }
  }
  if (bounds !== null) unread.sort((a, b) => b.file.changedMs - a.file.changedMs);
  const passedBy = unread.splice(bounds?.filesRead ?? unread.length);
  const { fresh, renewed } = await freshIn(memory, unread, problems);
  const notLooked = keys.length - looked.length;
  return {
    files: () => [...(indexed?.files() ?? []), ...renewed],
    notes: new NoteList(indexed, fresh, words),
    leftOut: notLooked + new Set(passedBy.map(({ file }) => file.key)).size,
    problems,
    wordsOf: noteWords(memory.files),
    remember: async (unique) => {
      if (renewed.length < Math.max(renewedMin, (known + renewed.length) * renewedShareMin)) return;
      const settled = new Set(renewed.filter(({ changedMs }) => now - changedMs > settledMs));
      // Files that were not looked at may be as they were: the next reader sees.
      const seen = new Set(looked);
      if (notLooked > 0) for (const key of keys) if (!seen.has(key)) indexed?.claimUnseen(key);
      const added = fresh.filter(({ file }) => settled.has(file));
      const rows = [...mergedByTime<IndexedRow | FreshRow>(indexed?.rowsOf() ?? [], added)];
      const tokens = new TokenLists();
      const numberOf = new Int32Array(indexed?.length ?? 0).fill(-1);
      for (const [number, row] of rows.entries()) if (row instanceof IndexedRow) numberOf[row.number] = number;
      for (const [number, row] of rows.entries()) if (!(row instanceof IndexedRow)) tokens.add(row.searched, number);
      const former = read === null ? null : await readTokens(memory.files, indexPath, read.sum);
      // Without what was read another reader has put a newer one there.
      if (read !== null && former === null) return;
      const table = tokens.table(former === null ? null : { ...former, numberOf });
      if (table === null) return;
      const index = indexOf([...(indexed?.files() ?? []), ...settled], rows);
      await replace(memory, { path: indexPath, temporary: `${indexPath}-${unique}` }, indexFileOf(index, table));
    },
  };
}

const fileNames = NOTE_KINDS.map((kind) => noteFile("", kind));

/** Sessions with a directory, in the order of their names. */
function sessionsNow(memory: Memory, repository: RepositoryKey, problems: string[]): readonly SessionKey[] {
  const listed = memory.files.directoriesNow(repositoryPlace(memory, repository), limits.sessions);
  if (listed.ok) return listed.value.filter(isName).map(asSessionKey);
  if (listed.error.code !== "not-found") problems.push(`${listed.error.path}: ${listed.error.message}`);
  return [];
}

/** Sessions that the index does not have, for they are new, and those that wrote last; in the order of their names. */
function chosen(keys: readonly SessionKey[], indexed: IndexedNotes | null, max: number): readonly SessionKey[] {
  if (keys.length <= max) return keys;
  const known: { readonly key: SessionKey; readonly changedMs: number }[] = [];
  const strange: SessionKey[] = [];
  for (const key of keys) {
    const changedMs = indexed?.changedMs(key) ?? null;
    if (changedMs === null) strange.push(key);
    else known.push({ key, changedMs });
  }
  // Neither may take all the room: some are never in an index, since they have written nothing.
  const strangers = strange.slice(0, Math.max(max - known.length, Math.floor(max / 2)));
  known.sort((a, b) => b.changedMs - a.changedMs);
  return [...strangers, ...known.slice(0, max - strangers.length).map(({ key }) => key)].sort();
}

async function freshIn(
  memory: Memory,
  unread: readonly Found[],
  problems: string[],
): Promise<{ readonly fresh: readonly FreshRow[]; readonly renewed: readonly NotesFile[] }> {
  const fresh: FreshRow[] = [];
  const renewed: NotesFile[] = [];
  for (const { file, isFile } of unread) {
    const read = isFile ? await bytesOf(memory, file) : null;
    if (read === null) problems.push(`${file.path}: it cannot be read`);
    else {
      renewed.push(file);
      for (const row of rowsIn(file, read.bytes, read.from)) fresh.push(row);
    }
  }
  return { fresh: fresh.sort(byTime), renewed };
}

/** Of a file that is too long its end. */
async function bytesOf(
  { files }: Memory,
  { path, size }: NotesFile,
): Promise<{ readonly bytes: Uint8Array; readonly from: number } | null> {
  if (size <= limits.fileBytes) {
    // It may have grown a little since.
    const bytes = await files.read(path, limits.fileBytes * 2);
    return bytes.ok ? { bytes: bytes.value, from: 0 } : null;
  }
  const opened = await files.open(path, "read");
  if (!opened.ok) return null;
  const bytes = await opened.value.read(size - limits.fileBytes, limits.fileBytes);
  await opened.value.close();
  if (!bytes.ok) return null;
  // It begins in the middle of a note.
  const cut = Buffer.from(bytes.value).indexOf("\n## ") + 1;
  return { bytes: bytes.value.subarray(cut), from: size - limits.fileBytes + cut };
}

async function replace(
  { files }: Memory,
  { path, temporary }: { readonly path: string; readonly temporary: string },
  bytes: Uint8Array,
): Promise<void> {
  const written = await files.write(temporary, bytes, { private: true });
  const renamed = written.ok ? await files.rename(temporary, path) : written;
  if (!renamed.ok) await files.remove(temporary);
}
