// What a run must know of a repository before it reads it: where it is, what HEAD names, and whether HEAD is all there is.

import { err, ok, type Result } from "../../base/result.ts";
import type { FileError, Files } from "../../host/files.ts";
import type { ObjectFormat } from "../../log/blob-id.ts";
import { type Git, type GitCall, type GitError, type GitResult, outputLine, runGit, startGit } from "./command.ts";
import type { ConfigPair } from "./environment.ts";
import { filtersOff } from "./filters.ts";

export interface RepositoryInfo {
  /** The work tree's top directory; the git directory itself where the repository is bare. */
  readonly root: string;
  readonly gitDir: string;
  readonly bare: boolean;
  /** Short name of HEAD's branch; null where HEAD is detached. */
  readonly branch: string | null;
  readonly headCommit: string;
  readonly headTree: string;
  readonly objectFormat: ObjectFormat;
  /** Whether the work tree or the index holds anything that HEAD does not. */
  readonly dirty: boolean;
  /** Changed, added, deleted and untracked paths; an untracked directory counts once. */
  readonly dirtyPaths: number;
}

export type InspectError =
  | { readonly kind: "not-a-repository"; readonly path: string; readonly message: string }
  /** A repository without a commit on HEAD. */
  | { readonly kind: "empty-repository"; readonly path: string; readonly branch: string | null }
  | FileError
  | GitError;

export interface InspectOptions {
  readonly git: Git;
  readonly files: Files;
  /** Any directory inside the repository. */
  readonly path: string;
  /** The user's ignore file where there is one (`ignoreSources`), of the repository with this root: what it names is not dirt. */
  readonly excludesFile?: (root: string) => Promise<Result<string | null, FileError | GitError>>;
  readonly signal?: AbortSignal;
}

export async function inspectRepository(options: InspectOptions): Promise<Result<RepositoryInfo, InspectError>> {
  const { git, path } = options;
  const stat = await options.files.realPath(path);
  if (!stat.ok) return stat;
  const place = await findPlace(git, path);
  if (!place.ok) return place;
  const head = await readHead(git, path, place.value.root);
  if (!head.ok) return head;
  const excludes = (await options.excludesFile?.(place.value.root)) ?? ok(null);
  if (!excludes.ok) return excludes;
  const dirtyPaths = place.value.bare ? ok(0) : await countDirtyPaths(options, place.value.root, excludes.value);
  if (!dirtyPaths.ok) return dirtyPaths;
  return ok({ ...place.value, ...head.value, dirty: dirtyPaths.value > 0, dirtyPaths: dirtyPaths.value });
}

type Place = Pick<RepositoryInfo, "root" | "gitDir" | "bare" | "objectFormat">;

async function findPlace(git: Git, path: string): Promise<Result<Place, InspectError>> {
  const flags = ["--is-bare-repository", "--is-inside-work-tree", "--show-object-format", "--absolute-git-dir"];
  const answer = await runGit(git, { cwd: path, args: ["rev-parse", ...flags] });
  if (!answer.ok) {
    if (!answer.error.stderr.includes("not a git repository")) return answer;
    return err({ kind: "not-a-repository", path, message: answer.error.stderr });
  }
  // The directory stands last, since a path may hold a newline.
  const [bareText, insideText, format, ...rest] = outputLine(answer.value).split("\n");
  const gitDir = rest.join("\n");
  const bare = bareText === "true";
  const objectFormat: ObjectFormat = format === "sha256" ? "sha256" : "sha1";
  if (bare) return ok({ root: gitDir, gitDir, bare, objectFormat });
  if (insideText !== "true")
    return err({ kind: "not-a-repository", path, message: "inside a git directory, not a work tree" });
  const top = await runGit(git, { cwd: path, args: ["rev-parse", "--show-toplevel"] });
  return top.ok ? ok({ root: outputLine(top.value), gitDir, bare, objectFormat }) : top;
}

type Head = Pick<RepositoryInfo, "branch" | "headCommit" | "headTree">;

async function readHead(git: Git, path: string, cwd: string): Promise<Result<Head, InspectError>> {
  const branch = await maybe(git, { cwd, args: ["symbolic-ref", "--quiet", "--short", "HEAD"] });
  if (!branch.ok) return branch;
  const head = await runGit(git, { cwd, args: ["rev-parse", "HEAD^{commit}", "HEAD^{tree}"] });
  if (head.ok) {
    const [headCommit = "", headTree = ""] = outputLine(head.value).split("\n");
    return ok({ branch: branch.value, headCommit, headTree });
  }
  // Only a name without a commit is an empty repository; a commit that is named but not there is a damaged one.
  const named = await maybe(git, { cwd, args: ["rev-parse", "--verify", "--quiet", "HEAD"] });
  if (!named.ok) return named;
  return named.value === null ? err({ kind: "empty-repository", path, branch: branch.value }) : head;
}

/** The line a command prints, or null where it says "no" by exit code 1. */
async function maybe(git: Git, call: GitCall): GitResult<string | null> {
  const answer = await runGit(git, call);
  if (answer.ok) return ok(outputLine(answer.value));
  return answer.error.exitCode === 1 ? ok(null) : answer;
}

/** Counts without keeping: a tree of build products may have a million untracked files. */
async function countDirtyPaths(options: InspectOptions, cwd: string, excludesFile: string | null): GitResult<number> {
  const filters = await filtersOff(options.git, cwd);
  if (!filters.ok) return filters;
  const excludes: ConfigPair = ["core.excludesFile", excludesFile ?? ""];
  const started = await startGit(options.git, {
    cwd,
    // Looking into a submodule would start a git that its own settings rule; `dirty` compares only its HEAD.
    args: ["status", "--porcelain", "-z", "--untracked-files=normal", "--ignore-submodules=dirty", "--no-renames"],
    config: [...filters.value, excludes],
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  if (!started.ok) return started;
  started.value.child.endInput();
  let count = 0;
  for await (const chunk of started.value.child.stdout) {
    for (let at = chunk.indexOf(0); at !== -1; at = chunk.indexOf(0, at + 1)) count += 1;
  }
  const finished = await started.value.finish();
  return finished.ok ? ok(count) : finished;
}
