// Renames as far as a tree shows them: a commit that deleted a path and added another. A guess for the arbiter's eyes;
// what it may write beside the conflict is decided by the paths alone.

import type { BlobId, Position, RepoPath } from "../base/ids.ts";
import { asPosition } from "../base/ids.ts";
import { similarBytesMax, similarShare, similarShareMin } from "./renames/similarity.ts";
import { changesOf, entryAt, headEntry, shownFrom } from "./snapshot.ts";
import type { VcsState } from "./state.ts";
import { entryOf, type Proposal } from "./together.ts";
import type { Conflict, Entry } from "./types.ts";
import { importedRow, type Row } from "./version-table.ts";

/** A path in conflict that one side deleted, and where the same side seems to have moved its content. */
export interface Move {
  readonly from: RepoPath;
  readonly to: RepoPath;
  /** Who moved it. */
  readonly side: "ours" | "theirs";
  /** What stands at `to`: on the head, or as the held commit left it. */
  readonly entry: Entry;
}

/** Added paths whose content is compared with one deleted path. */
const candidatesMax = 50;

/** Numbers of the landed commits that changed a path of the conflict since the first held commit's base, oldest first. */
export function headCommits(state: VcsState, conflict: Conflict): readonly number[] {
  const since = conflict.commits[0]?.base ?? conflict.head;
  const numbers = new Set<number>();
  for (const { path } of conflict.paths) {
    for (const row of rowsSince(state, path, since)) {
      const commit = state.versions.commit(row);
      if (commit !== importedRow) numbers.add(commit);
    }
  }
  return [...numbers].sort((a, b) => a - b);
}

/** Paths that stand on the head and were added by a commit that deleted a path of the conflict: `path` came with `from` gone. */
export function addedWithDeletion(
  state: VcsState,
  conflict: Conflict,
): readonly { readonly path: RepoPath; readonly from: RepoPath; readonly entry: Entry }[] {
  const inConflict = new Set(conflict.paths.map(({ path }) => path));
  const found: { path: RepoPath; from: RepoPath; entry: Entry }[] = [];
  for (const commit of headCommits(state, conflict)) {
    const changes = changesOf(state, commit);
    const gone = changes.filter(({ kind, path }) => kind === "delete" && inConflict.has(path));
    if (gone.length === 0) continue;
    const before = asPosition(state.commits.position(commit) - 1);
    for (const change of changes) {
      const { path } = change;
      const entry = headEntry(state, path);
      if (change.kind === "delete" || entry === null || inConflict.has(path)) continue;
      if (entryAt(state, path, before) === null) for (const from of gone) found.push({ path, from: from.path, entry });
    }
  }
  return found;
}

type Read = (id: BlobId) => Promise<Uint8Array | null>;

/** Each deleted path of the conflict with the added path that is most like it, if one is like it at all. */
export async function findMoves(
  state: VcsState,
  conflict: Conflict,
  others: readonly Proposal[],
  read: Read,
): Promise<readonly Move[]> {
  const onHead = addedWithDeletion(state, conflict);
  const held = others.flatMap(({ change, base }) => {
    const entry = entryOf(change);
    return entry === null || base !== null ? [] : [{ path: change.path, entry }];
  });
  // Everything of the state is taken here: the head may move while contents are read.
  const deleted = conflict.paths.flatMap(({ path, base, theirs }) => {
    const onHeadGone = headEntry(state, path) === null;
    if (base === null || onHeadGone === (theirs === null)) return [];
    const side = onHeadGone ? ("ours" as const) : ("theirs" as const);
    return [{ path, entry: base, side, candidates: onHeadGone ? onHead.filter(({ from }) => from === path) : held }];
  });
  const moves: Move[] = [];
  for (const { path, entry, side, candidates } of deleted) {
    const best = await mostLike({ path, entry }, candidates, read);
    if (best !== null) moves.push({ from: path, to: best.path, side, entry: best.entry });
  }
  return moves;
}

interface Placed {
  readonly path: RepoPath;
  readonly entry: Entry;
}

async function mostLike(gone: Placed, candidates: readonly Placed[], read: Read): Promise<Placed | null> {
  const named = (placed: Placed): boolean => nameOf(placed.path) === nameOf(gone.path);
  const same = candidates.filter(({ entry }) => entry.blob === gone.entry.blob);
  if (same.length > 0) return same.find(named) ?? same[0] ?? null;
  const bytes = await bytesOf(gone.entry, read);
  if (bytes === null) return null;
  let best: { readonly placed: Placed; readonly share: number } | null = null;
  const byName = [...candidates].sort((a, b) => Number(named(b)) - Number(named(a)));
  for (const placed of byName.slice(0, candidatesMax)) {
    const own = await bytesOf(placed.entry, read);
    const share = own === null ? 0 : similarShare(bytes, own);
    if (share >= similarShareMin && share > (best?.share ?? 0)) best = { placed, share };
  }
  return best?.placed ?? null;
}

async function bytesOf({ blob, mode }: Entry, read: Read): Promise<Uint8Array | null> {
  const bytes = mode === "160000" ? null : await read(blob);
  return bytes === null || bytes.length > similarBytesMax ? null : bytes;
}

function nameOf(path: RepoPath): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function rowsSince(state: VcsState, path: RepoPath, since: Position): readonly Row[] {
  const rows: Row[] = [];
  let row = state.versions.head(path);
  for (; row !== -1 && shownFrom(state, row) > since; row = state.versions.older(row)) rows.push(row);
  return rows;
}
