// What the VCS knows at the end of the log: every path's versions, the commits, the conflict objects, the answers given.
// Only the fold changes it; everything in it follows from the records.

import type { BlobId, ConflictId, Position, TaskId } from "../base/ids.ts";
import type { ObjectFormat } from "../log/blob-id.ts";
import type { AnswerTable } from "./answer-table.ts";
import type { CommitTable } from "./commit-table.ts";
import type { Conflict, DiscardedSide } from "./types.ts";
import type { VersionTable } from "./version-table.ts";

/** Where the tree came from. */
export interface ImportSource {
  readonly repository: string;
  /** Null for a detached HEAD. */
  readonly branch: string | null;
  /** Git's ids of the commit and its tree. */
  readonly commit: string;
  readonly tree: string;
}

export interface Imported {
  readonly source: ImportSource;
  readonly objectFormat: ObjectFormat;
  /** The first snapshot that shows the tree: the least base a commit may have. */
  readonly position: Position;
  /** What the history that came along ends with, and what an export goes on from: the source itself where none came. */
  readonly tip: ImportTip;
}

export interface ImportTip {
  readonly commit: string;
  readonly tree: string;
  /** The first snapshot that shows it. */
  readonly position: Position;
}

export interface VcsFigures {
  readonly commits: number;
  /** Commits of which at least one path was merged with what had landed before. */
  readonly mergedCommits: number;
  readonly mergedPaths: number;
  readonly conflictsFound: number;
  readonly conflictsResolved: number;
}

/** A content that a commit names beside what it put: what a merge took in. */
export interface NamedBlob {
  /** The commit's position. */
  readonly at: Position;
  readonly blob: BlobId;
}

export interface Coming {
  /** Everything before it, and nothing of it. */
  readonly from: Position;
  readonly commits: number;
  /** What the store's is to be. */
  readonly state: VcsState;
}

export interface VcsState {
  imported: Imported | null;
  /** An import whose history is coming, batch by batch: nothing of it is shown before the last. Of one that broke off, until the next begins. */
  coming: Coming | null;
  versions: VersionTable;
  readonly commits: CommitTable;
  readonly conflicts: Map<ConflictId, Conflict>;
  /** Open conflict objects by the task whose commits they hold, oldest first. */
  readonly openConflicts: Map<TaskId, readonly ConflictId[]>;
  readonly answers: AnswerTable;
  readonly named: NamedBlob[];
  readonly discarded: DiscardedSide[];
  /** The oldest snapshot of which every content is kept; contents that only older ones show may be gone. */
  keptFrom: Position;
  figures: VcsFigures;
}
