// Whole trees that meet: a base and two sides made from it by edits, renames and changes of kind, merged here and by git. What git
// says of all of them comes from one repository, written with one `git fast-import`.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { asPosition } from "../../base/ids.ts";
import { treeId } from "../../vcs/tree-id.ts";
import type { Mode } from "../../vcs/types.ts";
import { commit, type FileTexts, rigWith } from "./vcs-rig.ts";

type Kind = Extract<Mode, "100644" | "100755" | "120000">;

interface MadeFile {
  readonly text: string;
  readonly mode: Kind;
}

type Tree = ReadonlyMap<string, MadeFile>;

export interface TreeMeeting {
  readonly base: Tree;
  readonly ours: Tree;
  readonly theirs: Tree;
}

/** A tree's id and its files' modes and ids in order, or that the sides are in conflict. */
export type TreeVerdict =
  | { readonly kind: "clean"; readonly tree: string; readonly contents: readonly string[] }
  | { readonly kind: "conflict" };

export interface Agreement {
  /** Both clean with one tree, or both in conflict. */
  readonly same: number;
  /** The same files, of which some stand elsewhere: git leaves those in a new directory below one that was moved where it was. */
  readonly placedElsewhere: number;
  /** Git is clean where it is a conflict here. */
  readonly keptAsConflict: number;
  /** What there must be none of: clean where git is not, or with other contents. */
  readonly wrong: readonly TreeMeeting[];
  readonly gitIsClean: number;
}

export async function compared(meetings: readonly TreeMeeting[]): Promise<Agreement> {
  const git = mergedByGit(meetings);
  let [same, placedElsewhere, keptAsConflict] = [0, 0, 0];
  const wrong: TreeMeeting[] = [];
  for (const [index, meeting] of meetings.entries()) {
    const [here, there] = [await mergedHere(meeting), git[index]];
    if (here.kind === "conflict") {
      if (there?.kind === "conflict") same += 1;
      else keptAsConflict += 1;
    } else if (there?.kind !== "clean") wrong.push(meeting);
    else if (here.tree === there.tree) same += 1;
    else if (here.contents.join() === there.contents.join()) placedElsewhere += 1;
    else wrong.push(meeting);
  }
  const gitIsClean = git.filter(({ kind }) => kind === "clean").length;
  return { same, placedElsewhere, keptAsConflict, wrong, gitIsClean };
}

const directories = ["", "d/", "d/s/", "e/", "f/g/"];
const names = ["a.txt", "b.txt", "c.c", "d", "x"];
const place = fc
  .tuple(fc.constantFrom(...directories), fc.constantFrom(...names))
  .map(([directory, name]) => directory + name);

type Op =
  | { readonly kind: "edit"; readonly which: number; readonly line: number; readonly word: number }
  | { readonly kind: "insert"; readonly which: number; readonly line: number; readonly word: number }
  | { readonly kind: "delete" | "chmod" | "link" | "binary"; readonly which: number }
  | { readonly kind: "add" | "rename"; readonly which: number; readonly to: string; readonly word: number }
  | { readonly kind: "renameDirectory"; readonly from: string; readonly to: string };

const which = fc.nat(20);
const line = fc.nat(12);
const word = fc.nat(1_000_000);
const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constantFrom("edit" as const, "insert" as const), which, line, word }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), which }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom("chmod" as const, "link" as const, "binary" as const), which }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom("add" as const, "rename" as const), which, to: place, word }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("renameDirectory" as const),
      from: fc.constantFrom("d/", "d/s/", "e/", "f/"),
      to: fc.constantFrom("d/", "e/", "n/", "n/s/"),
    }),
  },
);

export const treeMeetings: fc.Arbitrary<TreeMeeting> = fc
  .record({
    places: fc.uniqueArray(place, { minLength: 2, maxLength: 9 }),
    ours: fc.array(op, { minLength: 1, maxLength: 4 }),
    theirs: fc.array(op, { minLength: 1, maxLength: 4 }),
  })
  .map(({ places, ours, theirs }) => {
    const base = new Map<string, MadeFile>();
    for (const path of places) if (fits(base, path)) base.set(path, { text: fresh(path), mode: "100644" });
    return { base, ours: ours.reduce(apply, base), theirs: theirs.reduce(apply, base) };
  });

/** Lines that no other file has: which of several equal lines a diff takes is not what is tried here. */
function fresh(seed: string): string {
  return Array.from({ length: 8 }, (_, index) => `${seed} ${index} ${"abcdefgh"[index]?.repeat(5)}\n`).join("");
}

function fits(tree: Tree, path: string): boolean {
  return ![...tree.keys()].some(
    (other) => other === path || other.startsWith(`${path}/`) || path.startsWith(`${other}/`),
  );
}

function apply(tree: Tree, op: Op): Tree {
  const files = new Map(tree);
  if (op.kind === "renameDirectory") {
    if (op.from === op.to || op.to.startsWith(op.from)) return tree;
    for (const [path, file] of tree) {
      if (!path.startsWith(op.from)) continue;
      files.delete(path);
      const to = op.to + path.slice(op.from.length);
      if (!fits(files, to)) return tree;
      files.set(to, file);
    }
    return files;
  }
  if (op.kind === "add") {
    if (fits(tree, op.to)) files.set(op.to, { text: fresh(`${op.to} ${op.word}`), mode: "100644" });
    return files;
  }
  const path = [...tree.keys()][op.which % Math.max(1, tree.size)];
  const file = path === undefined ? undefined : tree.get(path);
  if (path === undefined || file === undefined) return tree;
  files.delete(path);
  switch (op.kind) {
    case "delete":
      return files;
    case "rename":
      if (!fits(files, op.to)) return tree;
      return files.set(op.to, file);
    case "chmod":
      return files.set(path, file.mode === "120000" ? file : { ...file, mode: "100755" });
    case "link":
      return files.set(path, { text: `to/${path}`, mode: "120000" });
    case "binary":
      return files.set(path, { text: `\0${file.text}`, mode: file.mode });
    case "edit":
    case "insert": {
      if (file.mode === "120000") return files.set(path, { ...file, text: `${file.text}${op.word}` });
      const lines = file.text.split(/(?<=\n)/);
      const at = op.line % (lines.length + 1);
      lines.splice(at, op.kind === "edit" ? 1 : 0, `new ${op.word}\n`);
      return files.set(path, { ...file, text: lines.join("") });
    }
  }
}

/** As one commit each: ours first, theirs from the base. */
async function mergedHere({ base, ours, theirs }: TreeMeeting): Promise<TreeVerdict> {
  const rig = await rigWith(Object.fromEntries(base));
  await commit(rig, { by: 1, base: 1, files: between(base, ours) });
  const outcome = await commit(rig, { by: 2, base: 1, files: between(base, theirs) });
  if (outcome.kind === "conflict") return { kind: "conflict" };
  const manifest = rig.vcs.manifest(asPosition(rig.vcs.head()));
  return {
    kind: "clean",
    tree: treeId(manifest),
    contents: [...manifest.values()].map(({ mode, blob }) => `${mode} ${blob}`).sort(),
  };
}

function between(base: Tree, side: Tree): FileTexts {
  const changes: Record<string, FileTexts[string]> = {};
  for (const path of base.keys()) if (!side.has(path)) changes[path] = null;
  for (const [path, file] of side) {
    const before = base.get(path);
    if (before?.text !== file.text || before.mode !== file.mode) changes[path] = file;
  }
  return changes;
}

/** By `git merge-tree`, which follows directories as it does with `merge.directoryRenames`. */
function mergedByGit(meetings: readonly TreeMeeting[]): readonly TreeVerdict[] {
  const directory = mkdtempSync(join(tmpdir(), "skein-trees-"));
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", HOME: directory };
  try {
    execFileSync("git", ["init", "-q", "--bare", directory], { env });
    const input = Buffer.concat(meetings.flatMap((meeting, index) => stream(meeting, index)));
    execFileSync("git", ["-C", directory, "fast-import", "--quiet", "--done"], {
      env,
      input: Buffer.concat([input, Buffer.from("done\n")]),
    });
    const script = `i=0; while [ $i -lt ${meetings.length} ]; do
      git -c merge.directoryRenames=true merge-tree --write-tree --no-messages ours$i theirs$i >out; s=$?
      echo $s $(head -n 1 out) $([ $s = 0 ] && git ls-tree -r $(head -n 1 out) | sed 's/^\\([0-9]*\\) blob \\([0-9a-f]*\\).*/\\1,\\2/'); i=$((i+1)); done`;
    const told = execFileSync("sh", ["-c", script], { cwd: directory, env, encoding: "utf8" }).trim().split("\n");
    return told.map((said) => {
      const [status, tree = "", ...contents] = said.split(" ");
      if (status !== "0" && status !== "1") throw new Error(`git merge-tree ended with ${status}`);
      if (status === "1") return { kind: "conflict" };
      return { kind: "clean", tree, contents: contents.map((each) => each.replace(",", " ")).sort() };
    });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function stream({ base, ours, theirs }: TreeMeeting, index: number): readonly Buffer[] {
  return [
    ...commitOf(`base${index}`, base, null),
    ...commitOf(`ours${index}`, ours, `base${index}`),
    ...commitOf(`theirs${index}`, theirs, `base${index}`),
  ];
}

function commitOf(branch: string, tree: Tree, from: string | null): readonly Buffer[] {
  const head = `commit refs/heads/${branch}\ncommitter t <t@t> 1700000000 +0000\ndata 0\n`;
  const parts = [Buffer.from(`${head}${from === null ? "" : `from refs/heads/${from}\n`}deleteall\n`)];
  for (const [path, { text, mode }] of tree) {
    const bytes = Buffer.from(text);
    parts.push(Buffer.from(`M ${mode} inline ${path}\ndata ${bytes.length}\n`), bytes, Buffer.from("\n"));
  }
  parts.push(Buffer.from("\n"));
  return parts;
}
