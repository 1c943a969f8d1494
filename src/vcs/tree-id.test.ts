// Tree and blob ids against git's own, in repositories of both object formats.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { asBlobId, type RepoPath } from "../base/ids.ts";
import { unwrap } from "../base/result.ts";
import type { ObjectFormat } from "../log/blob-id.ts";
import { blobId } from "./blob-id.ts";
import { parseRepoPath } from "./path.ts";
import { treeId } from "./tree-id.ts";
import type { Entry, Manifest, Mode } from "./types.ts";

const root = mkdtempSync(join(tmpdir(), "skein-tree-"));
afterAll(() => rmSync(root, { recursive: true }));

function git(format: ObjectFormat, args: readonly string[], input: string | Uint8Array = ""): string {
  const directory = join(root, format);
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  return execFileSync("git", args[0] === "init" ? args : ["-C", directory, ...args], {
    cwd: root,
    env,
    input,
    encoding: "utf8",
  }).trim();
}

const path = (text: string): RepoPath => unwrap(parseRepoPath(text), text);

describe.each(["sha1", "sha256"] as const)("%s", (format) => {
  git(format, ["init", "-q", `--object-format=${format}`, format]);

  function manifestOf(files: readonly (readonly [string, Mode, string])[]): Manifest {
    return new Map(
      files.map(([name, mode, content]): [RepoPath, Entry] => {
        const commit = asBlobId("5".repeat(format === "sha1" ? 40 : 64));
        return [path(name), { mode, blob: mode === "160000" ? commit : blobId(Buffer.from(content), format) }];
      }),
    );
  }

  /** What git makes of the same entries. */
  function gitTree(manifest: Manifest): string {
    git(format, ["read-tree", "--empty"]);
    const index = [...manifest].map(([name, { mode, blob }]) => `${mode} ${blob}\t${name}\0`).join("");
    git(format, ["update-index", "-z", "--add", "--index-info"], index);
    return git(format, ["write-tree", "--missing-ok"]);
  }

  test("blobs are named as git names them", () => {
    const contents = [
      Buffer.from(""),
      Buffer.from("hello\n"),
      Buffer.from([0, 255, 13, 10]),
      Buffer.alloc(100_000, "x"),
    ];
    expect(contents.map((bytes) => blobId(bytes, format))).toEqual(
      contents.map((bytes) => git(format, ["hash-object", "--stdin", "-t", "blob"], bytes)),
    );
  });

  test.each<[string, readonly (readonly [string, Mode, string])[]]>([
    ["nothing", []],
    ["one file", [["a", "100644", "a"]]],
    [
      "names around a directory",
      [
        ["a0", "100644", "1"],
        ["a/b", "100644", "2"],
        ["a.b", "100644", "3"],
        ["a-", "100644", "4"],
      ],
    ],
    [
      "directories around names",
      [
        ["a.b/x", "100644", "1"],
        ["a/b/c", "100644", "2"],
        ["a0/x", "100644", "3"],
        ["a/b.c", "100644", "4"],
        ["a/b0", "100644", "5"],
      ],
    ],
    [
      "every mode",
      [
        ["run", "100755", "#!"],
        ["link", "120000", "run"],
        ["lib/sub", "160000", ""],
        ["lib/sub.txt", "100644", "x"],
      ],
    ],
    [
      "names that sort apart in UTF-8 and UTF-16",
      [
        ["\uffee", "100644", "1"],
        ["\u{1f600}", "100644", "2"],
        ["é/x", "100644", "3"],
        ["z", "100644", "4"],
      ],
    ],
    [
      "odd characters",
      [
        ["a b", "100644", "1"],
        ["new\nline", "100644", "2"],
        ["back\\slash", "100644", "3"],
        ["B", "100644", "4"],
        ["b", "100644", "5"],
      ],
    ],
    [
      "depth",
      [
        ["a/b/c/d/e/f/g", "100644", "1"],
        ["a/b/c/d/e.f", "100755", "2"],
        ["a/b/c0", "100644", "3"],
      ],
    ],
  ])("a tree of %s", (_, files) => {
    const manifest = manifestOf(files);
    expect(treeId(manifest, format)).toBe(gitTree(manifest));
  });

  test("a path that is a file and a directory is a bug, not a tree", () => {
    expect(() =>
      treeId(
        manifestOf([
          ["a", "100644", "1"],
          ["a.b", "100644", "2"],
          ["a/b", "100644", "3"],
        ]),
        format,
      ),
    ).toThrow("assertion failed");
  });
});

test("the empty tree has git's published id", () => {
  expect(treeId(new Map())).toBe("4b825dc642cb6eb9a060e54bf8d69288fbee4904");
});
