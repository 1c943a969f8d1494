// The words of the version-control domain: entries, changes, commits, conflicts, and what a commit may be answered.

import type { AgentId, BlobId, CommitKey, ConflictId, Position, RepoPath, TaskId } from "../base/ids.ts";
import type { NewBlob, NewRecord } from "../log/log.ts";

/** Git's modes: file, executable file, symlink (the blob is its target), submodule (the id is a commit). */
export type Mode = "100644" | "100755" | "120000" | "160000";

export interface Entry {
  readonly blob: BlobId;
  readonly mode: Mode;
}

/** A tree flat by path. */
export type Manifest = ReadonlyMap<RepoPath, Entry>;

export type Change =
  | { readonly kind: "put"; readonly path: RepoPath; readonly blob: BlobId; readonly mode: Mode }
  | { readonly kind: "delete"; readonly path: RepoPath };

export interface Author {
  readonly agent: AgentId;
  readonly task: TaskId;
}

export interface CommitRequest {
  readonly key: CommitKey;
  /** The snapshot the changes were made from. */
  readonly base: Position;
  readonly author: Author;
  /** Subject line, then optional body. */
  readonly message: string;
  /** At most one change a path. */
  readonly changes: readonly Change[];
  /** Paths that the changes were made from and that are not changed: one that has moved since the base is in conflict too. */
  readonly reads?: readonly RepoPath[];
  /** Why the commit leaves its task's scope, in its author's words. */
  readonly reason?: string;
  /** The snapshots that single changes were made from, where it is not `base`: of an undo, the one that it goes back behind. */
  readonly bases?: ReadonlyMap<RepoPath, Position>;
  /** Tells a repetition from another request where the changes do not: an undo's depend on the head. Default: `requestDigest`. */
  readonly digest?: string;
  /** Contents of the put blobs the store may not have yet. */
  readonly blobs: readonly NewBlob[];
  /**
   * Set when the commit is the resolution of a conflict: then it changes the object's paths, and besides at most puts on
   * paths that its held commits change or that a commit of the head added when it deleted one of the object's.
   */
  readonly resolves?: ConflictId;
  /** Of a resolution: the sides that it leaves out. They are named in the history, a commit without changes if need be. */
  readonly discarded?: readonly DiscardedSide[];
  /** Records that become durable in the same batch as this outcome (a task's new state, for example). */
  readonly attach?: (outcome: SettledOutcome) => readonly NewRecord[];
}

/** How one path was brought together with what had landed on it since the base. */
export interface MergedPath {
  readonly path: RepoPath;
  /** What the committer had written. */
  readonly proposed: Entry;
  /** What stood on the head. */
  readonly head: Entry;
}

/** A change that landed at another path than it was made at, since one of the two sides had moved the file or its directory. */
export interface Moved {
  readonly from: RepoPath;
  readonly to: RepoPath;
}

export type SettledOutcome =
  | {
      readonly kind: "landed";
      readonly position: Position;
      readonly merged: readonly RepoPath[];
      /** Absent where nothing was. */
      readonly moved?: readonly Moved[];
    }
  /** Every change already stands on the head: no commit was made. */
  | { readonly kind: "unchanged"; readonly position: Position }
  /** Kept as (or joined to) a conflict object; nothing of it is on the head. */
  | { readonly kind: "conflict"; readonly position: Position; readonly conflict: ConflictId; readonly joined: boolean };

export type CommitOutcome =
  | SettledOutcome
  /** Nothing was kept; the reason is written for an agent to act on. */
  | { readonly kind: "refused"; readonly policy: string; readonly reason: string };

/** One path's three sides in a conflict; null where the side has no file. */
export interface ConflictPath {
  readonly path: RepoPath;
  readonly base: Entry | null;
  /** The head's side: landed first. */
  readonly ours: Entry | null;
  /** The side of the commit that met it. */
  readonly theirs: Entry | null;
  /** Who last changed the head's side; null if it came with the import. */
  readonly oursAuthor: Author | null;
}

/** A side of a conflict that its resolution left out. The store keeps its content: by this record it is found again. */
export interface DiscardedSide {
  readonly path: RepoPath;
  readonly side: "ours" | "theirs";
  /** Whose change it was; null if it came with the import. */
  readonly task: TaskId | null;
  /** What the side had at the path; null where it had deleted it. */
  readonly entry: Entry | null;
  /** The arbiter's words. */
  readonly reason: string;
}

export interface HeldCommit {
  readonly key: CommitKey;
  readonly base: Position;
  readonly author: Author;
  readonly message: string;
  readonly changes: readonly Change[];
  /** As the request's. */
  readonly bases?: ReadonlyMap<RepoPath, Position>;
  readonly position: Position;
}

export interface Conflict {
  readonly id: ConflictId;
  readonly state: "open" | "resolved";
  readonly author: Author;
  /** The snapshot the sides were taken from: a resolution made from an older one is stale. */
  readonly head: Position;
  readonly paths: readonly ConflictPath[];
  /** The commit that met the head, then later ones of the same task that touched its paths, in order. */
  readonly commits: readonly HeldCommit[];
  readonly resolvedAt: Position | null;
  /** The arbiter who closed it; the landed commit keeps the held commit's author. */
  readonly resolvedBy: Author | null;
}

export interface LandedCommit {
  /** The snapshot from which it is visible: its record's number plus one. */
  readonly position: Position;
  readonly atMs: number;
  readonly author: Author;
  readonly message: string;
  readonly base: Position;
  readonly changes: readonly Change[];
  readonly merged: readonly MergedPath[];
  readonly resolves: ConflictId | null;
  /** Who closed the conflict, for the author of the commit. Absent where none was. */
  readonly resolvedBy?: Author;
  /** Absent where nothing was. */
  readonly discarded?: readonly DiscardedSide[];
  /** Absent where nothing was. */
  readonly moved?: readonly Moved[];
}

/** Where a blob's bytes come from: the store, or the coordinator's socket. Answers in the order asked. */
export interface BlobSource {
  get(ids: readonly BlobId[]): Promise<readonly Uint8Array[]>;
}
