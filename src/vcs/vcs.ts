// The VCS as its users see it: commits in, snapshots, conflict objects and figures out.

import type { BlobId, ConflictId, Position, RepoPath } from "../base/ids.ts";
import type { Result } from "../base/result.ts";
import type { ObjectFormat } from "../log/blob-id.ts";
import type { AppendError, NewBlob } from "../log/log.ts";
import type { ConflictView, ConflictViewError } from "./conflict-view.ts";
import type { HotFile } from "./hottest.ts";
import type { LogQuery } from "./log-query.ts";
import type { Imported, ImportSource, VcsFigures } from "./state.ts";
import type {
  BlobSource,
  Change,
  CommitOutcome,
  CommitRequest,
  Conflict,
  DiscardedSide,
  Entry,
  LandedCommit,
  Manifest,
} from "./types.ts";
import type { UndoError, Undone, UndoRequest } from "./undo.ts";
import type { StoreEvent } from "./watch.ts";

export interface Vcs {
  /**
   * Answers when the outcome is durable. Without overlap the commit is accepted before the first `await`. Of requests
   * with one key the first that is not refused counts: later ones get its outcome. Nothing is kept of a refused one.
   * An error means that it is not known to be durable: ask again with the same key once the store is open again.
   */
  commit(request: CommitRequest): Promise<Result<CommitOutcome, AppendError>>;
  /** Begins the store with a tree, once; answers with the first snapshot that shows it. */
  importTree(tree: ImportedTree): Promise<Result<Position, ImportError>>;
  /** Null until a tree was imported. */
  imported(): Imported | null;
  /** The newest durable snapshot. */
  head(): Position;
  /** The whole tree of a snapshot not newer than the log's end. */
  manifest(at: Position): Manifest;
  /** The same one by one, for who need not have it whole; what lands meanwhile does not show. */
  entries(at: Position): Iterable<readonly [RepoPath, Entry]>;
  entry(path: RepoPath, at: Position): Entry | null;
  /** Rejects for a blob that is missing or damaged. */
  readonly blobs: BlobSource;
  /** The durable commits that a snapshot at `from` (default: the first) does not show yet, in the order they landed. */
  history(from?: Position): AsyncIterable<LandedCommit>;
  /** The durable commits that the query asks for, newest first. `pause`: see `commitsBack`. */
  log(query: LogQuery, pause?: () => Promise<void>): AsyncIterable<LandedCommit>;
  /** The durable events that a snapshot at `from` does not show yet. */
  events(from: Position): AsyncIterable<StoreEvent>;
  /** Resolves when more than `beyond` is durable, or after so many milliseconds. */
  grown(beyond: Position, waitMs: number): Promise<void>;
  /** Takes back what landed commits have changed, by a commit as any other. A repeated key gets the first answer. */
  undo(request: UndoRequest): Promise<Result<Undone, UndoError | AppendError>>;
  /** The files that most agents have changed, at most so many. Looks at every change there ever was. */
  hottest(countMax: number): readonly HotFile[];
  /** Sides of conflicts that resolutions left out, in the order in which these landed. */
  discarded(): readonly DiscardedSide[];
  /** Every conflict object in the order they were found, accepted but not yet durable ones included. */
  conflicts(): readonly Conflict[];
  conflict(id: ConflictId): Conflict | null;
  /** For the arbiter: the contents in conflict, the head's side as it is now, and the base that a resolution names. */
  conflictView(id: ConflictId): Promise<Result<ConflictView, ConflictViewError>>;
  figures(): VcsFigures;
}

export interface ImportedTree {
  readonly source: ImportSource;
  readonly objectFormat: ObjectFormat;
  /** Read after `blobs` has ended, so that it may be filled while they stream. */
  readonly entries: ReadonlyMap<RepoPath, Entry>;
  /** Contents that the store may not have yet, in any order and grouping. */
  readonly blobs: AsyncIterable<readonly NewBlob[]> | Iterable<readonly NewBlob[]>;
  /** Commits on top of the tree, oldest first: all of them or nothing. */
  readonly history?: ImportedHistory;
}

export interface ImportedHistory {
  readonly commits: readonly ImportedCommit[];
}

export interface ImportedCommit {
  /** Git's ids. */
  readonly id: string;
  readonly tree: string;
  readonly author: string;
  readonly atMs: number;
  readonly message: string;
  readonly changes: readonly Change[];
}

export type ImportError =
  | { readonly kind: "already-imported"; readonly position: Position }
  | { readonly kind: "bad-path"; readonly path: string; readonly reason: string }
  /** The bytes are not those of the id, or the id is not of the repository's object format. */
  | { readonly kind: "bad-blob"; readonly id: BlobId }
  | { readonly kind: "missing-blob"; readonly path: RepoPath; readonly id: BlobId }
  | AppendError;
