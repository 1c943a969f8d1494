// `skein vcs resolve`: a person's answer to a conflict object. Each of its paths is decided: by a side, or by a file of a directory. What
// is left out is named in the history, with who decided so.

import { resolve } from "node:path";
import type { ConflictAnswer } from "../adapters/socket/messages.ts";
import {
  type AgentId,
  asCommitKey,
  asPosition,
  type CommitKey,
  type ConflictId,
  type Position,
  type RepoPath,
  type TaskId,
} from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { NewBlob } from "../log/log.ts";
import { sameEntry } from "../vcs/snapshot.ts";
import type { Change, CommitOutcome, DiscardedSide, Entry, Manifest } from "../vcs/types.ts";
import { scanDirectory, send } from "./store-commit.ts";
import type { WriteDoor } from "./store-door.ts";
import { findStore, type StoreWish } from "./store-place.ts";
import type { Surroundings } from "./surroundings.ts";
import { type Done, fromServer, type VcsError, writing } from "./vcs-commands.ts";
import { conflictOf } from "./vcs-reading.ts";

export interface ResolveWish {
  readonly id: ConflictId;
  /** Of every path that is named nowhere else; null: those are undecided. */
  readonly take: "ours" | "theirs" | null;
  readonly ours: readonly string[];
  readonly theirs: readonly string[];
  /** Where the files of the remaining paths are; one that is missing there is deleted. */
  readonly from: string | null;
  /** The snapshot that the person has looked at; `head`: the newest. */
  readonly base: number | "head";
  readonly message: string | null;
  /** Repeated, it gives the first answer again; null: one of its own. */
  readonly key: CommitKey | null;
  readonly agent: AgentId;
  readonly task: TaskId;
}

export type ResolveError =
  | VcsError
  | { readonly kind: "no-such-conflict"; readonly id: string }
  | { readonly kind: "conflict-closed"; readonly id: string; readonly by: string | null }
  | { readonly kind: "both-sides"; readonly path: string }
  | { readonly kind: "not-in-conflict"; readonly path: string; readonly paths: readonly string[] }
  | { readonly kind: "undecided"; readonly paths: readonly string[] };

export interface Resolved {
  readonly outcome: CommitOutcome;
  readonly conflict: ConflictId;
  /** Whose commits were held. */
  readonly author: ConflictAnswer["author"];
  readonly decided: readonly { readonly path: RepoPath; readonly by: "ours" | "theirs" | "file" }[];
  readonly discarded: readonly DiscardedSide[];
}

export async function vcsResolve(
  surroundings: Surroundings,
  store: StoreWish,
  wish: ResolveWish,
): Promise<Result<Done<Resolved>, ResolveError>> {
  const place = await findStore(surroundings, store);
  if (!place.ok) return place;
  const { directory } = place.value;
  return writing<Resolved, ResolveError>(surroundings, directory, async (door) => {
    const looked = await lookAt(door, directory, wish);
    if (!looked.ok) return looked;
    const { conflict, base, manifest, isClosed } = looked.value;
    const decided = decide(conflict, wish);
    if (!decided.ok) return decided;
    const made = await contentsOf(surroundings, { conflict, manifest, wish, decided: decided.value });
    if (!made.ok) return made;
    const reason = wish.message?.split("\n")[0] ?? "decided by hand";
    const discarded = decided.value.flatMap(({ path, by }) => leftOut(conflict, manifest, path, by, reason));
    const outcome = await send(door, {
      key: wish.key ?? asCommitKey(`by-hand-${surroundings.host.random.letters(20)}`),
      base,
      author: { agent: wish.agent, task: wish.task },
      message: wish.message ?? `Resolve ${wish.id}`,
      changes: made.value.changes,
      blobs: made.value.blobs,
      resolves: wish.id,
      discarded,
    });
    if (!outcome.ok) return outcome;
    // Its key is not the one that closed it.
    if (isClosed && outcome.value.kind === "refused" && outcome.value.policy === "resolution") return closed(conflict);
    return ok({
      outcome: outcome.value,
      conflict: wish.id,
      author: conflict.author,
      decided: decided.value,
      discarded,
    });
  });
}

interface Looked {
  readonly conflict: ConflictAnswer;
  readonly base: Position;
  readonly manifest: Manifest;
  readonly isClosed: boolean;
}

async function lookAt(door: WriteDoor, store: string, wish: ResolveWish): Promise<Result<Looked, ResolveError>> {
  const conflict = await conflictOf({ door }, wish.id);
  if (conflict === null) return err({ kind: "no-such-conflict", id: wish.id });
  const isClosed = conflict.state === "resolved";
  const { resolved_at: closedAt } = conflict;
  if (isClosed && (wish.key === null || closedAt === null)) return closed(conflict);
  const head = await headOf(door, store);
  if (!head.ok) return head;
  // A repeated request is the same as the first: the sides are those of the snapshot that it was settled on.
  const newest = closedAt === null ? head.value : asPosition(closedAt - 1);
  const base = wish.base === "head" ? newest : (wish.base as Position);
  if (base > head.value) return err({ kind: "no-snapshot", base, head: head.value });
  if (door.kind === "writer") return ok({ conflict, base, isClosed, manifest: door.store.vcs.manifest(base) });
  const listed = await door.client.list(base);
  if (!listed.ok) return err(fromServer(listed.error, store));
  const files = listed.value.files.map(({ path, blob, mode }) => [path, { blob, mode }] as const);
  return ok({ conflict, base, isClosed, manifest: new Map(files) });
}

function closed({ id, resolved_by: by }: ConflictAnswer): Result<never, ResolveError> {
  return err({ kind: "conflict-closed", id, by: by?.agent ?? null });
}

async function headOf(door: WriteDoor, store: string): Promise<Result<Position, ResolveError>> {
  if (door.kind === "writer") return ok(door.store.vcs.head());
  const head = await door.client.head();
  return head.ok ? ok(head.value.position) : err(fromServer(head.error, store));
}

type Decided = Resolved["decided"];

function decide({ paths }: ConflictAnswer, wish: ResolveWish): Result<Decided, ResolveError> {
  const known = paths.map(({ path }) => path);
  const stranger = [...wish.ours, ...wish.theirs].find((path) => !known.some((each) => each === path));
  if (stranger !== undefined) return err({ kind: "not-in-conflict", path: stranger, paths: known });
  const twice = wish.ours.find((path) => wish.theirs.includes(path));
  if (twice !== undefined) return err({ kind: "both-sides", path: twice });
  const decided: { path: RepoPath; by: "ours" | "theirs" | "file" }[] = [];
  const undecided: string[] = [];
  for (const path of known) {
    if (wish.ours.includes(path)) decided.push({ path, by: "ours" });
    else if (wish.theirs.includes(path)) decided.push({ path, by: "theirs" });
    else if (wish.take !== null) decided.push({ path, by: wish.take });
    else if (wish.from !== null) decided.push({ path, by: "file" });
    else undecided.push(path);
  }
  return undecided.length > 0 ? err({ kind: "undecided", paths: undecided }) : ok(decided);
}

interface Answering {
  readonly conflict: ConflictAnswer;
  readonly manifest: Manifest;
  readonly wish: ResolveWish;
  readonly decided: Decided;
}

async function contentsOf(
  surroundings: Surroundings,
  { conflict, manifest, wish, decided }: Answering,
): Promise<Result<{ readonly changes: readonly Change[]; readonly blobs: readonly NewBlob[] }, ResolveError>> {
  const fromFiles = decided.filter(({ by }) => by === "file").map(({ path }) => path);
  const scanned =
    wish.from === null || fromFiles.length === 0
      ? ok({ changes: [], blobs: [] })
      : await scanDirectory(surroundings, {
          root: resolve(surroundings.cwd, wish.from),
          base: manifest,
          only: fromFiles,
        });
  if (!scanned.ok) return scanned;
  const read = new Map(scanned.value.changes.map((change) => [change.path, change]));
  const changes = decided.map(({ path, by }): Change => {
    const own = read.get(path);
    if (by === "file" && own !== undefined) return own;
    const theirs = conflict.paths.find((side) => side.path === path)?.theirs ?? null;
    const entry: Entry | null = by === "theirs" ? theirs : (manifest.get(path) ?? null);
    return entry === null ? { kind: "delete", path } : { kind: "put", path, ...entry };
  });
  return ok({ changes, blobs: scanned.value.blobs });
}

function leftOut(
  { paths, author }: ConflictAnswer,
  manifest: Manifest,
  path: RepoPath,
  by: "ours" | "theirs" | "file",
  reason: string,
): readonly DiscardedSide[] {
  const side = paths.find((each) => each.path === path);
  const ours = manifest.get(path) ?? null;
  if (by === "file" || side === undefined || sameEntry(ours, side.theirs)) return [];
  const cut = reason.slice(0, reasonCharsMax);
  if (by === "ours") {
    const isChange = !sameEntry(side.theirs, side.base);
    return isChange ? [{ path, side: "theirs", task: author.task as TaskId, entry: side.theirs, reason: cut }] : [];
  }
  if (sameEntry(ours, side.base)) return [];
  return [{ path, side: "ours", task: (side.ours_author?.task ?? null) as TaskId | null, entry: ours, reason: cut }];
}

const reasonCharsMax = 1_000;
