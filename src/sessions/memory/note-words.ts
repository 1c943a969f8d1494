// The words of a note, from its file: what stands at its place now, and only if a whole note with the same heading stands there.

import { type NotePiece, piecesIn, wordsOf } from "./note.ts";
import { byteText, idOf, type NoteRow, type NotesFile, textOf } from "./note-row.ts";
import type { MemoryFiles } from "./places.ts";

/** Files up to this size are read whole, once. */
const wholeBytesMax = 64 * 1024;
const keptBytesMax = 64 * 1024 * 1024;

/** Null where the file has been changed since the row was made. */
export function noteWords(files: MemoryFiles): (row: NoteRow) => Promise<string | null> {
  const kept = new Map<string, Uint8Array>();
  let keptBytes = 0;
  const bytesAt = async ({ path, size }: NotesFile, start: number, end: number): Promise<Uint8Array | null> => {
    if (size > wholeBytesMax) return partOf(files, path, start, end);
    let whole = kept.get(path);
    if (whole === undefined) {
      const read = await files.read(path, wholeBytesMax * 2);
      if (!read.ok) return null;
      if (keptBytes > keptBytesMax) kept.clear();
      keptBytes = (kept.size === 0 ? 0 : keptBytes) + read.value.length;
      whole = read.value;
      kept.set(path, whole);
    }
    return whole.subarray(start, end);
  };
  return async (row) => {
    const bytes = await bytesAt(row.file, row.start, row.end);
    if (bytes === null || bytes.length !== row.end - row.start) return null;
    const piece = byteText(bytes);
    const { pieces } = piecesIn(piece, textOf);
    const [only] = pieces;
    if (only === undefined || pieces.length > 1 || !isOf(row, only, piece.length)) return null;
    return textOf(wordsOf(piece, only.head !== null));
  };
}

function isOf({ kind, at, branch, id }: NoteRow, { start, end, head }: NotePiece, length: number): boolean {
  if (start !== 0 || end !== length) return false;
  if (head === null) return kind === "loose";
  return head.mark.kind === kind && head.at === at && head.branch === branch && idOf(head) === id;
}

async function partOf(files: MemoryFiles, path: string, start: number, end: number): Promise<Uint8Array | null> {
  const opened = await files.open(path, "read");
  if (!opened.ok) return null;
  const bytes = await opened.value.read(start, end - start);
  await opened.value.close();
  return bytes.ok ? bytes.value : null;
}
