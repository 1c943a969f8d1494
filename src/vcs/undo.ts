// Undo: what a set of landed commits has changed is taken back by a new commit, and nothing else. Where others have changed the same
// since, their changes stay or the new commit is kept as a conflict: that is decided where every commit is.

import { asPosition, type Position, type RepoPath } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Ledger } from "../log/ledger.ts";
import type { AppendError, NewBlob } from "../log/log.ts";
import { otherRequest } from "./committer.ts";
import { vcsFold } from "./fold.ts";
import { answerAt } from "./history.ts";
import { createMerges, type MergeFunction, type Merges } from "./merges.ts";
import { undoDigest } from "./request-digest.ts";
import { headEntry, sameEntry } from "./snapshot.ts";
import type { VcsState } from "./state.ts";
import { decidePath } from "./three-way.ts";
import type { Author, Change, CommitOutcome, CommitRequest, Entry } from "./types.ts";
import type { Row } from "./version-table.ts";

/** What is to be undone. */
export type UndoWish =
  | { readonly kind: "commits"; readonly positions: readonly Position[] }
  | { readonly kind: "agent"; readonly agent: string }
  | { readonly kind: "task"; readonly task: string };

export interface UndoRequest extends Pick<CommitRequest, "key" | "author" | "reason"> {
  readonly wish: UndoWish;
  /** Null: says what is undone. */
  readonly message: string | null;
}

export interface Undone {
  /** The commits that were undone, oldest first; empty where the key had been answered before. */
  readonly undone: readonly Position[];
  readonly outcome: CommitOutcome;
}

/** A commit's request but for who makes it. */
interface Undo extends Pick<CommitRequest, "base" | "changes" | "blobs"> {
  readonly bases: ReadonlyMap<RepoPath, Position>;
  readonly undone: readonly Position[];
}

export type UndoError =
  | { readonly kind: "no-commit"; readonly position: Position }
  | { readonly kind: "no-commits-of"; readonly who: string }
  | { readonly kind: "undo-too-large"; readonly paths: number; readonly pathsMax: number }
  /** What the commit has replaced is not kept any more. */
  | { readonly kind: "undo-too-old"; readonly position: Position; readonly keptFrom: Position };

export const undoPathsMax = 20_000;
/** Positions that the message names. */
const positionsNamedMax = 200;

export interface UndoParts {
  readonly ledger: Ledger;
  readonly merge: MergeFunction;
  commit(request: CommitRequest): Promise<Result<CommitOutcome, AppendError>>;
}

export async function undo(
  { ledger, merge, commit }: UndoParts,
  { key, author, reason, wish, message }: UndoRequest,
): Promise<Result<Undone, UndoError | AppendError>> {
  const flushed = await ledger.flushed();
  if (!flushed.ok) return flushed;
  const digest = undoDigest({ author, wish });
  // What it would change depends on the head: a repetition would be taken for another commit.
  for (const position of ledger.state(vcsFold).answers.candidates(key)) {
    const given = position <= ledger.durable ? await answerAt(ledger, position) : null;
    if (given?.key !== key) continue;
    return ok({ undone: [], outcome: given.digest === digest ? given.outcome : otherRequest(key) });
  }
  const planned = await planUndo(ledger, merge, wish);
  if (!planned.ok) return planned;
  const { undone, bases, ...changes } = planned.value;
  if (changes.changes.length === 0) return ok({ undone, outcome: { kind: "unchanged", position: ledger.durable } });
  const outcome = await commit({
    key,
    author,
    message: message ?? messageOf(wish, undone),
    digest,
    ...changes,
    ...(bases.size === 0 ? {} : { bases }),
    ...(reason === undefined ? {} : { reason }),
  });
  return outcome.ok ? ok({ undone, outcome: outcome.value }) : outcome;
}

function messageOf(wish: UndoWish, undone: readonly Position[]): string {
  const whose =
    wish.kind === "commits" ? "" : wish.kind === "agent" ? ` of agent ${wish.agent}` : ` of task ${wish.task}`;
  const named = undone.slice(0, positionsNamedMax).join(", ");
  const more = undone.length > positionsNamedMax ? ` and ${undone.length - positionsNamedMax} more` : "";
  return `Undo ${undone.length} ${undone.length === 1 ? "commit" : "commits"}${whose}\n\nUndone: ${named}${more}`;
}

/**
 * Of the head as it is at the call. A path that only these commits have changed lately goes back to what it was before them;
 * one on which others' changes lie between theirs is brought together from the newest to the oldest, and where that is not
 * possible it goes back as a whole, which then is a conflict.
 */
async function planUndo(ledger: Ledger, merge: MergeFunction, wish: UndoWish): Promise<Result<Undo, UndoError>> {
  const state = ledger.state(vcsFold);
  const chosen = commitsOf(state, wish);
  if (!chosen.ok) return chosen;
  const undone = chosen.value.map((commit) => state.commits.position(commit));
  const [oldest] = undone;
  if (oldest !== undefined && oldest - 1 < state.keptFrom) {
    return err({ kind: "undo-too-old", position: oldest, keptFrom: state.keptFrom });
  }
  const base = ledger.end;
  const runs = runsByPath(state, new Set(chosen.value));
  if (runs.size > undoPathsMax) return err({ kind: "undo-too-large", paths: runs.size, pathsMax: undoPathsMax });
  const heads = new Map([...runs.keys()].map((path) => [path, headEntry(state, path)]));
  const made = new Map<string, NewBlob>();
  const objectFormat = state.imported?.objectFormat ?? "sha1";
  const merges = createMerges({ log: ledger.log, objectFormat, merge, given: (id) => made.get(id)?.bytes });
  const changes: Change[] = [];
  const bases = new Map<RepoPath, Position>();
  for (const [path, all] of runs) {
    const [newest] = all;
    const oldestRun = all.at(-1);
    if (newest === undefined || oldestRun === undefined) continue;
    const head = heads.get(path) ?? null;
    const between = all.length === 1 ? null : await backThrough(merges, made, head, all);
    if (between !== null) {
      if (!sameEntry(between.entry, head)) changes.push(changeTo(path, between.entry));
      continue;
    }
    if (sameEntry(oldestRun.before, newest.after)) continue;
    changes.push(changeTo(path, oldestRun.before));
    bases.set(path, newest.shownFrom);
  }
  return ok({ base, changes, bases, blobs: [...made.values()], undone });
}

function changeTo(path: RepoPath, entry: Entry | null): Change {
  return entry === null ? { kind: "delete", path } : { kind: "put", path, ...entry };
}

function commitsOf({ commits }: VcsState, wish: UndoWish): Result<readonly number[], UndoError> {
  if (wish.kind === "commits") {
    const found: number[] = [];
    for (const position of [...wish.positions].sort((a, b) => a - b)) {
      const commit = commits.countAt(position) - 1;
      if (commit < 0 || commits.position(commit) !== position) return err({ kind: "no-commit", position });
      if (found.at(-1) !== commit) found.push(commit);
    }
    return ok(found);
  }
  const isIts = ({ agent, task }: Author): boolean =>
    wish.kind === "agent" ? agent === wish.agent : task === wish.task;
  const found: number[] = [];
  for (let commit = 0; commit < commits.length; commit += 1) if (isIts(commits.author(commit))) found.push(commit);
  const who = wish.kind === "agent" ? `agent ${wish.agent}` : `task ${wish.task}`;
  return found.length === 0 ? err({ kind: "no-commits-of", who }) : ok(found);
}

/** Commits of the set one after another on a path, with nobody else's between them. */
interface Run {
  /** The snapshot of the last of them. */
  readonly shownFrom: Position;
  readonly after: Entry | null;
  readonly before: Entry | null;
}

/** Newest first for each path. */
function runsByPath(state: VcsState, chosen: ReadonlySet<number>): ReadonlyMap<RepoPath, readonly Run[]> {
  const { versions, commits } = state;
  const runs = new Map<RepoPath, Run[]>();
  for (const commit of chosen) {
    const end = commit + 1 < commits.length ? commits.firstRow(commit + 1) : versions.rows;
    for (let row = commits.firstRow(commit); row < end; row += 1) {
      const path = versions.path(row);
      if (!runs.has(path)) runs.set(path, runsOf(state, chosen, versions.head(path)));
    }
  }
  return runs;
}

function runsOf({ versions, commits }: VcsState, chosen: ReadonlySet<number>, head: Row): Run[] {
  const runs: Run[] = [];
  for (let row = head; row !== -1; ) {
    if (!chosen.has(versions.commit(row))) {
      row = versions.older(row);
      continue;
    }
    const last = row;
    while (row !== -1 && chosen.has(versions.commit(row))) row = versions.older(row);
    runs.push({
      shownFrom: asPosition(commits.position(versions.commit(last))),
      after: versions.entry(last),
      before: row === -1 ? null : versions.entry(row),
    });
  }
  return runs;
}

/** The head without the runs, taken off one by one; null where others' changes do not allow it. */
async function backThrough(
  merges: Merges,
  made: Map<string, NewBlob>,
  head: Entry | null,
  runs: readonly Run[],
): Promise<{ readonly entry: Entry | null } | null> {
  let entry = head;
  for (const { after, before } of runs) {
    const decision = decidePath(after, entry, before);
    if (decision.kind === "conflict") return null;
    if (decision.kind === "take") entry = decision.entry;
    if (decision.kind !== "merge") continue;
    await merges.compute([decision.need]);
    const answer = merges.find(decision.need);
    if (answer?.kind !== "clean") return null;
    made.set(answer.blob.id, answer.blob);
    entry = { blob: answer.blob.id, mode: decision.mode };
  }
  return { entry };
}
