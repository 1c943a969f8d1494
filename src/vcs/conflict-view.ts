// A conflict object for the arbiter's eyes: each path's sides with their contents brought together as far as they go.
// All of a view is from one durable snapshot, which a resolution names as its base.

import { unreachable } from "../base/assert.ts";
import type { BlobId, ConflictId, Position } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Ledger } from "../log/ledger.ts";
import type { AppendError, NewBlob } from "../log/log.ts";
import { vcsFold } from "./fold.ts";
import { landedAt } from "./history.ts";
import type { Region } from "./merge/merge.ts";
import { createMerges, type MergeFunction } from "./merges.ts";
import { findMoves, headCommits, type Move } from "./moves.ts";
import { otherProposals, reservedBy } from "./resolution.ts";
import { isRegular } from "./three-way.ts";
import { bringTogether, sidesOf, type Together } from "./together.ts";
import type { Change, Conflict, ConflictPath, Entry, LandedCommit, Mode } from "./types.ts";

export interface ConflictView {
  readonly conflict: Conflict;
  /** The snapshot all of it is from: what the resolution names as its base. */
  readonly head: Position;
  readonly paths: readonly ConflictPathView[];
  /** What the held commits change besides, brought together with that snapshot: it lands with the resolution. */
  readonly others: { readonly changes: readonly Change[]; readonly blobs: readonly NewBlob[] };
  /** The landed commits that made the head's sides, whole: what else they changed. */
  readonly headCommits: readonly LandedCommit[];
  /** Deleted paths of the conflict whose content seems to have gone elsewhere. */
  readonly moves: readonly Move[];
}

/** A path with its sides; the head's may be newer than the one that the object recorded. */
export type ConflictPathView = ConflictPath &
  (
    | /** Both sides have text. Where both added the file, the base of every hunk is empty. */
    { readonly kind: "text"; readonly mode: Mode; readonly regions: readonly Region[] }
    /** Nothing to bring together: one side is chosen whole. */
    | { readonly kind: "whole"; readonly because: WholeReason }
  );

export type WholeReason =
  | "binary"
  | "too-large"
  /** One side deleted what the other changed. */
  | "deleted"
  /** Both sides have come to have no file. */
  | "absent"
  /** A symlink or submodule on one side, or modes that cannot both hold. */
  | "type"
  /** A file where the other side has a directory: one of the two paths has to go. */
  | "place"
  /** A content is missing from the store or damaged. */
  | "unreadable";

export type ConflictViewError = { readonly kind: "unknown-conflict"; readonly id: ConflictId } | AppendError;

export async function viewConflict(
  ledger: Ledger,
  merge: MergeFunction,
  id: ConflictId,
): Promise<Result<ConflictView, ConflictViewError>> {
  const state = ledger.state(vcsFold);
  const objectFormat = state.imported?.objectFormat ?? "sha1";
  const merges = createMerges({ log: ledger.log, objectFormat, merge, given: () => undefined });
  for (;;) {
    const conflict = state.conflicts.get(id);
    if (conflict === undefined) return err({ kind: "unknown-conflict", id });
    const together = bringTogether(state, otherProposals(state, conflict), merges, reservedBy(conflict));
    if (together.needs.length === 0) return viewAt(ledger, merge, conflict, together);
    await merges.compute(together.needs);
  }
}

/**
 * Takes the snapshot before its first `await`, in the same step as the caller took the object: a commit that joins later
 * is then newer than the view's head, and makes a resolution from it stale.
 */
async function viewAt(
  ledger: Ledger,
  merge: MergeFunction,
  conflict: Conflict,
  together: Together,
): Promise<Result<ConflictView, AppendError>> {
  const state = ledger.state(vcsFold);
  const head = ledger.end;
  const sides = conflict.paths.map((side) => sidesOf(state, side.path, side.base, side.theirs));
  const landed = headCommits(state, conflict).map((commit) => state.commits.position(commit));
  const moving = findMoves(state, conflict, otherProposals(state, conflict), (id) => readBlob(ledger, id));
  const flushed = await ledger.flushed();
  if (!flushed.ok) return flushed;
  const paths: ConflictPathView[] = [];
  for (const side of sides) paths.push({ ...side, ...(await contentOf(ledger, merge, side)) });
  const others = { changes: together.changes, blobs: together.mergedBlobs };
  return ok({
    conflict,
    head,
    paths,
    others,
    headCommits: await Promise.all(landed.map((position) => landedAt(ledger, position))),
    moves: await moving,
  });
}

type Content =
  | { readonly kind: "text"; readonly mode: Mode; readonly regions: readonly Region[] }
  | { readonly kind: "whole"; readonly because: WholeReason };

async function contentOf(ledger: Ledger, merge: MergeFunction, { base, ours, theirs }: ConflictPath): Promise<Content> {
  if (ours === null && theirs === null) return whole("absent");
  if (ours === null || theirs === null) return whole(base === null ? "place" : "deleted");
  const mode = modeOf(base, ours, theirs);
  if (mode === null) return whole("type");
  const baseBytes = base === null ? new Uint8Array() : await readBlob(ledger, base.blob);
  const oursBytes = await readBlob(ledger, ours.blob);
  const theirsBytes = await readBlob(ledger, theirs.blob);
  if (baseBytes === null || oursBytes === null || theirsBytes === null) return whole("unreadable");
  const result = await merge(baseBytes, oursBytes, theirsBytes);
  switch (result.kind) {
    case "clean":
      return { kind: "text", mode, regions: [{ kind: "clean", bytes: result.bytes }] };
    case "conflict":
      return { kind: "text", mode, regions: result.regions };
    case "binary":
    case "too-large":
      return whole(result.kind);
    default:
      return unreachable(result);
  }
}

function whole(because: WholeReason): Content {
  return { kind: "whole", because };
}

/** The mode both sides come to; null where they cannot, or where a side is no regular file. */
function modeOf(base: Entry | null, ours: Entry, theirs: Entry): Mode | null {
  if (!isRegular(ours) || !isRegular(theirs) || (base !== null && !isRegular(base))) return null;
  if (ours.mode === theirs.mode) return ours.mode;
  if (base === null) return null;
  return ours.mode === base.mode ? theirs.mode : ours.mode;
}

async function readBlob(ledger: Ledger, id: BlobId): Promise<Uint8Array | null> {
  const blob = await ledger.log.blob(id);
  return blob.ok ? blob.value : null;
}
