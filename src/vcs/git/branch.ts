// One branch of the user's repository: whether it may be written, and its move. Invariant: a branch that holds anything but
// an earlier export of the same commits, or that is checked out somewhere, is never moved.

import { err, ok, type Result } from "../../base/result.ts";
import { type Git, type GitCall, type GitError, type GitResult, gitError, outputLine, runGit } from "./command.ts";

export type BranchError =
  | { readonly kind: "bad-branch-name"; readonly branch: string }
  /** A branch of that name exists and is not an earlier state of this export. */
  | { readonly kind: "branch-exists"; readonly branch: string; readonly commit: string }
  /** HEAD of some work tree is on it: moving it would make those files look changed. */
  | { readonly kind: "branch-checked-out"; readonly branch: string; readonly worktree: string }
  | GitError;

export async function checkBranchName(git: Git, cwd: string, branch: string): Promise<Result<void, BranchError>> {
  const bad = { kind: "bad-branch-name", branch } as const;
  if (branch.startsWith("-") || branch === "HEAD" || branch.includes("\0")) return err(bad);
  const checked = await runGit(git, { cwd, args: ["check-ref-format", `refs/heads/${branch}`] });
  if (checked.ok) return ok(undefined);
  return checked.error.exitCode === 1 ? err(bad) : checked;
}

/** The branch's commit; null where there is none. A branch that is checked out, or is HEAD's before its first commit, is refused. */
export async function branchAt(git: Git, cwd: string, branch: string): Promise<Result<string | null, BranchError>> {
  const ref = `refs/heads/${branch}`;
  const head = await runGit(git, { cwd, args: ["symbolic-ref", "--quiet", "HEAD"] });
  if (!head.ok && head.error.exitCode !== 1) return head;
  if (head.ok && outputLine(head.value) === ref) return err({ kind: "branch-checked-out", branch, worktree: cwd });
  const call: GitCall = { cwd, args: ["for-each-ref", "--format=%(refname)%00%(objectname)%00%(worktreepath)", ref] };
  const listed = await runGit(git, call);
  if (!listed.ok) return listed;
  const output = outputLine(listed.value);
  if (output === "") return ok(null);
  const [name, commit = "", worktree = ""] = output.split("\0");
  // The pattern also lists what lies below: `skein/run` is then a folder of branches and cannot be one itself.
  if (name !== ref)
    return err(gitError(call, null, `branches below ${branch}/ exist, so git cannot make a branch ${branch}`));
  return worktree === "" ? ok(commit) : err({ kind: "branch-checked-out", branch, worktree });
}

export interface Move {
  readonly git: Git;
  readonly repository: string;
  readonly branch: string;
  /** What `branchAt` answered before the export. */
  readonly before: string | null;
  readonly parent: string;
  readonly to: string;
}

/** Creates the branch, or moves it on from an earlier export. Git refuses if someone moved it since `before` was read. */
export async function moveBranch(move: Move): Promise<Result<void, BranchError>> {
  const { git, repository, branch, before, parent, to } = move;
  if (before === to) return ok(undefined);
  if (before !== null) {
    // Ours are the commits after the parent: the parent itself, or an older one, is a branch someone else made.
    const inExport = await isAncestor(git, repository, before, to);
    if (!inExport.ok) return inExport;
    const olderThanExport = await isAncestor(git, repository, before, parent);
    if (!olderThanExport.ok) return olderThanExport;
    if (!inExport.value || olderThanExport.value) return err({ kind: "branch-exists", branch, commit: before });
  }
  const updated = await runGit(git, {
    cwd: repository,
    args: ["update-ref", "-m", "skein: export", `refs/heads/${branch}`, to, before ?? "0".repeat(to.length)],
  });
  return updated.ok ? ok(undefined) : updated;
}

async function isAncestor(git: Git, cwd: string, ancestor: string, commit: string): GitResult<boolean> {
  const answer = await runGit(git, { cwd, args: ["merge-base", "--is-ancestor", ancestor, commit] });
  if (answer.ok) return ok(true);
  return answer.error.exitCode === 1 ? ok(false) : answer;
}
