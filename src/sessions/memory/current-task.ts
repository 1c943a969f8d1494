// The task at hand on a branch, shared on purpose: one small file for each branch, and whoever writes last wins. Invariant: what is there is
// one writer's text, whole, since it comes by a rename from the writer's own directory.

import { dirname } from "node:path";
import { err, ok, type Result } from "../../base/result.ts";
import type { FileError } from "../../host/files.ts";
import type { RepositoryKey, SessionKey } from "../presence/ids.ts";
import { redact } from "../redact.ts";
import { formatNote, parseNotes } from "./note.ts";
import { limits, type Memory, sessionPlace, taskFile, whoOf } from "./places.ts";

export interface CurrentTask {
  readonly path: string;
  readonly at: number;
  /** As `codex 0123abcd`; null for what somebody wrote by hand. */
  readonly who: string | null;
  readonly text: string;
}

export type TaskError =
  | FileError
  | { readonly kind: "empty-task-text" }
  | { readonly kind: "long-task-text"; readonly chars: number; readonly charsMax: number };

export interface NewTask {
  readonly text: string;
  readonly branch: string | null;
  readonly at: number;
  /** Who says it, and in whose directory it is made ready. */
  readonly key: SessionKey;
  /** Tells this writer from another of the same session. */
  readonly unique: string;
}

const fileBytesMax = 64 * 1024;

export async function writeTask(
  memory: Memory,
  repository: RepositoryKey,
  { text: said, branch, at, key, unique }: NewTask,
): Promise<Result<string, TaskError>> {
  const text = redact(said).trim().toWellFormed();
  if (text === "") return err({ kind: "empty-task-text" });
  if (text.length > limits.taskChars)
    return err({ kind: "long-task-text", chars: text.length, charsMax: limits.taskChars });
  const path = taskFile(memory, repository, branch);
  const own = sessionPlace(memory, repository, key);
  for (const directory of [dirname(path), own]) {
    const made = await memory.files.makeDirectory(directory, { private: true });
    if (!made.ok) return made;
  }
  const note = formatNote({ at, branch, mark: { kind: "plain" }, text });
  const bytes = new TextEncoder().encode(`# Current task, written by ${whoOf(key)}\n\n${note}`);
  const temporary = `${own}/.task-${unique}`;
  const written = await memory.files.write(temporary, bytes, { private: true });
  const renamed = written.ok ? await memory.files.rename(temporary, path) : written;
  if (!renamed.ok) await memory.files.remove(temporary);
  return renamed.ok ? ok(path) : renamed;
}

/** Null where none was ever written. */
export async function readTask(
  memory: Memory,
  repository: RepositoryKey,
  branch: string | null,
): Promise<CurrentTask | null> {
  const path = taskFile(memory, repository, branch);
  const bytes = await memory.files.read(path, fileBytesMax);
  if (!bytes.ok) return null;
  const text = Buffer.from(bytes.value).toString("utf8");
  const [note] = parseNotes(text).notes;
  const who = /^# Current task, written by ([A-Za-z0-9.+ -]{1,100})$/m.exec(text)?.[1] ?? null;
  return note === undefined ? { path, at: 0, who: null, text } : { path, at: note.at, who, text: note.text };
}
