// Which of the files that went are those that came: renames among two lists, found as git finds them. Each file is at most one
// side of one rename; the same lists give the same renames.

import type { BlobId, RepoPath } from "../../base/ids.ts";
import { isRegular } from "../three-way.ts";
import type { Entry } from "../types.ts";
import { similarShareMin, similarShareOfNameMin } from "./similarity.ts";

export interface Placed {
  readonly path: RepoPath;
  readonly entry: Entry;
}

export interface Rename {
  readonly from: Placed;
  readonly to: Placed;
}

/** Two contents of which must be known how much they share. */
export interface SimilarNeed {
  readonly from: BlobId;
  readonly to: BlobId;
}

/** The share of a pair's contents; undefined until it was computed. */
export type SimilarOf = (need: SimilarNeed) => number | undefined;

export interface Pairing {
  readonly renames: readonly Rename[];
  /** To be computed before the rest means anything. */
  readonly needs: readonly SimilarNeed[];
}

/** Contents that are compared where every pair has to be: beyond it only equal ones and those of one name are. */
export const comparedPairsMax = 1_000;

/**
 * Equal contents first, of the same name if there is a choice; then a name that only one gone and one come file have; then the
 * most similar pairs (`diffcore_rename_extended` in git's diffcore-rename.c). Empty files are never renamed, as in git's merges.
 */
export function pairRenames(gone: readonly Placed[], come: readonly Placed[], similar: SimilarOf): Pairing {
  const state: Open = { gone: new Set(gone), come: new Set([...come].sort(byPath)), renames: [], similar };
  pairEqual(state);
  const needs = pairNamed(state);
  if (needs.length > 0) return { renames: [], needs };
  const more = pairSimilar(state);
  return more.length > 0 ? { renames: [], needs: more } : { renames: state.renames, needs: [] };
}

interface Open {
  readonly gone: Set<Placed>;
  readonly come: Set<Placed>;
  readonly renames: Rename[];
  readonly similar: SimilarOf;
}

function take({ gone, come, renames }: Open, from: Placed, to: Placed): void {
  gone.delete(from);
  come.delete(to);
  renames.push({ from, to });
}

function pairEqual(open: Open): void {
  const byContent = new Map<string, Placed[]>();
  for (const placed of open.gone) {
    if (emptyIds.has(placed.entry.blob)) continue;
    const key = contentOf(placed);
    const same = byContent.get(key);
    if (same === undefined) byContent.set(key, [placed]);
    else same.push(placed);
  }
  for (const to of [...open.come]) {
    const sources = byContent.get(contentOf(to));
    if (sources === undefined || sources.length === 0) continue;
    const best = sources.reduce((a, b) => (alike(b.path, to.path) > alike(a.path, to.path) ? b : a));
    sources.splice(sources.indexOf(best), 1);
    take(open, best, to);
  }
}

/** Regular files are one kind whatever their mode, links and submodules kinds of their own. */
function contentOf({ entry }: Placed): string {
  return isRegular(entry) ? entry.blob : `${entry.mode} ${entry.blob}`;
}

function pairNamed(open: Open): readonly SimilarNeed[] {
  const [gone, come] = [uniqueNames(open.gone), uniqueNames(open.come)];
  const needs: SimilarNeed[] = [];
  const found: (readonly [Placed, Placed])[] = [];
  for (const [name, from] of gone) {
    const to = come.get(name);
    if (from === null || to === undefined || to === null) continue;
    const need = { from: from.entry.blob, to: to.entry.blob };
    const share = open.similar(need);
    if (share === undefined) needs.push(need);
    else if (share >= similarShareOfNameMin) found.push([from, to]);
  }
  for (const [from, to] of found) take(open, from, to);
  return needs;
}

/** Files with lines by their name; null for a name that several have. */
function uniqueNames(all: Iterable<Placed>): ReadonlyMap<string, Placed | null> {
  const names = new Map<string, Placed | null>();
  for (const placed of all) {
    const name = nameOf(placed.path);
    names.set(name, names.has(name) || !isComparable(placed) ? null : placed);
  }
  return names;
}

function pairSimilar(open: Open): readonly SimilarNeed[] {
  const [gone, come] = [[...open.gone].filter(isComparable), [...open.come].filter(isComparable)];
  if (gone.length * come.length > comparedPairsMax) return [];
  const needs: SimilarNeed[] = [];
  const pairs: { readonly from: Placed; readonly to: Placed; readonly share: number }[] = [];
  for (const to of come) {
    for (const from of gone) {
      const need = { from: from.entry.blob, to: to.entry.blob };
      const share = open.similar(need);
      if (share === undefined) needs.push(need);
      else if (share >= similarShareMin) pairs.push({ from, to, share });
    }
  }
  if (needs.length > 0) return needs;
  const named = ({ from, to }: { from: Placed; to: Placed }) => Number(nameOf(from.path) === nameOf(to.path));
  pairs.sort((a, b) => b.share - a.share || named(b) - named(a));
  for (const { from, to } of pairs) if (open.gone.has(from) && open.come.has(to)) take(open, from, to);
  return [];
}

function isComparable({ entry }: Placed): boolean {
  return isRegular(entry) && !emptyIds.has(entry.blob);
}

/** Git's ids of the empty blob. */
const emptyIds: ReadonlySet<string> = new Set([
  "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
  "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
]);

/** Last parts that two paths share. */
function alike(a: RepoPath, b: RepoPath): number {
  const [left, right] = [a.split("/"), b.split("/")];
  let count = 0;
  while (count < Math.min(left.length, right.length) && left.at(-1 - count) === right.at(-1 - count)) count += 1;
  return count;
}

function nameOf(path: RepoPath): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function byPath(a: Placed, b: Placed): number {
  return a.path < b.path ? -1 : 1;
}
