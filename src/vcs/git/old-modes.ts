// Modes that git once wrote into trees and today reads as others (100664 as 100644): `ls-tree` does not show them, so a tree with one
// is not the tree its listing says. They are found in the tree objects themselves, so that their paths can be named.

import { err, ok, type Result } from "../../base/result.ts";
import { cleanLine } from "../../base/text.ts";
import type { ObjectFormat } from "../../log/blob-id.ts";
import { type Git, type GitError, type GitResult, gitError, runGit } from "./command.ts";

export interface OldMode {
  readonly path: string;
  /** As it stands in the tree: `100664`, `040000`. */
  readonly mode: string;
}

/** The first of them, and how many there are. */
export interface OldModes {
  readonly kind: "old-modes";
  readonly entries: readonly OldMode[];
  readonly count: number;
}

const shownMax = 20;
const shownPathCharsMax = 300;
const current = new Set(["100644", "100755", "120000", "160000", "40000"]);

/** Null where every mode is one that git writes today. `tree` is a full id. */
export async function findOldModes(
  git: Git,
  repository: string,
  tree: string,
  format: ObjectFormat,
): Promise<Result<OldModes | null, GitError>> {
  const trees = await listTrees(git, repository, tree);
  if (!trees.ok) return trees;
  const args = ["cat-file", "--batch"] as const;
  const stdin = Buffer.from(trees.value.map(({ id }) => `${id}\n`).join(""));
  const objects = await runGit(git, { cwd: repository, args, stdin });
  if (!objects.ok) return objects;
  const idBytes = format === "sha256" ? 32 : 20;
  const entries: OldMode[] = [];
  let count = 0;
  let at = 0;
  for (const { id, prefix } of trees.value) {
    const lineEnd = objects.value.indexOf(0x0a, at);
    const header = Buffer.from(objects.value.subarray(at, lineEnd)).toString("latin1");
    const size = header.startsWith(`${id} tree `) ? Number(header.slice(id.length + 6)) : Number.NaN;
    if (!Number.isInteger(size)) return err(gitError({ args: [...args] }, 0, `unexpected answer: ${header}`));
    const body = objects.value.subarray(lineEnd + 1, lineEnd + 1 + size);
    for (const { mode, name } of entriesOf(body, idBytes)) {
      if (current.has(mode)) continue;
      count += 1;
      if (entries.length < shownMax) entries.push({ path: cleanLine(prefix + name, shownPathCharsMax), mode });
    }
    at = lineEnd + 1 + size + 1;
  }
  return ok(count === 0 ? null : { kind: "old-modes", entries, count });
}

interface Tree {
  readonly id: string;
  /** Its path with a slash at the end; empty for the root. */
  readonly prefix: string;
}

async function listTrees(git: Git, cwd: string, tree: string): GitResult<readonly Tree[]> {
  const listed = await runGit(git, { cwd, args: ["ls-tree", "-r", "-d", "-z", "--full-tree", tree] });
  if (!listed.ok) return listed;
  const lines = Buffer.from(listed.value).toString("utf8").split("\0").slice(0, -1);
  const below = lines.flatMap((line): Tree[] => {
    const [, kind, id = ""] = line.slice(0, line.indexOf("\t")).split(" ");
    return kind === "tree" ? [{ id, prefix: `${line.slice(line.indexOf("\t") + 1)}/` }] : [];
  });
  return ok([{ id: tree, prefix: "" }, ...below]);
}

/** A tree object is, per entry, `<mode> <name>\0<raw id>` (Pro Git, "Git Objects"). */
function* entriesOf(body: Uint8Array, idBytes: number): Generator<{ readonly mode: string; readonly name: string }> {
  for (let at = 0; at < body.length; ) {
    const space = body.indexOf(0x20, at);
    const end = body.indexOf(0, space);
    const mode = Buffer.from(body.subarray(at, space)).toString("latin1");
    yield { mode, name: Buffer.from(body.subarray(space + 1, end)).toString("utf8") };
    at = end + 1 + idBytes;
  }
}
