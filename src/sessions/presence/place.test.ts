// Repository, worktree, branch and commit, against what git itself says of the same directories.

import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { syncFiles } from "../../adapters/node/sync-files.ts";
import { git as runGit, type TemporaryDirectory, temporaryDirectory } from "../../testing/git/real-repository.ts";
import { repositoryKey } from "./ids.ts";
import { findPlace } from "./place.ts";

let place: TemporaryDirectory;
let root = "";
beforeEach(() => {
  place = temporaryDirectory("skein-place-");
  root = place.path;
});
afterEach(() => place[Symbol.dispose]());

const git = (cwd: string, ...args: string[]) =>
  runGit(cwd, ["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", ...args]);

function repository(name: string): string {
  const path = join(root, name);
  git(root, "init", "-q", path);
  mkdirSync(join(path, "sub"));
  writeFileSync(join(path, "sub", "a.txt"), "one\n");
  git(path, "add", "-A");
  git(path, "commit", "-qm", "first");
  return path;
}

/** The same facts from git's own commands. */
function fromGit(directory: string) {
  const say = (...args: string[]): string | null => {
    try {
      return git(directory, ...args);
    } catch {
      return null;
    }
  };
  return {
    repository: realpathSync(say("rev-parse", "--path-format=absolute", "--git-common-dir") ?? ""),
    worktree: realpathSync(say("rev-parse", "--show-toplevel") ?? directory),
    gitDirectory: realpathSync(say("rev-parse", "--absolute-git-dir") ?? ""),
    head: { branch: say("symbolic-ref", "--short", "-q", "HEAD"), commit: say("rev-parse", "-q", "--verify", "HEAD") },
  };
}

test("P21: three worktrees are one repository, each with its own branch", async () => {
  const main = repository("main");
  const [second, third] = [join(root, "second"), join(root, "third")];
  git(main, "worktree", "add", "-q", "-b", "feature/deep", second);
  git(main, "worktree", "add", "-q", "--detach", third);
  git(main, "pack-refs", "--all");
  const places = await Promise.all(
    [main, join(main, "sub"), second, join(second, "sub"), third].map((one) => findPlace(syncFiles, one)),
  );
  expect(places).toEqual([main, join(main, "sub"), second, join(second, "sub"), third].map(fromGit));
  expect(new Set(places.map((place) => repositoryKey(place.repository))).size).toBe(1);
});

test("P21: a submodule is a repository of its own", async () => {
  const [outer, inner] = [repository("outer"), repository("inner")];
  git(outer, "submodule", "add", "-q", inner, "vendor/inner");
  const nested = join(outer, "vendor", "inner");
  const places = [await findPlace(syncFiles, outer), await findPlace(syncFiles, nested)];
  expect(places).toEqual([fromGit(outer), fromGit(nested)]);
  expect(new Set(places.map((place) => repositoryKey(place.repository))).size).toBe(2);
});

test("P21: a bare repository with worktrees, also in the layout with a .git file beside it", async () => {
  const source = repository("source");
  const bare = join(root, "project", ".bare");
  git(root, "clone", "-q", "--bare", source, bare);
  writeFileSync(join(root, "project", ".git"), "gitdir: ./.bare\n");
  const tree = join(root, "project", "tree");
  git(bare, "worktree", "add", "-q", tree);
  expect([await findPlace(syncFiles, tree), await findPlace(syncFiles, bare)]).toEqual([
    fromGit(tree),
    { ...fromGit(bare), worktree: bare },
  ]);
  expect((await findPlace(syncFiles, join(root, "project"))).repository).toBe(bare);
});

test("P21: a directory without git is a place of its own, and one that is gone keeps its name", async () => {
  const plain = join(root, "plain");
  mkdirSync(plain);
  const gone = join(root, "gone");
  expect([await findPlace(syncFiles, plain), await findPlace(syncFiles, gone)]).toEqual([
    { repository: plain, worktree: plain, gitDirectory: null, head: null },
    { repository: gone, worktree: gone, gitDirectory: null, head: null },
  ]);
});

test("P22: a way through a symlink is the same place", async () => {
  const main = repository("main");
  symlinkSync(main, join(root, "link"));
  expect(await findPlace(syncFiles, join(root, "link", "sub"))).toEqual(await findPlace(syncFiles, join(main, "sub")));
});

test("an unborn branch, a loose ref above a packed one, SHA-256", async () => {
  const unborn = join(root, "unborn");
  git(root, "init", "-q", unborn);
  const moved = repository("moved");
  git(moved, "pack-refs", "--all");
  writeFileSync(join(moved, "b.txt"), "two\n");
  git(moved, "add", "-A");
  git(moved, "commit", "-qm", "second");
  const wide = join(root, "wide");
  git(root, "init", "-q", "--object-format=sha256", wide);
  git(wide, "commit", "-q", "--allow-empty", "-m", "first");
  const places = [unborn, moved, wide];
  expect(await Promise.all(places.map((one) => findPlace(syncFiles, one)))).toEqual(places.map(fromGit));
});

test("refs that lead out of the git directory are nobody's commit", async () => {
  const main = repository("main");
  writeFileSync(join(root, "outside"), `${"a".repeat(40)}\n`);
  writeFileSync(join(main, ".git", "HEAD"), "ref: refs/heads/../../../outside\n");
  expect((await findPlace(syncFiles, main)).head).toEqual({ branch: "../../../outside", commit: null });
});
