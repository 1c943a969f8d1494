// The ignore rules git takes from outside the tree: `info/exclude` of the repository and the user's own excludes file.

import { join, resolve } from "node:path";
import { ok, type Result } from "../../base/result.ts";
import type { FileError, Files } from "../../host/files.ts";
import { type Git, type GitError, outputLine, runGit } from "./command.ts";
import type { UserHome } from "./environment.ts";

export interface IgnoreSources {
  /** Path of the user's excludes file; null where there is none. */
  readonly excludesFile: string | null;
  /** Contents in rising precedence: the excludes file, then `info/exclude`. A missing file has no text. */
  readonly texts: readonly string[];
}

export interface IgnoreSourcesOptions {
  readonly git: Git;
  readonly files: Files;
  /** The work tree's top directory, or a bare repository. */
  readonly root: string;
  readonly user: UserHome;
}

const ignoreFileBytesMax = 1024 * 1024;

/** `core.excludesFile` as git finds it: the repository's setting, else the user's, else `git/ignore` in the settings folder. */
export async function ignoreSources(
  options: IgnoreSourcesOptions,
): Promise<Result<IgnoreSources, GitError | FileError>> {
  const { git, files, root, user } = options;
  const set = await runGit(git, {
    cwd: root,
    args: ["config", "--includes", "--type=path", "--null", "--get", "core.excludesFile"],
    user,
  });
  if (!set.ok && set.error.exitCode !== 1) return set;
  const fallback = join(user.xdgConfigHome ?? join(user.home, ".config"), "git", "ignore");
  const configured = set.ok ? Buffer.from(set.value).toString("utf8").replace(/\0$/, "") : fallback;
  const exclude = await runGit(git, {
    cwd: root,
    args: ["rev-parse", "--path-format=absolute", "--git-path", "info/exclude"],
  });
  if (!exclude.ok) return exclude;
  const own = configured === "" ? ok(null) : await readIgnoreFile(files, resolve(root, configured));
  if (!own.ok) return own;
  const shared = await readIgnoreFile(files, outputLine(exclude.value));
  if (!shared.ok) return shared;
  return ok({
    excludesFile: own.value === null ? null : resolve(root, configured),
    texts: [own.value, shared.value].filter((text) => text !== null),
  });
}

/** A regular file's text, or null: a pipe or device at that name would hang whoever reads it. */
async function readIgnoreFile(files: Files, path: string): Promise<Result<string | null, FileError>> {
  const real = await files.realPath(path);
  if (!real.ok) return real.error.code === "not-found" || real.error.code === "not-directory" ? ok(null) : real;
  const stat = await files.stat(real.value);
  if (!stat.ok || stat.value.kind !== "file") return ok(null);
  const bytes = await files.read(real.value, ignoreFileBytesMax);
  return bytes.ok ? ok(Buffer.from(bytes.value).toString("utf8")) : bytes;
}
