// Whether a branch can be made is asked before a run: what git then does with the name is the measure.

import { expect, test } from "vitest";
import { nodeHost } from "../../adapters/node/host.ts";
import { makeRepository, git as plainGit, temporaryDirectory } from "../../testing/git/real-repository.ts";
import { branchAt, branchProblem } from "./branch.ts";
import type { Git } from "./command.ts";

const git: Git = { processes: nodeHost().processes, path: process.env.PATH ?? "" };

test("a name that git cannot make a branch of is told with its reason, and nothing is made", async () => {
  using directory = temporaryDirectory();
  const root = directory.path;
  makeRepository(root, { a: { kind: "file", bytes: "a" } });
  for (const branch of ["taken", "deep/er", "packed"]) plainGit(root, ["branch", branch]);
  plainGit(root, ["pack-refs", "--all"]);
  const before = plainGit(root, ["for-each-ref"]);
  const names = ["free", "free/run-1", "taken/run-1", "deep/er/run/1", "deep", "packed/x", "main", "main/x", "a..b"];
  const problems = await Promise.all(names.map((name) => branchProblem(git, root, name)));
  const unchanged = plainGit(root, ["for-each-ref"]) === before;
  const refused = names.map((name) => {
    try {
      // `main` can be made in git's eyes: moving it is what must not happen.
      plainGit(root, ["update-ref", `refs/heads/${name}`, "HEAD"]);
      plainGit(root, ["update-ref", "-d", `refs/heads/${name}`]);
      return name === "main";
    } catch {
      return true;
    }
  });
  expect([problems.map((problem) => problem !== null), unchanged]).toEqual([refused, true]);
  expect(problems.filter((problem) => problem !== null)).toEqual([
    "a branch taken exists, so git cannot make a branch taken/run-1; rename it: git branch -m taken <new name>",
    "a branch deep/er exists, so git cannot make a branch deep/er/run/1; rename it: git branch -m deep/er <new name>",
    expect.stringContaining("branches below deep/ exist, so git cannot make a branch deep"),
    "a branch packed exists, so git cannot make a branch packed/x; rename it: git branch -m packed <new name>",
    `the branch main is checked out in ${root}`,
    "a branch main exists, so git cannot make a branch main/x; rename it: git branch -m main <new name>",
    "a..b is no name git takes for a branch",
  ]);
});

test("a branch that is another ref's name is refused, also before that other is made", async () => {
  using directory = temporaryDirectory();
  const root = directory.path;
  makeRepository(root, { a: { kind: "file", bytes: "a" } });
  plainGit(root, ["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
  plainGit(root, ["symbolic-ref", "refs/heads/unborn", "refs/heads/not-yet"]);
  const answers = await Promise.all(["alias", "unborn", "free"].map((branch) => branchAt(git, root, branch)));
  expect(answers).toEqual([
    { ok: false, error: { kind: "branch-symbolic", branch: "alias", target: "refs/heads/main" } },
    { ok: false, error: { kind: "branch-symbolic", branch: "unborn", target: "refs/heads/not-yet" } },
    { ok: true, value: null },
  ]);
});
