// What a worker host and the coordinator say to each other. Two tagged unions: what a host may ask, what it may be told.
// Each type is its parser; both sides parse at the edge and trust inside.

import type { AgentId, BlobId, CommitKey, ConflictId, Fence, HostId, Position, RepoPath, TaskId } from "../base/ids.ts";
import {
  bytes,
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
} from "../base/parse.ts";

/** Raised when either side must be new enough; a host of another number is refused at `hello`. */
export const protocolVersion = 4;

export const blobBytesMax = 32 * 1024 * 1024;
export const changesMax = 200_000;
export const blobIdsMax = 10_000;
/** Longest prompt of a job; other long texts have the same limit. */
export const promptCharsMax = 100_000;
const longText = text(promptCharsMax);
/** `script:<path>` is the longest kind. */
const modelName = text(5_000);
const path = text<RepoPath>(4_096);
const blob = text<BlobId>(64);
const mode = oneOf("100644", "100755", "120000", "160000");
const position = natural<Position>();

const lease = object({ task: text<TaskId>(40), agent: text<AgentId>(40), fence: natural<Fence>() });
const change = union({ put: object({ path, blob, mode }), delete: object({ path }) });
const work = object({
  key: text<CommitKey>(100),
  base: position,
  message: longText,
  changes: list(change, changesMax),
  blobs: list(object({ id: blob, bytes: bytes(blobBytesMax) }), changesMax),
  /** Why the change reaches outside the task's scope; null if it does not. */
  outsideScopeReason: nullable(longText),
});
const notes = list(longText, 20);
const handoff = object({
  status: oneOf("done", "failed"),
  summary: longText,
  concerns: notes,
  deviations: notes,
  findings: notes,
});
const transcript = object({ path: text(4_096), bytes: natural(), sha256: text(64) });
const delegation = object({
  key: text(100),
  title: text(1_000),
  instructions: longText,
  kind: oneOf("worker", "planner"),
  scope: list(text(1_000), 50),
  check: nullable(longText),
  after: list(text(100), 100),
  base: oneOf("head", "snapshot"),
  decisions: list(text(40), 100),
});
const entry = object({ blob, mode });
/** A path's three sides in a conflict, and whose the head's is; null where a side has no file. */
const sides = {
  path,
  base: nullable(entry),
  ours: nullable(entry),
  theirs: nullable(entry),
  oursTask: nullable(text<TaskId>(40)),
};
/** Paths of a conflict that is put before an arbiter. */
export const conflictPathsMax = 200;
/** Changes named of one commit that made the head's side of a conflict. */
export const besidesChangesMax = 200;
const discarded = object({
  path,
  side: oneOf("ours", "theirs"),
  task: nullable(text<TaskId>(40)),
  entry: nullable(entry),
  reason: text(2_000),
});
const figure = either(real, oneOf("unavailable"));
const usage = object({
  inputTokens: figure,
  cachedTokens: figure,
  outputTokens: figure,
});

export const hostAsk = union({
  /** `workspaces`: the directory in which this host keeps them, named where a lease ends without a result. */
  hello: object({ protocol: natural(), host: text<HostId>(64), workspaces: text(4_096) }),
  tree: object({ at: position }),
  blobs: object({ ids: list(blob, blobIdsMax) }),
  commit: object({ lease, work }),
  /** The agent's end; `work` is null when nothing is left to commit. */
  handoff: object({ lease, handoff, work: nullable(work), workspace: nullable(text(4_096)) }),
  /** The agent ended without a handoff. */
  fail: object({ lease, reason: longText, workspace: nullable(text(4_096)) }),
  decide: object({ lease, key: text<CommitKey>(100), question: longText, answer: longText, rationale: longText }),
  delegate: object({ lease, snapshot: position, tasks: list(delegation, 1_000) }),
  /** A planner has nothing to do until its children are through. */
  suspend: object({ lease }),
  conflict: object({ id: text<ConflictId>(40) }),
  /** `discarded`: the sides that the answer leaves out. */
  resolve: object({ lease, work, discarded: list(discarded, 2 * conflictPathsMax) }),
  /**
   * The agent stops here, and its work goes on when the run is resumed. `stops`: what stops it is nothing of its task (its
   * provider, the disk), so that the run stops with it; false where it is the run that stops.
   */
  pause: object({ lease, reason: longText, stops: flag }),
  /**
   * This agent's conversation cannot be gone on with (it is open elsewhere, its tree or its transcript is not whole): another
   * agent begins the task anew. `workspace` is what the old one left, which is kept.
   */
  abandon: object({ lease, reason: longText, workspace: nullable(text(4_096)) }),
  /** Whether the lease still counts: asked where a call was refused. */
  lease_stands: object({ lease }),
  /** What this agent has committed after the snapshot its workspace is at: asked when a workspace is opened again. */
  resume_info: object({ lease, since: position }),
  /** Which of these directories of workspaces hold nothing that anybody needs. */
  leftovers: object({ names: list(text(100), 100_000) }),
  /** Asked by the command line, not by hosts. */
  run_status: object({}),
  stop_run: object({ reason: longText, how: oneOf("graceful", "now") }),
  /** The agent's transcript is closed: nothing more comes from it under this lease. */
  agent_ended: object({ lease, outcome: text(1_000), requests: natural(), transcript: nullable(transcript) }),
  /**
   * A request is about to be made. `priced` bounds its cost: dollars of the input at the most, and of one token of output; null
   * where the price is not known. Answered when the budget has room, which may be after other requests have settled.
   * `after`: the attempt before this one at the same request, refused for free or broken at a cost that is not known; null for
   * the first. Another attempt is let through with the same output limit or not at all.
   */
  request_begin: object({
    lease,
    turn: natural(),
    outputTokensMax: natural(),
    priced: nullable(object({ inputUsd: real, outputUsdPerToken: real })),
    after: nullable(oneOf("refused", "broken")),
    /** What that attempt failed by. */
    failed: nullable(longText),
  }),
  /** A request that was let through was never sent: it is none, and nothing is held back for it. */
  request_withdrawn: object({ lease, turn: natural() }),
  /** An arbiter's answer was refused: counted over all its leases. */
  answer_refused: object({ lease }),
  /** `again`: told once more after a crash, of a request that an earlier lease of this agent made. */
  request_done: object({
    lease,
    again: flag,
    model: modelName,
    turn: natural(),
    /** How often it was sent. */
    attempts: natural(),
    usage,
    costUsd: figure,
    /** The attempt that money is held back for may have been charged: false where it was refused for free. */
    heldCharged: flag,
    durationMs: real,
    failed: nullable(longText),
  }),
});
export type HostAsk = Parsed<typeof hostAsk>;
export type Lease = Parsed<typeof lease>;
export type Work = Parsed<typeof work>;
export type Delegation = Parsed<typeof delegation>;
export type WireDiscarded = Parsed<typeof discarded>;
export type WireTranscript = Parsed<typeof transcript>;

export const hostNotice = union({
  beat: object({}),
  /** One line on what an agent does now: for the screen only. */
  activity: object({ agent: text<AgentId>(40), line: text(500) }),
});

const refused = object({ reason: longText });

export const answers = {
  hello: union({ welcome: object({ run: text(64), beatMs: natural() }), refused }),
  tree: object({ entries: list(object({ path, blob, mode }), 2_000_000) }),
  blobs: object({ blobs: list(bytes(blobBytesMax), blobIdsMax) }),
  commit: union({
    /** `moved`: changes that landed elsewhere, since their file or directory was renamed. */
    landed: object({
      position,
      merged: list(path, changesMax),
      moved: optional(list(object({ from: path, to: path }), changesMax), []),
    }),
    unchanged: object({ position }),
    conflict: object({ position, conflict: text<ConflictId>(40), joined: flag }),
    refused,
  }),
  handoff: union({ accepted: object({ note: longText }), refused }),
  fail: object({}),
  decide: union({ decided: object({ decision: text(40), path, position }), refused }),
  delegate: union({
    accepted: object({ tasks: list(object({ id: text<TaskId>(40), key: text(100) }), 1_000) }),
    refused,
  }),
  suspend: union({ suspended: object({}), go_on: object({ message: longText }), refused }),
  conflict: union({
    open: object({
      head: position,
      objectFormat: oneOf("sha1", "sha256"),
      paths: list(
        union({
          text: object({
            ...sides,
            mode,
            regions: list(
              union({
                clean: object({ bytes: bytes(blobBytesMax) }),
                conflict: object({
                  hunk: natural(),
                  base: bytes(blobBytesMax),
                  ours: bytes(blobBytesMax),
                  theirs: bytes(blobBytesMax),
                }),
              }),
              100_000,
            ),
          }),
          /** No hunks to speak of (binary, link, deletion against an edit): answered as a whole. */
          whole: object({
            ...sides,
            because: oneOf("binary", "too-large", "deleted", "absent", "type", "place", "unreadable"),
          }),
        }),
        conflictPathsMax,
      ),
      /** Deleted paths whose content the same side seems to have put elsewhere; `blob` and `mode` stand at `to`. */
      moves: list(object({ from: path, to: path, side: oneOf("ours", "theirs"), blob, mode }), conflictPathsMax),
      /** What the commits that made the head's sides changed besides; `left` counts those that are not named. */
      besides: list(
        object({
          task: text<TaskId>(40),
          message: longText,
          changes: list(change, besidesChangesMax),
          left: natural(),
        }),
        1_000,
      ),
      /** What lands with the resolution besides: for trying both sides' checks on the whole. */
      others: object({
        changes: list(change, changesMax),
        blobs: list(object({ id: blob, bytes: bytes(blobBytesMax) }), changesMax),
      }),
      sides: list(
        object({
          side: oneOf("ours", "theirs"),
          task: text<TaskId>(40),
          title: longText,
          instructions: longText,
          check: nullable(longText),
        }),
        conflictPathsMax + 1,
      ),
    }),
    /** Too much to be put before an arbiter; the object stays as it is. */
    beyond: object({ reason: longText }),
    gone: object({}),
  }),
  agent_ended: object({}),
  pause: object({}),
  abandon: object({}),
  lease_stands: object({ stands: flag }),
  resume_info: object({
    commits: list(
      object({
        position,
        /** As the agent proposed them; a merge may have made others of them. */
        changes: list(change, changesMax),
        /** Kept in an open conflict: the workspace keeps the agent's side. */
        held: flag,
      }),
      10_000,
    ),
  }),
  leftovers: object({ removable: list(text(100), 100_000) }),
  run_status: object({ status: longText }),
  stop_run: object({}),
  /** `pause`: the run stops, and the agent's work goes on when it is resumed. */
  request_begin: union({
    go: object({ outputTokensMax: natural() }),
    stop: object({ reason: longText, pause: flag }),
  }),
  resolve: union({ resolved: object({ position }), stale: object({ reason: longText }), refused }),
  request_done: object({}),
  request_withdrawn: object({}),
  answer_refused: object({}),
} as const satisfies Record<HostAsk["kind"], Parser<object>>;

export type Answers = { [K in keyof typeof answers]: Parsed<(typeof answers)[K]> };
export type ConflictAnswer = Answers["conflict"];

const job = object({
  lease,
  role: oneOf("planner", "worker", "arbiter"),
  keys: list(text(100), 10),
  model: modelName,
  /** The snapshot the agent works from or reads. */
  snapshot: position,
  system: longText,
  /** The next user message of the conversation; of one that was interrupted: only if it is not there yet. */
  prompt: longText,
  /** `woken`: a planner whose tasks are through. `interrupted`: by the end of its host or of the run; it goes on where it was. */
  resume: oneOf("new", "woken", "interrupted"),
  /** The prompt tells a planner its tasks' results. */
  wakes: flag,
  /** The newest turn of this agent whose answer is in the bill: a transcript without it has lost its end. 0: none. */
  answeredTurn: natural(),
  check: nullable(longText),
  conflict: nullable(text<ConflictId>(40)),
  /** Answers to that conflict which were refused, under earlier leases. */
  answersRefused: natural(),
  turnsMax: natural(),
  outputTokensMax: natural(),
});
export type Job = Parsed<typeof job>;

export const coordinatorNotice = union({
  assign: object({ job }),
  cancel: object({ agent: text<AgentId>(40), reason: longText }),
  /** The run stops in order: a request that waits to be sent is given up, one that was sent is answered. */
  hold: object({ reason: longText }),
  stop: object({ reason: longText }),
});
export type CoordinatorNotice = Parsed<typeof coordinatorNotice>;
