// What differs between two states of some paths: each file that was added, deleted, changed or renamed, with its lines where it has any.

import type { RepoPath } from "../../base/ids.ts";
import { type LineHunk, lineHunks } from "../merge/line-diff.ts";
import { isBinary } from "../merge/lines.ts";
import { type Placed, pairRenames, type SimilarNeed } from "../renames/pairs.ts";
import { similarBytesMax, similarShare } from "../renames/similarity.ts";
import { sameEntry } from "../snapshot.ts";
import type { Entry } from "../types.ts";
import type { Reader } from "./reader.ts";

/** Null: there is no file. */
export interface PathChange {
  readonly path: RepoPath;
  readonly before: Entry | null;
  readonly after: Entry | null;
}

export interface FileDifference extends PathChange {
  readonly kind: "added" | "deleted" | "changed" | "renamed";
  /** Where a renamed file was before. */
  readonly from: RepoPath | null;
  readonly content: DifferentContent;
}

export type DifferentContent =
  /** The mode or the name alone. */
  | { readonly kind: "same" }
  | { readonly kind: "lines"; readonly hunks: readonly LineHunk[] }
  | { readonly kind: "binary" }
  | { readonly kind: "submodule" }
  /** A file became a link or a submodule, or the other way round: all of one goes, all of the other comes. */
  | { readonly kind: "retyped"; readonly gone: DifferentContent; readonly come: DifferentContent }
  | { readonly kind: "too-large" }
  /** Removed by gc, or damaged. */
  | { readonly kind: "not-kept" };

/** Files whose lines are compared; those beyond are named. */
export const comparedFilesMax = 2_000;
/** Of each side of a file. */
const contentBytesMax = 8 * 1024 * 1024;

/** In the order of the paths. */
export async function compare(reader: Reader, changes: Iterable<PathChange>): Promise<readonly FileDifference[]> {
  const all = [...changes].filter(({ before, after }) => !sameEntry(before, after));
  const renames = await renamesAmong(reader, all);
  const moved = new Set([...renames.values()].map(({ path }) => path));
  const found: FileDifference[] = [];
  const ordered = all.filter(({ path }) => !moved.has(path)).sort((a, b) => (a.path < b.path ? -1 : 1));
  for (const [index, { path, before, after }] of ordered.entries()) {
    const source = renames.get(path) ?? null;
    const old = source === null ? before : source.entry;
    const kind = source !== null ? "renamed" : before === null ? "added" : after === null ? "deleted" : "changed";
    const content = index < comparedFilesMax ? await contentOf(reader, old, after) : ({ kind: "too-large" } as const);
    found.push({ kind, path, before: old, after, from: source?.path ?? null, content });
  }
  return found;
}

/** By the new path. */
async function renamesAmong(reader: Reader, all: readonly PathChange[]): Promise<ReadonlyMap<RepoPath, Placed>> {
  const gone = all.flatMap(({ path, before, after }) =>
    before !== null && after === null ? [{ path, entry: before }] : [],
  );
  const come = all.flatMap(({ path, before, after }) =>
    before === null && after !== null ? [{ path, entry: after }] : [],
  );
  const shares = new Map<string, number>();
  for (;;) {
    const similar = ({ from, to }: SimilarNeed) => (from === to ? 1 : shares.get(`${from} ${to}`));
    const { renames, needs } = pairRenames(gone, come, similar);
    if (needs.length === 0) return new Map(renames.map(({ from, to }) => [to.path, from]));
    for (const { from, to } of needs) {
      const [a, b] = [await reader.content(from), await reader.content(to)];
      const isFit = a !== null && b !== null && Math.max(a.length, b.length) <= similarBytesMax;
      shares.set(`${from} ${to}`, isFit ? similarShare(a, b) : 0);
    }
  }
}

async function contentOf(reader: Reader, before: Entry | null, after: Entry | null): Promise<DifferentContent> {
  if (before !== null && after !== null && typeOf(before) !== typeOf(after))
    return {
      kind: "retyped",
      gone: await contentOf(reader, before, null),
      come: await contentOf(reader, null, after),
    };
  if (before?.blob === after?.blob) return { kind: "same" };
  if (before?.mode === "160000" || after?.mode === "160000") return { kind: "submodule" };
  const nothing = new Uint8Array();
  const a = before === null ? nothing : await reader.content(before.blob);
  const b = after === null ? nothing : await reader.content(after.blob);
  if (a === null || b === null) return { kind: "not-kept" };
  if (isBinary(a) || isBinary(b)) return { kind: "binary" };
  if (Math.max(a.length, b.length) > contentBytesMax) return { kind: "too-large" };
  const hunks = lineHunks(a, b);
  return hunks === null ? { kind: "too-large" } : { kind: "lines", hunks };
}

/** What git calls the type: whether it is executable is none of it. */
function typeOf({ mode }: Entry): string {
  return mode.slice(0, 3);
}
