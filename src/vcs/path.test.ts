// Repository paths against git: what an index takes with both file system protections on.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { parseRepoPath } from "./path.ts";

const root = mkdtempSync(join(tmpdir(), "skein-path-"));
afterAll(() => rmSync(root, { recursive: true }));

const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

/** Whether git takes each path into an index with both protections on. */
function gitTakes(paths: readonly string[]): boolean[] {
  spawnSync("git", ["init", "-q", root], { env });
  return paths.map((path, index) => {
    const protections = ["-c", "core.protectHFS=true", "-c", "core.protectNTFS=true"];
    const input = `100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\t${path}\0`;
    const made = spawnSync("git", [...protections, "update-index", "-z", "--add", "--index-info"], {
      cwd: root,
      // An index of its own, or a path could meet the one before it.
      env: { ...env, GIT_INDEX_FILE: join(root, ".git", `index-${index}`) },
      input,
    });
    // Git only skips a path that it does not take.
    return made.stderr.length === 0;
  });
}

test("takes and refuses the same paths as git", { timeout: 60_000 }, () => {
  const paths = [
    ...[
      "a",
      "a/b.c",
      ".gitignore",
      ".github/x",
      "a/.gitmodules",
      ".gi",
      "git",
      "git~2",
      "xgit~1",
      ".gitx",
      ".git~1",
      "..a",
      "...",
      ".a",
    ],
    ...["a b", "a\nb", "a\\b", "a:b", "é/😀", "dir.git/x", "x.git", "-", "CON", "\u200c", ".g\u200bit", "a./b ", "~"],
    ...[
      ".git",
      ".git/config",
      "a/.git",
      "a/.git/b",
      ".GIT",
      ".gIt/x",
      "git~1",
      "GIT~1/x",
      ".git ",
      ".git.",
      ".git . ./x",
      ".git::$INDEX_ALLOCATION",
    ],
    ...[
      "git~1 ",
      "git~1.",
      "a\\.git",
      "a\\git~1\\b",
      ".git\\config",
      ".g\u200cit",
      ".git\u200d",
      "\ufeff.git",
      ".GI\u202eT/x",
      "\u206a.git",
    ],
    ...["/a", "a//b", "a/", ".", "..", "a/./b", "a/../b", "./a", "../a", "a/.."],
  ];
  const taken = gitTakes(paths);
  expect(paths.filter((path) => parseRepoPath(path).ok)).toEqual(paths.filter((_, index) => taken[index]));
});

test("refuses what git cannot hold or a file system cannot store, and says why", () => {
  const reasons = [
    "",
    "a\0b",
    "a\ud800",
    "/etc/passwd",
    "a//b",
    "a/../b",
    "é".repeat(128),
    "a/".repeat(2_000) + "b",
    "sub/.git/hooks",
  ].map((text) => {
    const parsed = parseRepoPath(text);
    return parsed.ok ? "taken" : parsed.error.reason;
  });
  expect(reasons).toEqual([
    "it is empty",
    "it has a NUL character",
    "it is not well-formed Unicode",
    "it is absolute; paths are relative to the repository's root",
    "it has an empty part",
    'it has the part ".."',
    "a part of it is longer than 255 bytes",
    "it is longer than 4000 bytes",
    "a part of it is read as .git by git or by a file system",
  ]);
});

test("takes the longest part and the longest path", () => {
  const longest = `${"a/".repeat(1_999)}bc`;
  expect([parseRepoPath("a".repeat(255)), parseRepoPath(longest)]).toEqual([
    { ok: true, value: "a".repeat(255) },
    { ok: true, value: longest },
  ]);
});
