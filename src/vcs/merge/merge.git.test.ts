// The merge against git's own: three texts in, `git merge-file` decides what is right.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../testing/rounds.ts";
import { type MergeResult, mergeText } from "./merge.ts";

interface Triple {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

type Edit =
  | { readonly kind: "insert" | "replace"; readonly at: number; readonly lines: readonly string[] }
  | { readonly kind: "delete"; readonly at: number; readonly count: number }
  | { readonly kind: "copy" | "move"; readonly at: number; readonly to: number; readonly count: number };

/** Few different lines, so that they repeat; in some triples with both kinds of line end. */
const triples: fc.Arbitrary<Triple> = fc
  .record({ words: fc.constantFrom(2, 3, 5, 40), endings: fc.constantFrom(["\n"], ["\n"], ["\r\n"], ["\n", "\r\n"]) })
  .chain(({ words, endings }) => {
    const line = fc
      .tuple(fc.nat(words - 1), fc.constantFrom(...endings), fc.constantFrom("", "", "", "", "\rx"))
      .map(([word, ending, cr]) => `w${word}${cr}${ending}`);
    const base = fc.constantFrom(6, 15, 40).chain((lengthMax) => fc.array(line, { maxLength: lengthMax, size: "max" }));
    const at = fc.nat(50);
    const count = fc.integer({ min: 1, max: 3 });
    const edit: fc.Arbitrary<Edit> = fc.oneof(
      fc.record({ kind: fc.constant("insert" as const), at, lines: fc.array(line, { minLength: 1, maxLength: 3 }) }),
      fc.record({ kind: fc.constant("replace" as const), at, lines: fc.array(line, { minLength: 1, maxLength: 2 }) }),
      fc.record({ kind: fc.constant("delete" as const), at, count }),
      fc.record({ kind: fc.constantFrom("copy" as const, "move" as const), at, to: at, count }),
    );
    const side = fc.tuple(fc.array(edit, { maxLength: 4 }), fc.integer({ min: 0, max: 5 }));
    return fc.tuple(base, side, side, fc.integer({ min: 0, max: 5 })).map(([lines, ours, theirs, open]) => ({
      base: textOf(lines, open),
      ours: textOf(ours[0].reduce(applyEdit, lines), ours[1]),
      theirs: textOf(theirs[0].reduce(applyEdit, lines), theirs[1]),
    }));
  });

function applyEdit(lines: readonly string[], edit: Edit): readonly string[] {
  const at = edit.at % (lines.length + 1);
  switch (edit.kind) {
    case "insert":
      return lines.toSpliced(at, 0, ...edit.lines);
    case "replace":
      return lines.toSpliced(at, edit.lines.length, ...edit.lines);
    case "delete":
      return lines.toSpliced(at, edit.count);
    case "copy":
      return lines.toSpliced(edit.to % (lines.length + 1), 0, ...lines.slice(at, at + edit.count));
    case "move": {
      const rest = lines.toSpliced(at, edit.count);
      return rest.toSpliced(edit.to % (rest.length + 1), 0, ...lines.slice(at, at + edit.count));
    }
  }
}

/** One text in six lacks its last newline. */
function textOf(lines: readonly string[], open: number): string {
  return open === 0 ? lines.join("").replace(/\r?\n$/, "") : lines.join("");
}

interface GitAnswer {
  /** Number of conflicts. */
  readonly status: number;
  readonly output: Buffer;
}

/** One shell for all of them: starting git costs enough. */
function gitMerge(all: readonly Triple[], options: string): GitAnswer[] {
  const directory = mkdtempSync(join(tmpdir(), "skein-merge-"));
  try {
    all.forEach(({ base, ours, theirs }, index) => {
      writeFileSync(join(directory, `${index}.base`), base, "latin1");
      writeFileSync(join(directory, `${index}.ours`), ours, "latin1");
      writeFileSync(join(directory, `${index}.theirs`), theirs, "latin1");
    });
    const script = `i=0; while [ $i -lt ${all.length} ]; do
      git merge-file -p -q ${options} -L o -L b -L t $i.ours $i.base $i.theirs >$i.out; echo $?; i=$((i+1)); done`;
    const env = {
      PATH: process.env.PATH,
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CEILING_DIRECTORIES: tmpdir(),
    };
    const statuses = execFileSync("sh", ["-c", script], { cwd: directory, env, encoding: "utf8" }).trim().split("\n");
    return all.map((_, index) => ({
      status: Number(statuses[index]),
      output: readFileSync(join(directory, `${index}.out`)),
    }));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function merge({ base, ours, theirs }: Triple): MergeResult {
  return mergeText(Buffer.from(base, "latin1"), Buffer.from(ours, "latin1"), Buffer.from(theirs, "latin1"));
}

/** As `git merge-file --zdiff3` writes conflicts into a file with LF line ends. */
function withMarkers(result: MergeResult): string {
  if (result.kind !== "conflict") return result.kind;
  const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
  const closed = (bytes: Uint8Array): string => latin1(bytes).replace(/[^\n]$/, "$&\n");
  return result.regions
    .map((region) =>
      region.kind === "clean"
        ? latin1(region.bytes)
        : `<<<<<<< o\n${closed(region.ours)}||||||| b\n${closed(region.base)}=======\n${closed(region.theirs)}>>>>>>> t\n`,
    )
    .join("");
}

// No class of difference from git is known: the shares that would be tolerated are zero.
test("S1 clean where git is clean, with git's bytes, and in conflict where git is", { timeout: 120_000 }, () => {
  const sample = fc.sample(triples, { seed: 20_261_129, numRuns: rounds(500, 2_000) });
  const git = gitMerge(sample, "");
  const differing = sample.flatMap((triple, index) => {
    const expected = git[index]!;
    const result = merge(triple);
    const agrees =
      expected.status === 0
        ? result.kind === "clean" && expected.output.equals(result.bytes)
        : result.kind === "conflict";
    return agrees ? [] : [{ triple, git: expected.output.toString("latin1"), result }];
  });
  const clean = git.filter(({ status }) => status === 0).length;
  expect({ differing, usefulSample: Math.min(clean, sample.length - clean) > sample.length / 5 }).toEqual({
    differing: [],
    usefulSample: true,
  });
});

const gitVersion = /(\d+)\.(\d+)/.exec(execFileSync("git", ["--version"], { encoding: "utf8" }))!;
const hasZdiff3 = Number(gitVersion[1]) > 2 || Number(gitVersion[2]) >= 35;

test.runIf(hasZdiff3)("the hunks of a conflict are git's", { timeout: 120_000 }, () => {
  const drawn = rounds(400, 1_200);
  const sample = fc
    .sample(triples, { seed: 7, numRuns: drawn })
    // Git ends its marker lines as the file's lines end; here they end in LF.
    .filter(
      (triple) => !Object.values(triple).some((text) => text.includes("\r\n")) && merge(triple).kind === "conflict",
    );
  const git = gitMerge(sample, "--zdiff3");
  const differing = sample.filter(
    (triple, index) => withMarkers(merge(triple)) !== git[index]!.output.toString("latin1"),
  );
  expect({ differing, enough: sample.length > drawn / 12 }).toEqual({ differing: [], enough: true });
});

test("long texts with hundreds of edits are merged as git merges them", { timeout: 120_000 }, () => {
  // Beyond the cost limit of the search (256 edits in one box) git's shortcut is taken too.
  const words = fc.sample(fc.nat(9), { seed: 3, numRuns: 12_000 });
  const lines = (from: number, count: number): string[] => words.slice(from, from + count).map((word) => `w${word}\n`);
  const base = lines(0, 3_000);
  const edited = (from: number, every: number): string =>
    base.flatMap((line, index) => (index % every === 0 ? lines(from + index, (index % 3) + 1) : [line])).join("");
  const sample: Triple[] = [
    { base: base.join(""), ours: edited(3_000, 3), theirs: edited(6_000, 7) },
    { base: base.join(""), ours: lines(3_000, 3_000).join(""), theirs: edited(6_000, 400) },
    { base: base.join(""), ours: `${edited(3_000, 2)}end\n`, theirs: `start\n${base.join("")}` },
  ];
  const git = gitMerge(sample, "--zdiff3");
  const shown = sample.map((triple) => {
    const result = merge(triple);
    return result.kind === "clean" ? Buffer.from(result.bytes).toString("latin1") : withMarkers(result);
  });
  expect(shown.map((text, index) => text === git[index]!.output.toString("latin1"))).toEqual([true, true, true]);
});
