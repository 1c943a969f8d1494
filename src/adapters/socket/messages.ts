// What a client of a store's socket may ask and what it is answered, parsed at both ends. Field names are snake_case; a change of
// meaning is a new `socketProtocol`.

import type { AgentId, BlobId, CommitKey, ConflictId, Position, RepoPath, TaskId } from "../../base/ids.ts";
import {
  either,
  flag,
  list,
  natural,
  nullable,
  object,
  oneOf,
  optional,
  type Parsed,
  type Parser,
  real,
  text,
  union,
} from "../../base/parse.ts";

export const socketProtocol = 3;
/** Tells a client of ours from whoever else connects. */
export const socketName = "skein-store";

const path = text<RepoPath>(4_096);
const blob = text<BlobId>(64);
const mode = oneOf("100644", "100755", "120000", "160000");
const position = natural<Position>();
const conflict = text<ConflictId>(40);
const line = text(4_096);
const long = text(1_000_000);

export const clientHello = object({ socket: text(40), protocol: natural() });

/** A log's id, and device and inode of the directory: one store, and no copy of it. */
const identity = object({ log: text(64), directory: text(200) });
export type StoreIdentity = Parsed<typeof identity>;

export const serverHello = object({
  socket: text(40),
  protocol: natural(),
  pid: natural(),
  store: identity,
  /** What a commit may hold, so that a client need not send what will be refused. */
  file_bytes_max: natural(),
  commit_bytes_max: natural(),
  frame_bytes_max: natural(),
  part_bytes: natural(),
});
export type ServerHello = Parsed<typeof serverHello>;

export const undoWish = union({
  commits: object({ positions: list(position, 100_000) }),
  agent: object({ agent: text(1_000) }),
  task: object({ task: text(1_000) }),
});

/** Contents that one request may name. */
export const contentsAnAskMax = 1_000;

/** `at` null: the newest durable snapshot. */
export const ask = union({
  head: object({}),
  list: object({ at: nullable(position), prefix: text<string>(4_096) }),
  entry: object({ at: nullable(position), path }),
  blob: object({ id: blob, offset: natural() }),
  /** The commits that a snapshot at `from` does not show. */
  history: object({ from: position }),
  /** Small contents, many at once. */
  contents: object({ ids: list(blob, contentsAnAskMax) }),
  upload: object({ id: blob, bytes: natural() }),
  /** Landed commits from a snapshot back, newest first. */
  log: object({
    at: nullable(position),
    agent: nullable(text(1_000)),
    task: nullable(text(1_000)),
    path: nullable(path),
    limit: natural(),
  }),
  /** The events after a snapshot; where there is none yet, the next ones, or none after a while. */
  watch: object({ from: position, wait_ms: natural() }),
  /** Takes back landed commits: once under a key. */
  undo: object({
    key: text<CommitKey>(1_000),
    agent: text<AgentId>(1_000),
    task: text<TaskId>(1_000),
    message: nullable(long),
    reason: nullable(long),
    wish: undoWish,
  }),
  conflicts: object({ after: natural(), open_only: flag }),
  conflict: object({ id: conflict }),
  stats: object({}),
  gc: object({ keep: nullable(natural()) }),
  fsck: object({}),
  /** A tree out of a git repository of the server's machine. */
  import: object({ repository: line, revision: line, history: nullable(either(natural(), oneOf("all"))) }),
});
export type Ask = Parsed<typeof ask>;

const entry = object({ blob, mode });
const author = object({ agent: text(1_000), task: text(1_000) });

export const source = object({ repository: line, branch: nullable(line), commit: line, tree: line });

const sides = object({
  path,
  base: nullable(entry),
  ours: nullable(entry),
  theirs: nullable(entry),
  ours_author: nullable(author),
});

const conflictLine = object({
  id: conflict,
  state: oneOf("open", "resolved"),
  author,
  head: position,
  paths: natural(),
  commits: natural(),
  first_path: nullable(path),
});
export type ConflictLine = Parsed<typeof conflictLine>;

const conflictAnswer = object({
  id: conflict,
  state: oneOf("open", "resolved"),
  author,
  head: position,
  paths: list(sides, 1_000_000),
  commits: list(
    object({ key: text(1_000), base: position, author, message: long, changes: natural(), position }),
    1_000_000,
  ),
  resolved_at: nullable(position),
  resolved_by: nullable(author),
});
export type ConflictAnswer = Parsed<typeof conflictAnswer>;

export const answers = {
  head: object({
    position,
    imported: nullable(
      object({
        source,
        object_format: oneOf("sha1", "sha256"),
        position,
        /** What an export goes on from. */
        tip: object({ commit: line, tree: line, position }),
      }),
    ),
    /** Why nothing is accepted any more; null while all is well. */
    stopped: nullable(long),
  }),
  /** Ends a stream of parts, each a msgpack array of `[path, mode, blob]`. */
  list: object({ at: position, entries: natural() }),
  entry: object({ at: position, entry: nullable(entry) }),
  /** Ends a stream of parts: the length of the whole content (u64), then its bytes from the offset that was asked for. */
  blob: object({ bytes: natural() }),
  /** Ends a stream of parts (`history-part.ts`). `to`: a snapshot that shows all that came; ask on from there. */
  history: object({ to: position, commits: natural() }),
  /** Ends a stream of parts, each a msgpack list of `[index of the id, bytes]`. `large`: indexes of what is asked for with `blob`. */
  contents: object({ sent: natural(), large: list(natural(), contentsAnAskMax) }),
  /** `here`: the store had it already. */
  upload: object({ state: oneOf("here", "stored") }),
  conflicts: object({ conflicts: list(conflictLine, 10_000), next: nullable(natural()) }),
  conflict: conflictAnswer,
  stats: object({
    figures: list(object({ name: text(100), value: nullable(either(real, line)) }), 1_000),
    hottest: list(object({ path, commits: natural(), agents: natural(), deleted: flag }), 1_000),
  }),
  /** Ends a stream of parts as those of `history`. */
  log: object({ commits: natural() }),
  /** Ends a stream of parts (`event-part.ts`). `to`: ask on from there. */
  watch: object({ to: position, events: natural() }),
  /** JSON, since what it answers is the application's. */
  undo: object({ report: text(64_000_000) }),
  gc: object({ report: long }),
  fsck: object({ report: long }),
  import: object({ report: long }),
} as const satisfies Record<Ask["kind"], Parser<object>>;
export type Answers = { [K in Ask["kind"]]: Parsed<(typeof answers)[K]> };

const landedFields = object({
  position,
  merged: list(path, 1_000_000),
  moved: optional(list(object({ from: path, to: path }), 1_000_000), []),
});
const landed: Parser<Parsed<typeof landedFields> | Omit<Parsed<typeof landedFields>, "moved">> = (value, at) => {
  const { moved, ...rest } = landedFields(value, at);
  return moved.length === 0 ? rest : { ...rest, moved };
};

export const commitAnswer = union({
  landed,
  unchanged: object({ position }),
  conflict: object({ position, conflict, joined: flag }),
  refused: object({ policy: text(100), reason: long }),
});

/** Why a request got no answer. `store`: nothing more is accepted, or the disk refused; ask again once it is open again. */
export const problem = object({
  failed: oneOf("unknown", "store", "bad-request", "too-large", "not-found", "damaged", "unsupported", "internal"),
  message: long,
});
export type Problem = Parsed<typeof problem>;

export const bye = object({ reason: text(4_096) });
