// A repository of the workspace's own, so that an agent's `git` works and never finds the user's. Invariant: the agent's `.git` is
// written as files only; git itself runs in a directory of ours beside it. Nothing reads `.git` back: scans look at the files alone.

import { join } from "node:path";
import { ok, type Result } from "../../base/result.ts";
import type { Files } from "../../host/files.ts";
import { type Git, type GitResult, runGit } from "../git/command.ts";
import type { WorkspaceError } from "./errors.ts";
import type { BaseTree, GitBases } from "./git-bases.ts";
import { headText, workspaceBranchRef, writeGitDirectory } from "./git-directory.ts";

export interface ThrowawayGitOptions {
  readonly files: Files;
  /** The agent's tree. */
  readonly root: string;
  /** On the same file system as the root, and out of the agent's sight. */
  readonly scratch: string;
  /**
   * With them the tree is committed, so that the agent's `git status` and `git diff` show its own changes; null leaves an
   * empty repository, which needs no git on this host.
   */
  readonly bases: GitBases | null;
}

export interface ThrowawayGit {
  /**
   * Moves HEAD and the index to the tree: then only what differs from it is shown as changed. A repository in which the agent has
   * committed or changed branches is the agent's, and stays as it is.
   */
  moveTo(tree: BaseTree): Promise<Result<void, WorkspaceError>>;
}

const refBytesMax = 1_024;

/** Makes `.git`; the first `moveTo` is part of it. */
export async function makeThrowawayGit(
  options: ThrowawayGitOptions,
  tree: BaseTree,
): Promise<Result<ThrowawayGit, WorkspaceError>> {
  const { files, root, scratch, bases } = options;
  const { format } = tree;
  const borrows = bases?.objects(format) ?? null;
  const gitDir = join(root, ".git");
  const claimed = await files.claimDirectory(gitDir);
  if (!claimed.ok) return claimed;
  const laid = await writeGitDirectory({ files, gitDir, format, bare: false, borrows });
  if (!laid.ok) return laid;
  if (bases === null) return ok({ moveTo: async () => ok(undefined) });
  const ours = join(scratch, "git");
  const own = await writeGitDirectory({ files, gitDir: ours, format, bare: false, borrows });
  if (!own.ok) return own;
  const repository = new BasedGit(files, { root, gitDir, ours }, bases);
  const moved = await repository.moveTo(tree);
  return moved.ok ? ok(repository) : moved;
}

/** The repository that another process made; null where it was never whole, which leaves it as it is. */
export async function reopenThrowawayGit(
  options: ThrowawayGitOptions & { readonly bases: GitBases },
): Promise<ThrowawayGit | null> {
  const { files, root, scratch, bases } = options;
  const ours = join(scratch, "git");
  const moved = await files.read(join(ours, movedName), refBytesMax);
  if (!moved.ok) return null;
  const commit = Buffer.from(moved.value).toString("latin1").trim();
  return new BasedGit(files, { root, gitDir: join(root, ".git"), ours }, bases, commit);
}

/** Names the commit of our last move, for who opens the workspace again. */
const movedName = "moved";

interface Directories {
  readonly root: string;
  readonly gitDir: string;
  /** Where git itself runs: settings of ours, and the index in which the files' time stamps are kept. */
  readonly ours: string;
}

class BasedGit implements ThrowawayGit {
  readonly #files: Files;
  readonly #at: Directories;
  readonly #bases: GitBases;
  /** What our last move wrote; null before the first. */
  #commit: string | null;

  constructor(files: Files, at: Directories, bases: GitBases, commit: string | null = null) {
    this.#files = files;
    this.#at = at;
    this.#bases = bases;
    this.#commit = commit;
  }

  async moveTo(tree: BaseTree): Promise<Result<void, WorkspaceError>> {
    if (!(await this.#isUntouched())) return ok(undefined);
    const commit = await this.#bases.commit(tree);
    if (!commit.ok) return commit;
    if (commit.value === this.#commit) return ok(undefined);
    const indexed = await this.#index(commit.value);
    if (!indexed.ok) return indexed;
    const { gitDir, ours } = this.#at;
    const ref = join(ours, "ref");
    const written = await this.#files.write(ref, Buffer.from(`${commit.value}\n`));
    if (!written.ok) return written;
    const copied = await this.#files.copy(join(ours, "index"), join(ours, "index.agent"));
    if (!copied.ok) return copied;
    // Between the question and these two renames lie milliseconds; an agent whose own git works meanwhile loses no file.
    if (!(await this.#isUntouched())) return ok(undefined);
    const placed = await this.#files.rename(join(ours, "index.agent"), join(gitDir, "index"));
    if (!placed.ok) return placed;
    const moved = await this.#files.rename(ref, join(gitDir, workspaceBranchRef));
    if (!moved.ok) return moved;
    this.#commit = commit.value;
    return this.#files.write(join(ours, movedName), Buffer.from(`${commit.value}\n`));
  }

  /** Our branch where we left it, real directories down to it, and no git at work on the index. */
  async #isUntouched(): Promise<boolean> {
    const { gitDir } = this.#at;
    for (const directory of [gitDir, join(gitDir, "refs"), join(gitDir, "refs", "heads")]) {
      const stat = await this.#files.stat(directory);
      if (!stat.ok || stat.value.kind !== "directory") return false;
    }
    const lock = await this.#files.stat(join(gitDir, "index.lock"));
    if (lock.ok) return false;
    if ((await this.#text("HEAD")) !== headText) return false;
    const ref = await this.#text(workspaceBranchRef);
    return this.#commit === null ? ref === null : ref === `${this.#commit}\n`;
  }

  /** A regular file's text; null for anything else. */
  async #text(name: string): Promise<string | null> {
    const path = join(this.#at.gitDir, name);
    const stat = await this.#files.stat(path);
    if (!stat.ok || stat.value.kind !== "file") return null;
    const bytes = await this.#files.read(path, refBytesMax);
    return bytes.ok ? Buffer.from(bytes.value).toString("latin1") : null;
  }

  /** The index of the commit; entries that stay keep what is known of their files, so only the others are read. */
  async #index(commit: string): GitResult<void> {
    const first = this.#commit === null;
    const read = await this.#git(["read-tree", ...(first ? [] : ["-i", "-m"]), commit]);
    if (!read.ok) return read;
    // Files that differ are no failure: they are what `git status` is to show.
    return this.#git(["update-index", "-q", "--refresh"]);
  }

  async #git(args: readonly string[]): GitResult<void> {
    const { root, ours } = this.#at;
    const git: Git = this.#bases.git;
    const ran = await runGit(git, { cwd: root, args: [`--git-dir=${ours}`, `--work-tree=${root}`, ...args] });
    return ran.ok ? ok(undefined) : ran;
  }
}
