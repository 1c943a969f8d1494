// `skein memory`: what sessions noted, for people and for agents without the MCP server.

import { syncFiles } from "../adapters/node/sync-files.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { FileError } from "../host/files.ts";
import { speakerOf } from "../sessions/mcp/speaker.ts";
import { type CurrentTask, readTask } from "../sessions/memory/current-task.ts";
import { type FoundNote, type MergedView, mergedView, notesIn, viewCharsMax } from "../sessions/memory/merged-view.ts";
import { isOnBranch } from "../sessions/memory/note-row.ts";
import { limits, type Memory, memoryIn, noteHome, rememberHome } from "../sessions/memory/places.ts";
import { type Prunable, planMemoryPrune, pruneMemory } from "../sessions/memory/prune.ts";
import { readAllNotes } from "../sessions/memory/read-notes.ts";
import { searchNotes, searchWords } from "../sessions/memory/search.ts";
import { type NoteError, type SaidKind, writeNote } from "../sessions/memory/write-note.ts";
import { asRepositoryKey, type RepositoryKey, repositoryKey, type SessionKey } from "../sessions/presence/ids.ts";
import { lookAround } from "../sessions/presence/look-around.ts";
import { isName } from "../sessions/presence/names.ts";
import { findPlace } from "../sessions/presence/place.ts";
import { type NoStateRoot, stateRoot } from "../sessions/state-root.ts";
import { type NoSession, sessionMeant } from "./intent.ts";
import { openPresence, type Presence } from "./presence.ts";
import type { Surroundings } from "./surroundings.ts";

export interface MemoryQuestion {
  /** Absolute. */
  readonly directory: string;
  /** Of every repository; then branches do not count. */
  readonly all: boolean;
  /** Null: the one that is checked out in the directory. */
  readonly branch: string | null;
  readonly now: number;
  readonly unique: string;
}

export interface ShownMemory {
  readonly branch: string | null;
  readonly view: MergedView;
  /** Of the branch, newest first; none where only the view was asked for. */
  readonly notes: readonly FoundNote[];
  readonly task: CurrentTask | null;
  readonly problems: readonly string[];
}

type Around = Pick<Surroundings, "env" | "platform">;

export async function showMemory(
  around: Around,
  { directory, branch: wanted, now, unique }: MemoryQuestion,
  { notes: listed }: { readonly notes: boolean },
): Promise<Result<ShownMemory, NoStateRoot>> {
  const memory = openMemory(around);
  if (!memory.ok) return memory;
  const place = await findPlace(syncFiles, directory);
  const branch = wanted ?? place.head?.branch ?? null;
  const repository = repositoryKey(place.repository);
  const all = await readAllNotes(memory.value, repository, { now, words: [], bounds: null });
  const view = await mergedView(all, { branch, reader: "you", now, charsMax: viewCharsMax });
  const rows = listed ? all.notes.all().filter((row) => isOnBranch(row, branch)) : [];
  const notes = await notesIn(all, rows);
  const task = await readTask(memory.value, repository, branch);
  await all.remember(unique);
  return ok({ branch, view, notes, task, problems: all.problems });
}

export interface FoundMemory {
  readonly hits: readonly FoundNote[];
  readonly more: number;
  readonly problems: readonly string[];
}

const hitsMax = 50;

export async function searchMemory(
  around: Around,
  { directory, all, branch, now, unique }: MemoryQuestion,
  query: string,
): Promise<Result<FoundMemory, NoStateRoot | { readonly kind: "empty-query" }>> {
  const words = searchWords(query);
  if (words === null) return err({ kind: "empty-query" });
  const memory = openMemory(around);
  if (!memory.ok) return memory;
  const hits: FoundNote[] = [];
  const problems: string[] = [];
  let more = 0;
  for (const repository of await repositoriesOf(memory.value, all ? null : directory)) {
    const read = await readAllNotes(memory.value, repository, { now, words, bounds: null });
    const found = await searchNotes(read, { branch, hitsMax });
    hits.push(...found.hits);
    more += found.more;
    problems.push(...read.problems);
    await read.remember(unique);
  }
  hits.sort((a, b) => b.at - a.at);
  more += Math.max(0, hits.length - hitsMax);
  return ok({ hits: hits.slice(0, hitsMax), more, problems });
}

/** Those with memory: of this directory alone, or all. */
async function repositoriesOf(memory: Memory, directory: string | null): Promise<readonly RepositoryKey[]> {
  if (directory !== null) return [repositoryKey((await findPlace(syncFiles, directory)).repository)];
  const listed = await memory.files.list(memory.root, limits.repositories);
  const names = listed.ok ? listed.value.filter(({ kind, name }) => kind === "directory" && isName(name)) : [];
  return names.map(({ name }) => asRepositoryKey(name));
}

export interface NoteRequest {
  readonly text: string;
  readonly kind: SaidKind;
  readonly question: string | null;
  /** The session's id or its beginning; null for the one that this process belongs to. */
  readonly session: string | null;
  readonly subagent: string | null;
}

export interface NotedNote {
  readonly path: string;
  readonly branch: string | null;
  readonly question: string | null;
}

export type NotingError =
  | NoStateRoot
  | NoSession
  | NoteError
  | { readonly kind: "no-subagent"; readonly message: string };

export async function noteMemory(
  surroundings: Surroundings,
  { text, kind, question, session, subagent }: NoteRequest,
): Promise<Result<NotedNote, NotingError>> {
  const presence = await openPresence(surroundings);
  if (!presence.ok) return presence;
  const { registry, processes, root } = presence.value;
  const now = surroundings.host.clock.now();
  const live = await sessionMeant({ registry, processes, now }, surroundings, session);
  if (!live.ok) return live;
  const speaker = await speakerOf(registry, live.value, subagent);
  if (!speaker.ok) return err({ kind: "no-subagent", message: speaker.error });
  const { repository, key, branch } = speaker.value;
  const memory = memoryIn(syncFiles, root);
  const home = await noteHome(memory, repository, speaker.value);
  await rememberHome(memory, repository, { key, home });
  const written = await writeNote(memory, repository, home, { kind, text, to: question, branch, at: now });
  return written.ok ? ok({ path: written.value.path, branch, question: written.value.id }) : written;
}

export interface MemoryPruneRequest {
  readonly directory: string;
  readonly all: boolean;
  readonly olderThanDays: number;
}

const dayMs = 24 * 60 * 60_000;

export async function planPruning(
  surroundings: Surroundings,
  { directory, all, olderThanDays }: MemoryPruneRequest,
): Promise<Result<readonly Prunable[], NoStateRoot>> {
  const presence = await openPresence(surroundings);
  if (!presence.ok) return presence;
  const memory = memoryIn(syncFiles, presence.value.root);
  const now = surroundings.host.clock.now();
  const plans: Prunable[] = [];
  for (const repository of await repositoriesOf(memory, all ? null : directory)) {
    const kept = await livingHomes(presence.value, memory, repository, now);
    plans.push(...(await planMemoryPrune(memory, { repository, beforeMs: now - olderThanDays * dayMs, now, kept })));
  }
  return ok(plans);
}

/** Whose notes stay, however old: whoever lives, or may. */
async function livingHomes(
  { registry, processes }: Presence,
  memory: Memory,
  repository: RepositoryKey,
  now: number,
): Promise<ReadonlySet<SessionKey>> {
  const { rows } = await lookAround({ registry, processes, now }, repository);
  const kept = new Set<SessionKey>();
  for (const row of rows.filter(({ liveness }) => liveness.kind !== "dead"))
    for (const key of [row.key, ...row.earlier, ...row.subagents.map((child) => child.key)]) {
      kept.add(key);
      kept.add(await noteHome(memory, repository, { key, earlier: [] }));
    }
  return kept;
}

/** True where it is gone, false where it was written to meanwhile. */
export async function pruneOne(
  surroundings: Surroundings,
  planned: Prunable,
): Promise<Result<boolean, NoStateRoot | FileError>> {
  const memory = openMemory(surroundings);
  if (!memory.ok) return memory;
  return pruneMemory(memory.value, planned, `${surroundings.processId}-${surroundings.host.random.letters(8)}`);
}

function openMemory({ env, platform }: Around): Result<Memory, NoStateRoot> {
  const root = stateRoot(env, platform);
  return root.ok ? ok(memoryIn(syncFiles, root.value)) : root;
}
