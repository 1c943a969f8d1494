// The VCS's records in the log: one parser a type, from which the type is derived. Field names are snake_case.
// A change of a record's meaning gets a new version and an upgrade here, nowhere else.

import type { AgentId, BlobId, CommitKey, ConflictId, Position, RepoPath, TaskId } from "../base/ids.ts";
import {
  list,
  natural,
  nullable,
  object,
  oneOf,
  optional,
  type Parsed,
  type Parser,
  parse,
  text,
  union,
} from "../base/parse.ts";
import { unwrap } from "../base/result.ts";
import type { NewRecord, StoredRecord } from "../log/log.ts";
import { NewCommit, StoredCommit } from "./commit-record.ts";

/** What a record may hold at most when it is read: far above what the limits let in, so that they can be raised. */
const entriesMax = 4_000_000;
const messageCharsMax = 1_000_000;

export const pathParser = text<RepoPath>(4_096);
const path = pathParser;
const blob = text<BlobId>(64);
const mode = oneOf("100644", "100755", "120000", "160000");
const position = natural<Position>();
const line = text(4_096);

export const entryParser = object({ blob, mode });
export const authorParser = object({ agent: text<AgentId>(100), task: text<TaskId>(100) });
export const changeParser = union({ put: object({ path, blob, mode }), delete: object({ path }) });
const [entry, author, change] = [entryParser, authorParser, changeParser];
const conflict = text<ConflictId>(40);

/** What every answer to a commit keeps, so that a repeated key gets it again. */
const asked = { key: text<CommitKey>(1_000), digest: text(64), base: position, author };
const held = { ...asked, message: text(messageCharsMax), changes: list(change, entriesMax) };

const conflictPaths = list(
  object({
    path,
    base: nullable(entry),
    ours: nullable(entry),
    theirs: nullable(entry),
    ours_author: nullable(author),
  }),
  entriesMax,
);

export const discardedSides = list(
  object({
    path,
    side: oneOf("ours", "theirs"),
    task: nullable(text<TaskId>(100)),
    entry: nullable(entry),
    reason: line,
  }),
  entriesMax,
);

const discarded = optional(discardedSides, []);
const moved = optional(list(object({ from: path, to: path }), entriesMax), []);
export const basesParser = list(object({ path, from: position }), entriesMax);
/** Version 2: where single changes were made from, if that is not `base`. A program that passed over it would undo too much. */
const bases = optional(basesParser, []);

const parsers = {
  /** The tree a store began with, by column: row i is `paths[i]`, `modes[i]`, `blobs[i]`. */
  import: object({
    source: object({ repository: line, branch: nullable(line), commit: line, tree: line }),
    object_format: oneOf("sha1", "sha256"),
    paths: list(path, entriesMax),
    modes: list(mode, entriesMax),
    blobs: list(blob, entriesMax),
    /** Version 2: so many commits come in batches of their own, and until `import_history` ends them the store has no import. */
    coming: optional(natural(), 0),
  }),
  /** Ends the commits that came with the import: the last one's ids in git. */
  import_history: object({ commit: line, tree: line, commits: natural() }),
  /** `changes` are what landed, merged contents included. `resolves` names the arbiter; the author is the held commit's. */
  commit: object({
    ...held,
    merged: list(object({ path, proposed: entry, head: entry }), entriesMax),
    resolves: nullable(object({ conflict, resolved_by: author })),
    /** Sides of the conflict that the resolution left out. */
    discarded,
    /** Changes that landed elsewhere than they were made, since their file or directory was renamed: told, and nothing follows from it. */
    moved,
  }),
  /** Nothing was left to land. Kept for its key alone. */
  commit_unchanged: object(asked),
  conflict: object({ conflict, ...held, paths: conflictPaths, bases }),
  /** `paths` replaces the object's, as in `conflict_refreshed`. */
  conflict_joined: object({ conflict, ...held, paths: conflictPaths, bases }),
  /** The head's side was taken anew, since it had moved under a resolution. */
  conflict_refreshed: object({ conflict, paths: conflictPaths }),
  /** Closed without a commit: the resolution was what already stood on the head. */
  conflict_resolved: object({ conflict, ...asked }),
  /** From here on contents that only snapshots before `kept_from` show may be gone from the store. */
  collected: object({ kept_from: position }),
} as const satisfies Record<string, Parser<object>>;

export type VcsRecordType = keyof typeof parsers;
export type VcsRecordData<T extends VcsRecordType> = Parsed<(typeof parsers)[T]>;
export type VcsRecord = { [T in VcsRecordType]: { readonly type: T; readonly data: VcsRecordData<T> } }[VcsRecordType];
export type RecordedConflictPath = VcsRecordData<"conflict">["paths"][number];

const vcsRecordVersion = 1;
/** Of a record with `bases`. */
const basesVersion = 2;
/** Of an import with `coming`: a program that passed over it would show a part of a history. */
const comingVersion = 2;

/** The types that are read here, each with its newest version. */
export const vcsRecordVersions: Readonly<Record<string, number>> = {
  ...Object.fromEntries(Object.keys(parsers).map((type) => [type, vcsRecordVersion])),
  import: comingVersion,
  conflict: basesVersion,
  conflict_joined: basesVersion,
};

export function vcsRecord<T extends VcsRecordType>(atMs: number, type: T, data: VcsRecordData<T>): NewRecord {
  const hasBases = "bases" in data && data.bases.length > 0;
  const hasComing = "coming" in data && data.coming > 0;
  const version = hasBases ? basesVersion : hasComing ? comingVersion : vcsRecordVersion;
  return { type, version, atMs, data };
}

/** Null for a record of another domain. A record of ours that does not parse was written by a bug: it crashes here. */
export function readVcsRecord(record: StoredRecord): VcsRecord | null {
  if (record instanceof StoredCommit) return record.own;
  if (!Object.hasOwn(parsers, record.type)) return null;
  const type = record.type as VcsRecordType;
  const parser: Parser<object> = parsers[type];
  const data = unwrap(parse(parser, record.data, type), `record ${record.position}`);
  return { type, data } as VcsRecord;
}

/**
 * A commit's record as `vcsRecord` makes it, one that needs no reading back: the caller gives plain values made for it alone.
 * Where a text is not well-formed Unicode, which the log cannot carry, it is an ordinary record.
 */
export function commitRecord(atMs: number, data: VcsRecordData<"commit">): NewRecord {
  const { key, author, message, changes, merged, resolves } = data;
  const isPlain = merged.length === 0 && resolves === null && data.discarded.length === 0 && data.moved.length === 0;
  const isText = key.isWellFormed() && author.agent.isWellFormed() && author.task.isWellFormed();
  if (!isPlain || !isText || !message.isWellFormed()) return vcsRecord(atMs, "commit", data);
  // Paths are well-formed since `parseRepoPath`, ids and modes are checked against what they may be.
  return changes.every(({ path: each }) => each.isWellFormed())
    ? new NewCommit(vcsRecordVersion, atMs, data)
    : vcsRecord(atMs, "commit", data);
}
