// One branch of the user's repository: whether it may be written, and its move. Invariant: a branch that holds anything but
// an earlier export of the same commits, or that is checked out somewhere, is never moved.

import { unreachable } from "../../base/assert.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { cleanLine } from "../../base/text.ts";
import { type Git, type GitCall, type GitError, type GitResult, gitError, outputLine, runGit } from "./command.ts";

export type BranchError =
  | { readonly kind: "bad-branch-name"; readonly branch: string }
  /** A branch of that name exists and is not an earlier state of this export. */
  | { readonly kind: "branch-exists"; readonly branch: string; readonly commit: string }
  /** HEAD of some work tree is on it: moving it would make those files look changed. */
  | { readonly kind: "branch-checked-out"; readonly branch: string; readonly worktree: string }
  /** It is a name for another ref, which would be what moves. */
  | { readonly kind: "branch-symbolic"; readonly branch: string; readonly target: string }
  | GitError;

export async function checkBranchName(git: Git, cwd: string, branch: string): Promise<Result<void, BranchError>> {
  const bad = { kind: "bad-branch-name", branch } as const;
  if (branch.startsWith("-") || branch === "HEAD" || branch === "@" || branch.includes("\0")) return err(bad);
  const checked = await runGit(git, { cwd, args: ["check-ref-format", `refs/heads/${branch}`] });
  if (checked.ok) return ok(undefined);
  return checked.error.exitCode === 1 ? err(bad) : checked;
}

/** The branch's commit; null where there is none. A branch that is checked out, is HEAD's before its first commit, or is another ref's name, is refused. */
export async function branchAt(git: Git, cwd: string, branch: string): Promise<Result<string | null, BranchError>> {
  const ref = `refs/heads/${branch}`;
  const head = await runGit(git, { cwd, args: ["symbolic-ref", "--quiet", "HEAD"] });
  if (!head.ok && head.error.exitCode !== 1) return head;
  if (head.ok && outputLine(head.value) === ref) return err({ kind: "branch-checked-out", branch, worktree: cwd });
  const symbolic = await runGit(git, { cwd, args: ["symbolic-ref", "--quiet", ref] });
  if (symbolic.ok) return err({ kind: "branch-symbolic", branch, target: outputLine(symbolic.value) });
  if (symbolic.error.exitCode !== 1) return symbolic;
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

/**
 * Why a branch of that name cannot be made or moved on here, as a sentence for a person; null if nothing is in its way. Asked before
 * a run starts, so that nobody hears of it only at the end.
 */
export async function branchProblem(git: Git, repository: string, branch: string): Promise<string | null> {
  const name = await checkBranchName(git, repository, branch);
  if (!name.ok) return problem(name.error);
  const there = await branchAt(git, repository, branch);
  if (!there.ok) return problem(there.error);
  const parts = branch.split("/");
  const above = parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
  if (above.length === 0) return null;
  const args = ["for-each-ref", "--format=%(refname)", ...above.map((name) => `refs/heads/${name}`)] as const;
  const listed = await runGit(git, { cwd: repository, args: [...args] });
  if (!listed.ok) return problem(listed.error);
  const refs = new Set(outputLine(listed.value).split("\n"));
  const taken = above.find((name) => refs.has(`refs/heads/${name}`));
  return taken === undefined
    ? null
    : `a branch ${taken} exists, so git cannot make a branch ${branch}; rename it: git branch -m ${taken} <new name>`;
}

function problem(error: BranchError): string {
  switch (error.kind) {
    case "bad-branch-name":
      return `${cleanLine(error.branch, 200)} is no name git takes for a branch`;
    case "branch-exists":
      return `a branch ${error.branch} exists already, at ${error.commit}`;
    case "branch-checked-out":
      return `the branch ${error.branch} is checked out in ${cleanLine(error.worktree, 500)}`;
    case "branch-symbolic":
      return `the branch ${error.branch} is another name of ${cleanLine(error.target, 300)}, which would move in its place`;
    case "git":
      return `git ${cleanLine(error.command, 300)} failed: ${error.stderr}`;
    default:
      return unreachable(error);
  }
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
    args: [
      "update-ref",
      "--no-deref",
      "-m",
      "skein: export",
      `refs/heads/${branch}`,
      to,
      before ?? "0".repeat(to.length),
    ],
  });
  return updated.ok ? ok(undefined) : updated;
}

async function isAncestor(git: Git, cwd: string, ancestor: string, commit: string): GitResult<boolean> {
  const answer = await runGit(git, { cwd, args: ["merge-base", "--is-ancestor", ancestor, commit] });
  if (answer.ok) return ok(true);
  return answer.error.exitCode === 1 ? ok(false) : answer;
}
