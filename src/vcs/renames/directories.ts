// Directories that renames have moved: counted from the files, as git does it. A directory counts as moved only where nothing is
// left of it; which that is, the caller knows.

import type { RepoPath } from "../../base/ids.ts";

export interface PathRename {
  readonly from: RepoPath;
  readonly to: RepoPath;
}

export type DirectoryMove =
  /** No file of it was renamed. */
  | { readonly kind: "none" }
  | { readonly kind: "to"; readonly directory: string }
  /** Its files went to several places in equal numbers. */
  | { readonly kind: "split" };

/**
 * Where the directory has gone, by most of its files and of those below it that kept their place in it
 * (`update_dir_rename_counts` in git's diffcore-rename.c). The root is the empty name.
 */
export function directoryMove(directory: string, renames: Iterable<PathRename>): DirectoryMove {
  const counts = new Map<string, number>();
  for (const { from, to } of renames) {
    const place = placeOf(directory, from, to);
    if (place !== null) counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  const most = Math.max(0, ...counts.values());
  const places = [...counts].filter(([, count]) => count === most).map(([place]) => place);
  const [place] = places;
  if (place === undefined) return { kind: "none" };
  return places.length > 1 ? { kind: "split" } : { kind: "to", directory: place };
}

/** The directory's new place by this rename: what is left of both paths without the parts below it, if these are the same. */
function placeOf(directory: string, from: RepoPath, to: RepoPath): string | null {
  if (!from.startsWith(`${directory}/`)) return null;
  let [left, right] = [parentOf(from), parentOf(to)];
  while (left !== directory) {
    if (right === "" || nameOf(left) !== nameOf(right)) return null;
    [left, right] = [parentOf(left), parentOf(right)];
  }
  return right === directory ? null : right;
}

/** The path in its directory's new place. */
export function movedInto(path: RepoPath, directory: string, place: string): RepoPath {
  const rest = path.slice(directory.length + 1);
  // Parts of two valid paths; the caller checks the length.
  return (place === "" ? rest : `${place}/${rest}`) as RepoPath;
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
