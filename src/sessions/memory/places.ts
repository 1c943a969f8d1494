// Where memory lies: `memory/<repository>/<session>/` in the state directory, which nobody but that session's processes writes, and one
// current task for each branch. Presence records go when a session has been dead for long; what is here goes only by `skein memory prune`.

import { join } from "node:path";
import { fnv64 } from "../../base/fnv.ts";
import type { Files, LookNow } from "../../host/files.ts";
import { asSessionKey, type RepositoryKey, type SessionKey, shortName } from "../presence/ids.ts";
import { isName } from "../presence/names.ts";
import type { NoteKind } from "./note.ts";

export type MemoryFiles = Pick<
  Files,
  "open" | "read" | "write" | "rename" | "remove" | "makeDirectory" | "list" | "stat"
> &
  LookNow;

export interface Memory {
  readonly files: MemoryFiles;
  /** `memory` in the state directory. */
  readonly root: string;
}

export const limits = {
  noteChars: 4_000,
  taskChars: 8_000,
  branchChars: 300,
  /** Of a longer file the end is read. */
  fileBytes: 1024 * 1024,
  sessions: 20_000,
  repositories: 5_000,
} as const;

/** `root` is the state directory. */
export function memoryIn(files: MemoryFiles, root: string): Memory {
  return { files, root: join(root, "memory") };
}

export function repositoryPlace({ root }: Memory, repository: RepositoryKey): string {
  return `${root}/${repository}`;
}

export function sessionPlace(memory: Memory, repository: RepositoryKey, key: SessionKey): string {
  return `${repositoryPlace(memory, repository)}/${key}`;
}

export function noteFile(directory: string, kind: NoteKind): string {
  return `${directory}/${kind}.md`;
}

export function tasksPlace(memory: Memory, repository: RepositoryKey): string {
  return `${repositoryPlace(memory, repository)}/.tasks`;
}

/** What readers keep for each other. */
export function indexFile(memory: Memory, repository: RepositoryKey): string {
  return `${repositoryPlace(memory, repository)}/.index`;
}

/** A directory for each branch: its name as far as a file system takes it, told apart by a hash. */
export function taskFile(memory: Memory, repository: RepositoryKey, branch: string | null): string {
  const name = branch === null ? "none" : `${branch.replace(/[^A-Za-z0-9.-]+/g, "-").slice(0, 40)}-${fnv64(branch)}`;
  return `${tasksPlace(memory, repository)}/${name}/current-task.md`;
}

/** `codex 0123abcd`, from a directory's name alone: whose record is gone is still named. */
export function whoOf(key: SessionKey): string {
  const [from, end] = [key.indexOf("_") + 1, key.lastIndexOf("_")];
  const named = from === 0 ? "" : key.slice(from, end);
  const plus = named.indexOf("+");
  const session = plus < 0 ? named : named.slice(0, plus);
  const agent = plus < 0 ? null : (named.slice(plus + 1).split("+")[0] ?? null);
  return session === "" ? key.slice(0, 40) : `${key.slice(0, from - 1)} ${shortName(session, agent)}`;
}

const homeName = "same-as";
const homeBytesMax = 400;

/**
 * The directory that a session writes its notes into: its own, or where the same agent wrote before `/clear` or a resume gave it another id.
 * `earlier` are its former names, oldest first.
 */
export async function noteHome(
  memory: Memory,
  repository: RepositoryKey,
  { key, earlier }: { readonly key: SessionKey; readonly earlier: readonly SessionKey[] },
): Promise<SessionKey> {
  for (const one of [key, ...earlier]) {
    const known = await homeOf(memory, repository, one);
    if (known !== null) return known;
  }
  return key;
}

/** Said in the session's own directory, so that it holds when the record of its process is gone. */
export async function rememberHome(
  memory: Memory,
  repository: RepositoryKey,
  { key, home }: { readonly key: SessionKey; readonly home: SessionKey },
): Promise<void> {
  if (home === key || (await homeOf(memory, repository, key)) !== null) return;
  const directory = sessionPlace(memory, repository, key);
  await memory.files.makeDirectory(directory, { private: true });
  await memory.files.write(`${directory}/${homeName}`, new TextEncoder().encode(home), { private: true });
}

async function homeOf(memory: Memory, repository: RepositoryKey, key: SessionKey): Promise<SessionKey | null> {
  const directory = sessionPlace(memory, repository, key);
  const named = await memory.files.read(`${directory}/${homeName}`, homeBytesMax);
  const name = named.ok ? Buffer.from(named.value).toString("utf8") : "";
  if (isName(name)) return asSessionKey(name);
  return (await memory.files.stat(directory)).ok ? key : null;
}
