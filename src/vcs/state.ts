// What the VCS knows at the end of the log: every path's versions, the commits, the conflict objects, the answers given.
// Only the fold changes it; everything in it follows from the records.

import type { CommitKey, ConflictId, Position, RepoPath, TaskId } from "../base/ids.ts";
import type { ObjectFormat } from "../log/blob-id.ts";
import type { Conflict, Entry, LandedCommit, SettledOutcome } from "./types.ts";

/** One state of one path, newest first along `older`. A linked list keeps a path that never changed at one small object. */
export interface Version {
  /** The first snapshot that shows it. */
  readonly at: Position;
  /** Null where the path was deleted. */
  readonly entry: Entry | null;
  /** Index into `commits`; null if it came with the import. */
  readonly commit: number | null;
  readonly older: Version | null;
}

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
}

export interface GivenAnswer {
  readonly outcome: SettledOutcome;
  /** `requestDigest` of the request that got it. */
  readonly digest: string;
}

export interface VcsFigures {
  readonly commits: number;
  /** Commits of which at least one path was merged with what had landed before. */
  readonly mergedCommits: number;
  readonly mergedPaths: number;
  readonly conflictsFound: number;
  readonly conflictsResolved: number;
}

export interface VcsState {
  imported: Imported | null;
  readonly versions: Map<RepoPath, Version>;
  /** Files below each directory on the head; a directory without files is absent. */
  readonly directories: Map<string, number>;
  readonly commits: LandedCommit[];
  readonly conflicts: Map<ConflictId, Conflict>;
  /** Open conflict objects by the task whose commits they hold, oldest first. */
  readonly openConflicts: Map<TaskId, readonly ConflictId[]>;
  readonly answers: Map<CommitKey, GivenAnswer>;
  figures: VcsFigures;
}
