// Which file a model's path means, and whether it may touch it: decided on the real path, after every symlink.
// This keeps a model from straying; it is no sandbox against a command that replaces a directory by a link meanwhile.

import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { resourceAt } from "../agent/claim.ts";
import { mayWrite, type WriteScope } from "../agent/write-scope.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { FileError } from "../host/files.ts";
import type { ToolEnv } from "./env.ts";

export interface ResolvedPath {
  /** Absolute, without symlinks; the file itself may be missing. */
  readonly absolute: string;
  /** As shown to the model: relative to the root (`.` for the root itself), or absolute in the directory of full outputs. */
  readonly shown: string;
}

type PathEnv = Pick<ToolEnv, "files" | "root" | "spillDirectory" | "writeScope" | "hidden">;

/**
 * Resolves a path inside the root; `access: "read"` also admits the directory of full outputs.
 * The error is a sentence for the model.
 */
export async function resolvePath(
  env: PathEnv,
  given: string,
  access: "read" | "write",
): Promise<Result<ResolvedPath, string>> {
  if (given === "") return err("the path is empty");
  if (given.includes("\0")) return err("the path contains a NUL character");
  if (given.split("/").includes(".."))
    return err(`"${given}": a path with ".." is not accepted; give it relative to the root of the tree`);
  const root = await env.files.realPath(env.root);
  if (!root.ok) return err(`the root of the tree cannot be read: ${root.error.message}`);
  const candidate = await locate(env, root.value, given);
  if (!candidate.ok) return candidate;
  const inside = relativeInside(root.value, candidate.value);
  if (inside !== null) {
    if (inside.split("/").some(isGitName) || given.split("/").some(isGitName))
      return err(`"${given}": .git is not accessible`);
    const { writeScope = { kind: "all" }, hidden = [] } = env;
    if (access === "read" && mayWrite({ kind: "some", paths: hidden }, inside))
      return err(`"${given}" is not shown to you: another agent that works at the same time changes it`);
    if (access === "write" && !mayWrite(writeScope, inside))
      return err(`"${given}" is not yours to change: ${scopeText(writeScope)}`);
    return ok({ absolute: candidate.value, shown: inside === "" ? "." : inside });
  }
  const spill = access === "read" ? await env.files.realPath(env.spillDirectory) : null;
  if (spill?.ok && relativeInside(spill.value, candidate.value) !== null)
    return ok({ absolute: candidate.value, shown: candidate.value });
  return err(`"${given}" is outside the tree; paths are relative to its root`);
}

/** The real path of one that a write scope names; the error is a sentence for the model. */
export async function scopePath(env: PathEnv, given: string): Promise<Result<string, string>> {
  const path = await resolvePath(env, given, "write");
  if (!path.ok) return path;
  const { absolute, shown } = path.value;
  const named = given.split("/").filter((part) => part !== "" && part !== ".");
  return resourceAt(shown) === resourceAt(named.join("/"))
    ? ok(absolute)
    : err(`"${given}" leads through a symlink to ${shown}: name that instead`);
}

/** The real path that `given` leads to, whether or not its last parts exist. */
async function locate(env: PathEnv, root: string, given: string): Promise<Result<string, string>> {
  // A model may repeat the root as it was told it, which need not be its real path.
  const told = isAbsolute(given) ? relativeInside(env.root, given) : given;
  const path = told === null ? join(given) : join(root, told);
  const missing: string[] = [];
  for (let existing = path; ; existing = dirname(existing)) {
    const real = await env.files.realPath(existing);
    if (real.ok) return ok(withoutTrailingSlash(join(real.value, ...missing)));
    if (real.error.code !== "not-found") return err(`"${given}": ${sentence(real.error)}`);
    const stat = await env.files.stat(existing);
    if (stat.ok) return err(`"${given}" leads through a symlink whose target is missing`);
    if (existing === dirname(existing)) return err(`"${given}": ${sentence(real.error)}`);
    missing.unshift(basename(existing));
  }
}

function scopeText(scope: WriteScope): string {
  return scope.kind === "some" ? `you may change ${scope.paths.join(", ")}` : "you may change nothing in the tree";
}

/** `path` relative to `directory` (empty for itself), or null where it is not inside. */
export function relativeInside(directory: string, path: string): string | null {
  const inner = relative(directory, path);
  return inner === ".." || inner.startsWith(`..${sep}`) || isAbsolute(inner) ? null : inner;
}

/** A file error in words for the model. */
export function sentence(error: FileError): string {
  switch (error.code) {
    case "not-found":
      return "no such file or directory";
    case "not-directory":
      return "a part of the path is a file, not a directory";
    case "is-directory":
      return "it is a directory";
    case "denied":
      return "permission denied";
    default:
      return error.message;
  }
}

/** Git's own directory under any spelling: some file systems do not tell case apart. */
function isGitName(part: string): boolean {
  return part.toLowerCase() === ".git";
}

function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
