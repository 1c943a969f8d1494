// What a model's path may reach: decided on the real path, for every way out of the tree.

import { mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { freshTree } from "../testing/tools/tree.ts";
import { resolvePath, scopePath } from "./path.ts";

const tree = freshTree();

/** What is shown of an accepted path, or the error. */
async function shown(given: string, access: "read" | "write" = "write"): Promise<string> {
  const resolved = await resolvePath(tree().env, given, access);
  return resolved.ok ? resolved.value.shown : `error: ${resolved.error}`;
}

test("paths inside, there or not, relative or absolute, through symlinks that stay inside", async () => {
  await tree().put("src/a.ts", "");
  await symlink("src", join(tree().root, "link"));
  await symlink(join(tree().root, "src/a.ts"), join(tree().root, "absolute"));
  const given = [
    ".",
    "src/a.ts",
    "./src//a.ts",
    "src/",
    "new/deep/file",
    `${tree().root}/src/b.ts`,
    "link/a.ts",
    "link/new.ts",
    "absolute",
    "...",
  ];
  expect(await Promise.all(given.map((path) => shown(path)))).toEqual([
    ".",
    "src/a.ts",
    "src/a.ts",
    "src",
    "new/deep/file",
    "src/b.ts",
    "src/a.ts",
    "src/new.ts",
    "src/a.ts",
    "...",
  ]);
});

test("S28 every way out of the tree is refused", async () => {
  const { root } = tree();
  const outside = join(dirname(root), "outside");
  await mkdir(outside);
  await tree().put("file", "");
  await symlink(outside, join(root, "out"));
  await symlink(join(outside, "missing"), join(root, "dangling"));
  await symlink(".git", join(root, "hidden"));
  await mkdir(join(root, ".git"));
  const given = [
    "/etc/passwd",
    `${root}-sibling/x`,
    "../outside/x",
    "a/../../outside",
    "out/x",
    "out",
    "dangling",
    ".git",
    ".git/config",
    "sub/.GIT/x",
    "hidden/config",
    "",
    "a\0b",
    "file/x",
  ];
  const answers = await Promise.all(given.map((path) => shown(path)));
  expect(answers.filter((answer) => !answer.startsWith("error: "))).toEqual([]);
  expect([answers[0], answers[2], answers[6], answers[10]]).toEqual([
    'error: "/etc/passwd" is outside the tree; paths are relative to its root',
    'error: "../outside/x": a path with ".." is not accepted; give it relative to the root of the tree',
    'error: "dangling" leads through a symlink whose target is missing',
    'error: "hidden/config": .git is not accessible',
  ]);
});

test("the directory of full outputs may be read and not written", async () => {
  const { spillDirectory } = tree().env;
  await mkdir(spillDirectory);
  const path = join(spillDirectory, "x.txt");
  expect([await shown(path, "read"), (await shown(path, "write")).startsWith("error: ")]).toEqual([path, true]);
});

test("a root that is named through a symlink is the same tree", async () => {
  const { root } = tree();
  const alias = join(dirname(root), "alias");
  await symlink(root, alias);
  await tree().put("a", "");
  const resolved = await resolvePath({ ...tree().env, root: alias }, join(alias, "a"), "read");
  expect(resolved).toEqual({ ok: true, value: { absolute: join(root, "a"), shown: "a" } });
});

test("a write scope names real paths: none through a symlink, none of git", async () => {
  const { root, env } = tree();
  await tree().put("real/a.txt", "");
  await symlink("real", join(root, "d1"));
  await symlink("real/a.txt", join(root, "one"));
  await mkdir(join(root, ".git"));
  const scope = async (path: string) => {
    const named = await scopePath(env, path);
    return named.ok ? named.value.slice(root.length) : named.error;
  };
  expect(await Promise.all(["real", "./real/new/", "d1", "d1/a.txt", "one", ".git/hooks"].map(scope))).toEqual([
    "/real",
    "/real/new",
    '"d1" leads through a symlink to real: name that instead',
    '"d1/a.txt" leads through a symlink to real/a.txt: name that instead',
    '"one" leads through a symlink to real/a.txt: name that instead',
    '".git/hooks": .git is not accessible',
  ]);
});
