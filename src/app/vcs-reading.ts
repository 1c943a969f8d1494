// What `skein vcs log`, `show`, `diff`, `blame` and `conflicts` tell of a store, whether its server is asked or its files are read.

import type { ConflictAnswer } from "../adapters/socket/messages.ts";
import { conflictAnswer } from "../adapters/socket/requests.ts";
import type { ConflictId, Position, RepoPath } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { LogQuery } from "../vcs/log-query.ts";
import { type BlameAnswer, blame } from "../vcs/reading/blame.ts";
import { compare, type FileDifference, type PathChange } from "../vcs/reading/compare.ts";
import { commitAt, type Reader } from "../vcs/reading/reader.ts";
import type { LandedCommit } from "../vcs/types.ts";
import type { StoreWish } from "./store-place.ts";
import { positionIn, type Reading, type ReadingError, reading } from "./store-reader.ts";
import { taken } from "./store-source.ts";
import type { Surroundings } from "./surroundings.ts";

export type { ConflictAnswer };

export type ShowError =
  | ReadingError
  | { readonly kind: "no-commit"; readonly position: number; readonly before: number | null }
  | { readonly kind: "no-such-conflict"; readonly id: string }
  | { readonly kind: "cannot-blame"; readonly path: string; readonly because: Exclude<BlameAnswer["kind"], "lines"> };

type Told<T> = Promise<Result<{ readonly store: string; readonly value: T }, ShowError>>;

export type LogWish = Omit<LogQuery, "at"> & { readonly at: number | "head" };

export interface ShownLog {
  readonly head: Position;
  readonly commits: readonly LandedCommit[];
}

export function vcsLog(surroundings: Surroundings, store: StoreWish, wish: LogWish): Told<ShownLog> {
  return reading(surroundings, store, async (open) => {
    const at = positionIn(open, wish.at);
    if (!at.ok) return at;
    return ok({ head: open.reader.head, commits: await open.reader.log({ ...wish, at: at.value }) });
  });
}

export interface ShownCommit {
  readonly commit: LandedCommit;
  readonly files: readonly FileDifference[];
}

/** What a commit did, against the snapshot before it. */
export function vcsShow(surroundings: Surroundings, store: StoreWish, position: number | "head"): Told<ShownCommit> {
  return reading<ShownCommit, ShowError>(surroundings, store, async (open) => {
    const at = positionIn(open, position);
    if (!at.ok) return at;
    const { reader } = open;
    const [newest] = await reader.log({ at: at.value, agent: null, task: null, path: null, limit: 1 });
    const commit = position === "head" ? (newest ?? null) : await commitAt(reader, at.value);
    if (commit === null) return err({ kind: "no-commit", position: at.value, before: newest?.position ?? null });
    const before = await entriesBefore(reader, commit);
    const changes: PathChange[] = commit.changes.map((change) => ({
      path: change.path,
      before: before.get(change.path) ?? null,
      after: change.kind === "put" ? { blob: change.blob, mode: change.mode } : null,
    }));
    return ok({ commit, files: await compare(reader, changes) });
  });
}

/** Above it the whole snapshot is asked for at once. */
const singleEntriesMax = 200;

async function entriesBefore(reader: Reader, { position, changes }: LandedCommit) {
  const at = (position - 1) as Position;
  if (changes.length > singleEntriesMax) return reader.manifest(at);
  const entries = await Promise.all(changes.map(async ({ path }) => [path, await reader.entry(path, at)] as const));
  return new Map(entries);
}

export interface DiffWish {
  readonly from: number | "head";
  readonly to: number | "head";
  /** Files and directories; none: all. */
  readonly paths: readonly RepoPath[];
}

export interface ShownDiff {
  readonly from: Position;
  readonly to: Position;
  readonly files: readonly FileDifference[];
}

export function vcsDiff(surroundings: Surroundings, store: StoreWish, wish: DiffWish): Told<ShownDiff> {
  return reading(surroundings, store, async (open) => {
    const [from, to] = [positionIn(open, wish.from), positionIn(open, wish.to)];
    if (!from.ok) return from;
    if (!to.ok) return to;
    const { reader } = open;
    const [before, after] = [await reader.manifest(from.value), await reader.manifest(to.value)];
    const isWanted = (path: RepoPath) =>
      wish.paths.length === 0 || wish.paths.some((each) => path === each || path.startsWith(`${each}/`));
    const paths = new Set([...before.keys(), ...after.keys()].filter(isWanted));
    const changes = [...paths].map((path) => ({
      path,
      before: before.get(path) ?? null,
      after: after.get(path) ?? null,
    }));
    return ok({ from: from.value, to: to.value, files: await compare(reader, changes) });
  });
}

export interface ShownBlame {
  readonly at: Position;
  readonly lines: Extract<BlameAnswer, { kind: "lines" }>["lines"];
}

export function vcsBlame(
  surroundings: Surroundings,
  store: StoreWish,
  { path, at }: { readonly path: RepoPath; readonly at: number | "head" },
): Told<ShownBlame> {
  return reading<ShownBlame, ShowError>(surroundings, store, async (open) => {
    const position = positionIn(open, at);
    if (!position.ok) return position;
    const answer = await blame(open.reader, path, position.value);
    return answer.kind === "lines"
      ? ok({ at: position.value, lines: answer.lines })
      : err({ kind: "cannot-blame", path, because: answer.kind });
  });
}

export interface ShownConflicts {
  readonly head: Position;
  /** Oldest first. */
  readonly conflicts: readonly ConflictAnswer[];
  /** Of a single one that was asked for: what each side made of the base, the head's as it is now. */
  readonly ours: readonly FileDifference[];
  readonly theirs: readonly FileDifference[];
}

export function vcsConflicts(
  surroundings: Surroundings,
  store: StoreWish,
  { id, openOnly }: { readonly id: ConflictId | null; readonly openOnly: boolean },
): Told<ShownConflicts> {
  return reading<ShownConflicts, ShowError>(surroundings, store, async (open) => {
    const { reader } = open;
    const { head } = reader;
    if (id !== null) {
      const one = await conflictOf(open, id);
      if (one === null) return err({ kind: "no-such-conflict", id });
      const [ours, theirs]: [PathChange[], PathChange[]] = [[], []];
      for (const side of one.paths) {
        const now = one.state === "open" ? await reader.entry(side.path, head) : side.ours;
        ours.push({ path: side.path, before: side.base, after: now });
        theirs.push({ path: side.path, before: side.base, after: side.theirs });
      }
      return ok({ head, conflicts: [one], ours: await compare(reader, ours), theirs: await compare(reader, theirs) });
    }
    const found: ConflictAnswer[] = [];
    for (const known of await conflictIds(open, openOnly)) {
      const one = await conflictOf(open, known);
      if (one !== null) found.push(one);
    }
    return ok({ head, conflicts: found, ours: [], theirs: [] });
  });
}

const conflictsMax = 1_000;

async function conflictIds({ door }: Reading, openOnly: boolean): Promise<readonly ConflictId[]> {
  if (door.kind === "server") {
    const { conflicts } = taken(await door.client.conflicts(0, openOnly));
    return conflicts.slice(0, conflictsMax).map(({ id }) => id);
  }
  const { vcs } = door.kind === "files" ? door.view : door.store;
  const wanted = vcs.conflicts().filter(({ state }) => !openOnly || state === "open");
  return wanted.slice(0, conflictsMax).map(({ id }) => id);
}

export async function conflictOf({ door }: Pick<Reading, "door">, id: ConflictId): Promise<ConflictAnswer | null> {
  if (door.kind === "server") {
    const found = await door.client.conflict(id);
    const isNone = !found.ok && found.error.kind === "failed" && found.error.failed === "not-found";
    return isNone ? null : taken(found);
  }
  const conflict = (door.kind === "files" ? door.view : door.store).vcs.conflict(id);
  return conflict === null ? null : conflictAnswer(conflict);
}
