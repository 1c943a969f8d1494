// Takes notes away for good: the only thing that does. What goes is worked out whole before anything is removed.

import { ok, type Result } from "../../base/result.ts";
import type { FileError } from "../../host/files.ts";
import type { RepositoryKey, SessionKey } from "../presence/ids.ts";
import { isName } from "../presence/names.ts";
import { indexFile, limits, type Memory, repositoryPlace, sessionPlace, tasksPlace, whoOf } from "./places.ts";
import { readAllNotes } from "./read-notes.ts";

export interface Prunable {
  readonly repository: RepositoryKey;
  /** A session's directory, or a branch's task. */
  readonly what: "notes" | "task";
  /** Whose: `codex 0123abcd`, or the directory of the branch's task. */
  readonly name: string;
  readonly path: string;
  readonly notes: number;
  readonly bytes: number;
  /** Last change, milliseconds since the epoch. */
  readonly changedMs: number;
}

export interface PruneRequest {
  readonly repository: RepositoryKey;
  readonly beforeMs: number;
  readonly now: number;
  /** Sessions that live, or may: theirs stay. */
  readonly kept: ReadonlySet<SessionKey>;
}

export async function planMemoryPrune(memory: Memory, request: PruneRequest): Promise<readonly Prunable[]> {
  const { repository, beforeMs, now, kept } = request;
  const { files, notes } = await readAllNotes(memory, repository, { now, words: [], bounds: null });
  const notesOf = new Map<SessionKey, number>();
  for (const { file } of notes.all()) notesOf.set(file.key, (notesOf.get(file.key) ?? 0) + 1);
  const bySession = Map.groupBy(files(), ({ key }) => key);
  const plans: Prunable[] = [];
  for (const [key, own] of bySession) {
    const changedMs = Math.max(...own.map((file) => file.changedMs));
    if (kept.has(key) || changedMs >= beforeMs) continue;
    plans.push({
      repository,
      what: "notes",
      name: whoOf(key),
      path: sessionPlace(memory, repository, key),
      notes: notesOf.get(key) ?? 0,
      bytes: own.reduce((sum, { size }) => sum + size, 0),
      changedMs,
    });
  }
  return [...plans, ...(await oldTasks(memory, request))].sort((a, b) => a.changedMs - b.changedMs);
}

async function oldTasks(memory: Memory, { repository, beforeMs }: PruneRequest): Promise<readonly Prunable[]> {
  const place = tasksPlace(memory, repository);
  const listed = await memory.files.list(place, limits.sessions);
  const plans: Prunable[] = [];
  for (const { name } of listed.ok
    ? listed.value.filter(({ kind, name }) => kind === "directory" && isName(name))
    : []) {
    const stat = await memory.files.stat(`${place}/${name}/current-task.md`);
    if (!stat.ok || stat.value.changedMs >= beforeMs) continue;
    const { size: bytes, changedMs } = stat.value;
    plans.push({ repository, what: "task", name, path: `${place}/${name}`, notes: 1, bytes, changedMs });
  }
  return plans;
}

/** First its name, so that nobody reads the half of it. A session that has written since it was planned keeps everything. */
export async function pruneMemory(
  memory: Memory,
  { repository, path, changedMs, what }: Prunable,
  unique: string,
): Promise<Result<boolean, FileError>> {
  const names = what === "task" ? ["current-task.md"] : ["scratchpad.md", "decisions.md", "questions.md"];
  for (const name of names) {
    const stat = await memory.files.stat(`${path}/${name}`);
    if (stat.ok && stat.value.changedMs > changedMs) return ok(false);
  }
  const aside = `${repositoryPlace(memory, repository)}/.gone-${unique}`;
  const moved = await memory.files.rename(path, aside);
  if (!moved.ok) return moved;
  const removed = await memory.files.remove(aside);
  // The index still has the texts.
  if (removed.ok) await memory.files.remove(indexFile(memory, repository));
  return removed.ok ? ok(true) : removed;
}
