// A repository of the workspace's own, so that an agent's `git` never finds the user's. Invariant: making it runs nothing but
// git's own code, and nothing reads it back: scans look at the files alone.

import { join } from "node:path";
import { ok, type Result } from "../../base/result.ts";
import type { FileError, FileResult, Files } from "../../host/files.ts";
import { type Git, type GitError, runGit } from "../git/command.ts";

export interface ThrowawayGitOptions {
  readonly files: Files;
  readonly root: string;
  /**
   * With it the tree is committed once, so that the agent's `git status` and `git diff` show its own changes; null leaves an
   * empty repository, which needs no git on this host.
   */
  readonly git: Git | null;
}

/** The files `git init` makes at the least (gitrepository-layout(5)); no templates, so no hooks. */
const layout: readonly (readonly [name: string, text: string])[] = [
  ["HEAD", "ref: refs/heads/workspace\n"],
  ["config", "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"],
];

export async function makeThrowawayGit(options: ThrowawayGitOptions): Promise<Result<void, FileError | GitError>> {
  const made = await writeLayout(options.files, join(options.root, ".git"));
  if (!made.ok || options.git === null) return made;
  const { git, root: cwd } = options;
  // The new repository names no filter, so attributes in the tree start none.
  const added = await runGit(git, { cwd, args: ["add", "--all", "--force"], config: [["core.safecrlf", "false"]] });
  if (!added.ok) return added;
  const message = "Base of this workspace";
  const committed = await runGit(git, {
    cwd,
    args: ["commit", "--quiet", "--allow-empty", "--no-verify", `--message=${message}`],
  });
  return committed.ok ? ok(undefined) : committed;
}

async function writeLayout(files: Files, gitDir: string): FileResult<void> {
  for (const directory of [gitDir, join(gitDir, "objects"), join(gitDir, "refs"), join(gitDir, "refs", "heads")]) {
    const made = await files.claimDirectory(directory);
    if (!made.ok) return made;
  }
  for (const [name, text] of layout) {
    const written = await files.write(join(gitDir, name), Buffer.from(text));
    if (!written.ok) return written;
  }
  return ok(undefined);
}
