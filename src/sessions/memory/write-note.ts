// Writes one note into its session's own directory: redacted and capped, appended with one write.

import { fnv64 } from "../../base/fnv.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { FileError, FileHandle } from "../../host/files.ts";
import type { RepositoryKey, SessionKey } from "../presence/ids.ts";
import { redact } from "../redact.ts";
import { formatNote, type NoteKind, type NoteMark } from "./note.ts";
import { limits, type Memory, noteFile, sessionPlace } from "./places.ts";

/** What a session can say, each in its file. An answer stands among the questions of whoever answers. */
export type SaidKind = "scratchpad" | "decision" | "question" | "answer";

export interface NewNote {
  readonly kind: SaidKind;
  readonly text: string;
  /** The question's id; only of an answer. */
  readonly to: string | null;
  readonly branch: string | null;
  readonly at: number;
}

export type NoteError =
  | FileError
  | { readonly kind: "empty-note" }
  | { readonly kind: "long-note"; readonly chars: number; readonly charsMax: number }
  | { readonly kind: "no-question"; readonly id: string | null };

export interface WrittenNote {
  readonly path: string;
  /** Of a question. */
  readonly id: string | null;
}

const FILES: Readonly<Record<SaidKind, NoteKind>> = {
  scratchpad: "scratchpad",
  decision: "decisions",
  question: "questions",
  answer: "questions",
};

export async function writeNote(
  { files, ...memory }: Memory,
  repository: RepositoryKey,
  home: SessionKey,
  note: NewNote,
): Promise<Result<WrittenNote, NoteError>> {
  const text = redact(note.text).trim();
  if (text === "") return err({ kind: "empty-note" });
  if (text.length > limits.noteChars) return err({ kind: "long-note", chars: text.length, charsMax: limits.noteChars });
  if (note.kind === "answer" && !/^[0-9a-f]{8}$/.test(note.to ?? "")) return err({ kind: "no-question", id: note.to });
  const mark = markOf(note, home);
  const branch = note.branch?.slice(0, limits.branchChars) ?? null;
  const directory = sessionPlace({ files, ...memory }, repository, home);
  const path = noteFile(directory, FILES[note.kind]);
  const bytes = new TextEncoder().encode(formatNote({ at: note.at, branch, mark, text: text.toWellFormed() }));
  let opened = await files.open(path, "append", { private: true });
  if (!opened.ok && opened.error.code === "not-found") {
    const made = await files.makeDirectory(directory, { private: true });
    if (!made.ok) return made;
    opened = await files.open(path, "append", { private: true });
  }
  if (!opened.ok) return opened;
  const appended = await append(opened.value, bytes);
  const closed = await opened.value.close();
  if (!appended.ok) return appended;
  return closed.ok ? ok({ path, id: mark.kind === "question" ? mark.id : null }) : closed;
}

function markOf({ kind, to, at, text }: NewNote, home: SessionKey): NoteMark {
  if (kind === "question") return { kind, id: fnv64(`${home} ${at} ${text}`).slice(0, 8) };
  return kind === "answer" ? { kind, to: to ?? "" } : { kind: "plain" };
}

/** A line that was torn is closed first; that no empty line follows it says that it was torn. */
async function append(handle: FileHandle, bytes: Uint8Array): Promise<Result<void, FileError>> {
  const size = await handle.size();
  if (!size.ok) return size;
  const last = size.value === 0 ? null : await handle.read(size.value - 1, 1);
  if (last !== null && !last.ok) return last;
  const torn = last !== null && last.value[0] !== newline;
  return handle.append([torn ? Uint8Array.of(newline, ...bytes) : bytes]);
}

const newline = 0x0a;
