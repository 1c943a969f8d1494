// A conflict as it is put before an arbiter, or why it is too much for one. What is sent always fits a message.

import type { ConflictId } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { cleanLine, cleanText } from "../../base/text.ts";
import type { AppendError } from "../../log/log.ts";
import { besidesChangesMax, type ConflictAnswer, changesMax, conflictPathsMax } from "../../protocol/messages.ts";
import type { ConflictPathView, ConflictView } from "../../vcs/conflict-view.ts";
import type { Conflict, ConflictPath } from "../../vcs/types.ts";
import { noteCharsMax } from "../records.ts";
import { getTask } from "../state.ts";
import type { Context } from "./context.ts";

const MIB = 1024 * 1024;
/** Hunks of one conflict. */
export const hunksMax = 300;
/** Base and both sides of all hunks. */
export const hunkBytesMax = MIB;
/** Everything that is sent along: what stands between the hunks, and what lands besides. */
const viewBytesMax = 32 * MIB;
/** Commits of the head that are named. */
const besidesMax = 100;
/** Changes that are named of all of them together. */
const besidesChangesAllMax = 1_000;
/** What a change weighs in a message beside its path. */
const changeBytes = 100;
const groupsNamedMax = 10;

export async function conflictAnswer(context: Context, id: ConflictId): Promise<Result<ConflictAnswer, AppendError>> {
  const { vcs, state } = context;
  const conflict = vcs.conflict(id);
  if (conflict?.state !== "open") return ok({ kind: "gone" });
  const count = conflict.paths.length;
  if (count > conflictPathsMax) return ok(beyond(conflict, `${count} paths, at most ${conflictPathsMax}`));
  const view = await vcs.conflictView(id);
  if (!view.ok) return view.error.kind === "unknown-conflict" ? ok({ kind: "gone" }) : err(view.error);
  const { head, paths, others, headCommits, moves } = view.value;
  const much = tooMuch(view.value);
  if (much !== null) return ok(beyond(conflict, much));
  const ours = new Set(paths.flatMap((path) => path.oursAuthor?.task ?? []));
  const sides = [
    { side: "theirs" as const, task: conflict.author.task },
    ...[...ours].map((task) => ({ side: "ours" as const, task })),
  ].map(({ side, task: named }) => {
    const { title, instructions, check } = getTask(state, named);
    return { side, task: named, title, instructions, check };
  });
  const inConflict = new Set(paths.map(({ path }) => path));
  let room = besidesChangesAllMax;
  const besides = headCommits.slice(-besidesMax).map(({ author, message, changes }) => {
    const other = changes.filter(({ path }) => !inConflict.has(path));
    const named = other.slice(0, Math.min(room, besidesChangesMax));
    room -= named.length;
    const left = other.length - named.length;
    return { task: author.task, message: cleanText(message, noteCharsMax), changes: named, left };
  });
  return ok({
    kind: "open",
    objectFormat: vcs.imported()?.objectFormat ?? "sha1",
    head,
    paths: paths.map((path) => ({ ...path, oursTask: path.oursAuthor?.task ?? null })),
    moves: moves.map(({ entry, ...move }) => ({ ...move, ...entry })),
    besides,
    others,
    sides,
  });
}

/** What is over a limit, in words; null if nothing is. */
function tooMuch({ paths, others }: ConflictView): string | null {
  if (paths.length > conflictPathsMax) return `${paths.length} paths, at most ${conflictPathsMax}`;
  let hunks = 0;
  let hunkBytes = 0;
  let bytes = others.blobs.reduce((sum, blob) => sum + blob.bytes.byteLength, 0);
  for (const { path } of others.changes) bytes += changeBytes + Buffer.byteLength(path);
  for (const region of paths.flatMap((path) => (path.kind === "text" ? path.regions : []))) {
    if (region.kind === "clean") bytes += region.bytes.byteLength;
    else {
      hunks += 1;
      hunkBytes += region.base.byteLength + region.ours.byteLength + region.theirs.byteLength;
    }
  }
  if (hunks > hunksMax) return `${hunks} hunks, at most ${hunksMax}`;
  if (hunkBytes > hunkBytesMax) return `${mebibytes(hunkBytes)} of hunks, at most ${mebibytes(hunkBytesMax)}`;
  if (bytes > viewBytesMax) return `${mebibytes(bytes)} of files, at most ${mebibytes(viewBytesMax)}`;
  if (others.changes.length > changesMax) return `${others.changes.length} changes besides, at most ${changesMax}`;
  return null;
}

function beyond(conflict: Conflict, much: string): Extract<ConflictAnswer, { kind: "beyond" }> {
  const lines = groups(conflict.paths).map(
    ({ directory, count, what }) => `${cleanLine(directory, 200)}: ${count} ${count === 1 ? "path" : "paths"}, ${what}`,
  );
  const more = lines.length - groupsNamedMax;
  const named = [...lines.slice(0, groupsNamedMax), ...(more > 0 ? [`${more} more groups`] : [])];
  return {
    kind: "beyond",
    reason:
      `${conflict.id} is too much for an arbiter (${much}). ${named.join("; ")}. ` +
      `Delegate what is missing again, from the newest head and in smaller pieces, or one task after the other.`,
  };
}

interface Group {
  readonly directory: string;
  readonly what: string;
  readonly count: number;
}

/** The paths by directory and by what the sides did to them, the largest group first. */
function groups(paths: readonly ConflictPath[]): readonly Group[] {
  const found = new Map<string, Group>();
  for (const path of paths) {
    const directory = path.path.includes("/") ? path.path.slice(0, path.path.lastIndexOf("/") + 1) : "./";
    const by = path.oursAuthor === null ? "" : ` by ${path.oursAuthor.task}`;
    const what = `on the head ${did(path.base, path.ours)}${by}, in the commit ${did(path.base, path.theirs)}`;
    const key = `${directory}\n${what}`;
    found.set(key, { directory, what, count: (found.get(key)?.count ?? 0) + 1 });
  }
  return [...found.values()].sort((a, b) => b.count - a.count);
}

function did(base: ConflictPathView["base"], side: ConflictPathView["ours"]): string {
  if (side === null) return base === null ? "absent" : "deleted";
  return base === null ? "added" : "changed";
}

function mebibytes(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}
