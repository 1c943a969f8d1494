// What an agent may write of the tree it shares with others: nothing, everything, or some files and directories. Names only: whether a
// name leads elsewhere is decided on the real path when something is written.

import { err, ok, type Result } from "../base/result.ts";

export type WriteScope =
  | { readonly kind: "all" }
  | { readonly kind: "none" }
  /** Files and directories, relative to the tree, `/`-separated. */
  | { readonly kind: "some"; readonly paths: readonly string[] };

/** The error is a sentence for the model. */
export function parseScope(given: readonly string[]): Result<WriteScope, string> {
  if (given.length === 0) return ok({ kind: "none" });
  const paths: string[] = [];
  for (const one of given) {
    const parts = one.split("/").filter((part) => part !== "" && part !== ".");
    if (one.startsWith("/") || parts.includes("..") || one.includes("\0"))
      return err(`write_scope: "${one}" is not a path relative to the root of the tree`);
    if (/[*?[\]{}]/.test(one))
      return err(`write_scope: "${one}" is a pattern; name files or directories (a directory means all in it)`);
    if (parts.length === 0)
      return err("write_scope: the whole tree cannot be given to a child; name what it is to change");
    paths.push(parts.join("/"));
  }
  return ok({ kind: "some", paths });
}

/** A path of both, or null where there is none. Case and Unicode form do not tell names apart. */
export function sharedPath(a: WriteScope, b: WriteScope): string | null {
  if (a.kind !== "some" || b.kind !== "some") return null;
  return a.paths.find((one) => b.paths.some((other) => mayMeet(one, other))) ?? null;
}

/** A path of `inner` that `outer` does not have; null where it has all. */
export function pathBeyond(inner: WriteScope, outer: WriteScope): string | null {
  if (inner.kind !== "some" || outer.kind === "all") return null;
  if (outer.kind === "none") return inner.paths[0] ?? null;
  return inner.paths.find((one) => !outer.paths.some((other) => isWithin(one, other))) ?? null;
}

/** `path` is relative to the tree, without `.` and `..`. */
export function mayWrite(scope: WriteScope, path: string): boolean {
  return scope.kind === "all" || (scope.kind === "some" && scope.paths.some((one) => isWithin(path, one)));
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}

function mayMeet(a: string, b: string): boolean {
  const [one = "", other = ""] = [a, b].map((name) => name.normalize("NFC").toLowerCase());
  return isWithin(one, other) || isWithin(other, one);
}
