// The three-way rule for one path agrees with git: every combination of three entries, merged by `git merge-tree`.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { asBlobId, type BlobId, type RepoPath } from "../base/ids.ts";
import { blobIdOf } from "../log/blob-id.ts";
import { mergeText } from "./merge/merge.ts";
import { decidePath } from "./three-way.ts";
import { treeId } from "./tree-id.ts";
import type { Entry, Mode } from "./types.ts";

const directory = mkdtempSync(join(tmpdir(), "three-way-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const texts = new Map<BlobId, Buffer>();

function git(args: readonly string[], input?: string): { readonly code: number; readonly out: string } {
  const identity = { GIT_AUTHOR_NAME: "n", GIT_AUTHOR_EMAIL: "e", GIT_COMMITTER_NAME: "n", GIT_COMMITTER_EMAIL: "e" };
  const env = { PATH: process.env.PATH ?? "", HOME: directory, ...identity };
  try {
    return {
      code: 0,
      out: execFileSync("git", args, { cwd: directory, env, encoding: "utf8", input: input ?? "", stdio: "pipe" }),
    };
  } catch (error) {
    const { status, stdout } = error as { status: number; stdout: string };
    return { code: status, out: stdout };
  }
}

function entry(mode: Mode, text: string): Entry {
  const blob = asBlobId(git(["hash-object", "-w", "--stdin"], text).out.trim());
  texts.set(blob, Buffer.from(text));
  return { blob, mode };
}

function treeOf(file: Entry | null): string {
  return git(["mktree"], file === null ? "" : `${file.mode} blob ${file.blob}\tf\n`).out.trim();
}

function commitOf(tree: string, parents: readonly string[]): string {
  return git(["commit-tree", tree, "-m", "m", ...parents.flatMap((parent) => ["-p", parent])]).out.trim();
}

/** The id of the merged tree. */
function byGit(ours: string, theirs: string): string {
  const { code, out } = git(["merge-tree", "--write-tree", ours, theirs]);
  return code === 0 ? out.trim() : "conflict";
}

function byRule(base: Entry | null, head: Entry | null, proposed: Entry | null): string {
  const show = (result: Entry | null) => treeId(new Map(result === null ? [] : [["f" as RepoPath, result]]));
  const decision = decidePath(base, head, proposed);
  switch (decision.kind) {
    case "already":
      return show(head);
    case "take":
      return show(decision.entry);
    case "conflict":
      return "conflict";
    case "merge": {
      const { need, mode } = decision;
      const [a, b, c] = [need.base, need.head, need.proposed].map((id) => texts.get(id) ?? Buffer.alloc(0));
      const merged = mergeText(a ?? Buffer.alloc(0), b ?? Buffer.alloc(0), c ?? Buffer.alloc(0));
      return merged.kind === "clean" ? show({ mode, blob: blobIdOf(merged.bytes, "sha1") }) : "conflict";
    }
  }
}

test("every base, head and proposal comes to what git comes to", { timeout: 60_000 }, () => {
  git(["init", "-q"]);
  const lines = "1\n2\n3\n4\n5\n6\n7\n";
  const sides: readonly (Entry | null)[] = [
    null,
    entry("100644", lines),
    entry("100755", lines),
    entry("100644", lines.replace("1", "one")),
    entry("100755", lines.replace("7", "seven")),
    entry("120000", "target"),
  ];
  const trees = sides.map(treeOf);
  const mine: string[] = [];
  const theirs: string[] = [];
  for (const base of sides) {
    const root = commitOf(treeOf(base), []);
    const children = trees.map((tree) => commitOf(tree, [root]));
    for (const [h, head] of sides.entries()) {
      for (const [p, proposed] of sides.entries()) {
        const name = `${sides.indexOf(base)} ${h} ${p}: `;
        mine.push(name + byRule(base, head, proposed));
        theirs.push(name + byGit(children[h] ?? "", children[p] ?? ""));
      }
    }
  }
  expect(mine).toEqual(theirs);
});
