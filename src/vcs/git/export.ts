// Writes landed commits as a linear branch. Invariant: the branch appears (or moves) in one step, after its tree and its number of
// commits were compared with what they must be. HEAD, index, work tree and every other ref stay as they are.

import { assert } from "../../base/assert.ts";
import type { BlobId } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { BlobSource, LandedCommit } from "../types.ts";
import { type BranchError, branchAt, checkBranchName, moveBranch } from "./branch.ts";
import { type Git, type GitError, outputLine, runGit } from "./command.ts";
import { type Described, streamCommits, survey } from "./export-stream.ts";

export interface ExportOptions {
  readonly git: Git;
  readonly repository: string;
  /** Short name: `skein/run-1`. */
  readonly branch: string;
  /** Full id of the commit the history continues: the imported one. */
  readonly parent: string;
  /** In the order they landed. Gone through twice, one at a time: the second time at least as many must come as the first. */
  readonly commits: () => AsyncIterable<LandedCommit>;
  readonly blobs: BlobSource;
  /** Must be a function of the commit alone: a repeated export then gives the same ids and finds its own branch again. */
  readonly describe: (commit: LandedCommit) => Described;
  /** `treeId` of the head's manifest. */
  readonly expectedTree: string;
  readonly signal?: AbortSignal;
}

export interface Exported {
  readonly branch: string;
  readonly commit: string;
  readonly commits: number;
}

export type ExportError =
  | BranchError
  | { readonly kind: "nothing-to-export" }
  /** A blob source failed, or gave other bytes than the id names. Nothing was changed. */
  | { readonly kind: "blob"; readonly id: BlobId | null; readonly message: string }
  /** What git made is not what the run holds. The branch was not touched; the result is kept under `keptAs`. */
  | {
      readonly kind: "mismatch";
      readonly what: "tree" | "commits";
      readonly expected: string;
      readonly actual: string;
      readonly keptAs: string;
    }
  | GitError;

export async function exportBranch(options: ExportOptions): Promise<Result<Exported, ExportError>> {
  const { git, repository, branch, parent } = options;
  assert(/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(parent), "an export's parent is a full commit id");
  const name = await checkBranchName(git, repository, branch);
  if (!name.ok) return name;
  const { count: commits, blobs } = await survey(options.commits());
  if (commits === 0) return err({ kind: "nothing-to-export" });
  const before = await branchAt(git, repository, branch);
  if (!before.ok) return before;
  const commit = await streamCommits({ ...options, count: commits, wanted: blobs });
  if (!commit.ok) return commit;
  const landed = await verifyAndMove(options, { before: before.value, commits, commit: commit.value });
  return landed.ok ? ok({ branch, commit: commit.value, commits }) : landed;
}

interface Made {
  /** Where the branch stood. */
  readonly before: string | null;
  readonly commit: string;
  readonly commits: number;
}

async function verifyAndMove(
  options: ExportOptions,
  { before, commit, commits }: Made,
): Promise<Result<void, ExportError>> {
  const verified = await verify(options, commit, commits);
  if (!verified.ok) return verified;
  const { git, repository, branch, parent } = options;
  return moveBranch({ git, repository, branch, before, parent, to: commit });
}

async function verify(options: ExportOptions, commit: string, commits: number): Promise<Result<void, ExportError>> {
  const { git, repository, parent, expectedTree } = options;
  const tree = await resolve(git, repository, `${commit}^{tree}`);
  if (!tree.ok) return tree;
  const counted = await runGit(git, {
    cwd: repository,
    args: ["rev-list", "--count", "--first-parent", `${parent}..${commit}`, "--"],
  });
  if (!counted.ok) return counted;
  const count = outputLine(counted.value);
  const keptAs = `${options.branch}-unverified-${commit.slice(0, 12)}`;
  const mismatch =
    tree.value !== expectedTree
      ? ({ kind: "mismatch", what: "tree", expected: expectedTree, actual: tree.value, keptAs } as const)
      : count !== String(commits)
        ? ({ kind: "mismatch", what: "commits", expected: String(commits), actual: count, keptAs } as const)
        : null;
  if (mismatch === null) return ok(undefined);
  const kept = await runGit(git, { cwd: repository, args: ["update-ref", `refs/heads/${keptAs}`, commit] });
  return kept.ok ? err(mismatch) : kept;
}

async function resolve(git: Git, cwd: string, revision: string): Promise<Result<string, GitError>> {
  const answer = await runGit(git, { cwd, args: ["rev-parse", "--verify", "--end-of-options", revision] });
  return answer.ok ? ok(outputLine(answer.value)) : answer;
}
