// Reads the notes of all sessions of a repository. Thousands of small files cost more to open than their text to search, so a reader
// keeps their text in one file, `.index`. Invariant: a text counts only while its file has the size and change time that it had when it
// was read, so the index can be lost, old or damaged and costs only time.

import type { FileStat } from "../../host/files.ts";
import { isNatural } from "../presence/fold-check.ts";
import type { RepositoryKey, SessionKey } from "../presence/ids.ts";
import { NOTE_KINDS, type NoteKind } from "./note.ts";
import { limits, type Memory, noteFile, repositoryPlace, sessionPlace, sessionsIn } from "./places.ts";

export interface NotesFile {
  readonly key: SessionKey;
  readonly kind: NoteKind;
  readonly path: string;
  readonly size: number;
  readonly changedMs: number;
  readonly text: string;
}

export interface AllNotes {
  readonly files: readonly NotesFile[];
  /** For a person: what could not be read. */
  readonly problems: readonly string[];
  /** Lets the next reader be quicker, where that is worth it. `unique` tells this writer from another at the same moment. */
  readonly remember: (unique: string) => Promise<void>;
}

const indexName = ".index";
const indexVersion = 1;
const indexBytesMax = 256 * 1024 * 1024;
const renewedMin = 16;
const renewedShareMin = 0.1;
/** A file that was changed just now could be changed again without a trace: its time is only as fine as the kernel's clock. */
const settledMs = 2_000;

/** `now` in milliseconds since the epoch. */
export async function readAllNotes(memory: Memory, repository: RepositoryKey, now: number): Promise<AllNotes> {
  const path = `${repositoryPlace(memory, repository)}/${indexName}`;
  const known = await readIndex(memory, path);
  const files: NotesFile[] = [];
  const problems: string[] = [];
  let renewed = 0;
  for (const key of await sessionsIn(memory, repository)) {
    const directory = sessionPlace(memory, repository, key);
    for (const kind of NOTE_KINDS) {
      const file = noteFile(directory, kind);
      const stat = await memory.files.stat(file);
      if (!stat.ok) {
        if (stat.error.code !== "not-found") problems.push(`${file}: ${stat.error.message}`);
        continue;
      }
      const { size, changedMs } = stat.value;
      const old = known.get(`${key}/${kind}`);
      if (old !== undefined && old.size === size && old.changedMs === changedMs) {
        files.push({ key, kind, path: file, ...old });
        continue;
      }
      const text = await textOf(memory, file, stat.value);
      if (text === null) problems.push(`${file}: it cannot be read`);
      else {
        files.push({ key, kind, path: file, size, changedMs, text });
        renewed += 1;
      }
    }
  }
  const worthIt = renewed >= Math.max(renewedMin, files.length * renewedShareMin);
  return {
    files,
    problems,
    remember: async (unique) => {
      if (worthIt)
        await writeIndex(
          memory,
          `${path}-${unique}`,
          path,
          files.filter((one) => now - one.changedMs > settledMs),
        );
    },
  };
}

/** Of a file that is too long its end. */
async function textOf({ files }: Memory, path: string, { kind, size }: FileStat): Promise<string | null> {
  if (kind !== "file") return null;
  if (size <= limits.fileBytes) {
    // It may have grown a little since.
    const bytes = await files.read(path, limits.fileBytes * 2);
    if (bytes.ok)
      return Buffer.from(bytes.value.buffer, bytes.value.byteOffset, bytes.value.byteLength).toString("utf8");
    return null;
  }
  const opened = await files.open(path, "read");
  if (!opened.ok) return null;
  const bytes = await opened.value.read(size - limits.fileBytes, limits.fileBytes);
  await opened.value.close();
  if (!bytes.ok) return null;
  const text = Buffer.from(bytes.value).toString("utf8");
  // It begins in the middle of a note.
  return text.slice(text.indexOf("\n## ") + 1);
}

type Known = Pick<NotesFile, "size" | "changedMs" | "text">;

/** One line of JSON says what follows it: the texts, one after the other. Anything else is no index. */
async function readIndex({ files }: Memory, path: string): Promise<ReadonlyMap<string, Known>> {
  const none = new Map<string, Known>();
  const read = await files.read(path, indexBytesMax);
  if (!read.ok) return none;
  const bytes = Buffer.from(read.value.buffer, read.value.byteOffset, read.value.byteLength);
  const end = bytes.indexOf(0x0a);
  const entries = end < 0 ? null : entriesIn(bytes.toString("utf8", 0, end));
  if (entries === null) return none;
  let at = end + 1;
  if (entries.sum !== checksum(bytes.subarray(at))) return none;
  for (const [name, size, changedMs, length] of entries.files) {
    none.set(name, { size, changedMs, text: bytes.toString("utf8", at, at + length) });
    at += length;
  }
  // Torn, or with something behind it: then nothing in it is believed.
  return at === bytes.length ? none : new Map();
}

type Entry = readonly [name: string, size: number, changedMs: number, length: number];

interface Head {
  readonly sum: number;
  readonly files: readonly Entry[];
}

function entriesIn(json: string): Head | null {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== "object" || value === null || !("v" in value) || value.v !== indexVersion) return null;
    if (!("sum" in value && isNatural(value.sum) && "files" in value && Array.isArray(value.files))) return null;
    return value.files.every(isEntry) ? { sum: value.sum, files: value.files } : null;
  } catch {
    return null;
  }
}

function isEntry(value: unknown): value is Entry {
  if (!Array.isArray(value) || value.length !== 4) return false;
  const [name, size, changedMs, length]: readonly unknown[] = value;
  return typeof name === "string" && isNatural(size) && typeof changedMs === "number" && isNatural(length);
}

async function writeIndex(
  { files: disk }: Memory,
  temporary: string,
  path: string,
  files: readonly NotesFile[],
): Promise<void> {
  const texts = files.map(({ text }) => Buffer.from(text));
  const entries = files.map(
    ({ key, kind, size, changedMs }, index): Entry => [`${key}/${kind}`, size, changedMs, texts[index]?.length ?? 0],
  );
  const body = Buffer.concat(texts);
  const head = Buffer.from(`${JSON.stringify({ v: indexVersion, sum: checksum(body), files: entries })}\n`);
  const written = await disk.write(temporary, Buffer.concat([head, body]), { private: true });
  const renamed = written.ok ? await disk.rename(temporary, path) : written;
  if (!renamed.ok) await disk.remove(temporary);
}

/** FNV-1a in 32 bits: a file that lost its blocks in a crash has its length, and not its content. */
function checksum(bytes: Uint8Array): number {
  let sum = 0x811c9dc5;
  for (const byte of bytes) sum = Math.imul(sum ^ byte, 0x01000193);
  return sum >>> 0;
}
