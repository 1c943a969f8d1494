// Ignore rules, measured against `git ls-files --others --exclude-standard` over the same files.

import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nodeHost } from "../../adapters/node/host.ts";
import { unwrap } from "../../base/result.ts";
import { git as plainGit, temporaryDirectory } from "../../testing/git/real-repository.ts";
import { rounds } from "../../testing/rounds.ts";
import { parseIgnoreLine } from "./ignore-pattern.ts";
import { ignoreRules } from "./ignore-rules.ts";
import { walk } from "./walk.ts";

const { files } = nodeHost();

/** Paths that are there and not ignored: git's answer and ours. */
async function compare(root: string, tree: Readonly<Record<string, string>>, exclude = "") {
  mkdirSync(root, { recursive: true });
  for (const name of readdirSync(root)) if (name !== ".git") rmSync(join(root, name), { recursive: true });
  // Starting git costs most of a comparison: the next one takes the same repository.
  if (!existsSync(join(root, ".git"))) plainGit(root, ["init", "--quiet", "--template="]);
  mkdirSync(join(root, ".git/info"), { recursive: true });
  writeFileSync(join(root, ".git/info/exclude"), exclude);
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), Buffer.from(text));
  }
  const listed = plainGit(root, ["ls-files", "--others", "--exclude-standard", "-z"]);
  const expected = Buffer.from(listed, "latin1").toString("utf8").split("\0").filter(Boolean).sort();
  const walked = unwrap(await walk({ files, root, base: new Map(), ignoreTexts: [exclude], filesMax: 1000 }), "walk");
  return { expected, actual: [...walked.found].sort() };
}

describe("ignore rules", () => {
  test("S26 the cases people trip over are as git has them", async () => {
    using directory = temporaryDirectory();
    const names = [
      "a.log",
      "b.txt",
      "build/x",
      "build/keep.txt",
      "src/build/y",
      "src/a.log",
      "src/deep/a.log",
      "doc/frotz/f",
      "frotz",
      "\u00e4.tmp",
      "sp ace ",
      "end ",
      "#hash",
      "!bang",
      "x[1].c",
      "star*.c",
      "foo/bar/baz",
      "foo/baz",
      "src/keep/z.o",
      "logs/1",
      "logs/2",
    ];
    const tree: Record<string, string> = Object.fromEntries(names.map((name) => [name, ""]));
    tree[".gitignore"] =
      "\ufeff*.log\r\n/build\n!build/keep.txt\ndoc/frotz\n\\#hash\n\\!bang\nend\\ \n?.tmp\n??.tmp\nx[[]1].c\n**/bar/**\nlogs/*\n!logs/2\n*.o   \n";
    tree["src/.gitignore"] = "!a.log\nbuild/\n/deep/*.log\n!*.o\n";
    tree["src/deep/.gitignore"] = "";
    const { actual, expected } = await compare(directory.path, tree, "frotz\n");
    expect(actual).toEqual(expected);
    expect(expected).toContain("src/a.log");
  });

  test("random rules over random trees agree with git", async () => {
    using directory = temporaryDirectory();
    const name = fc.constantFrom("a", "b", "ab", "a.b", "foo", "fo o", "\u00e4", "-", "[x]");
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => `${parts.join("/")}/f${parts.length}`);
    const piece = fc.constantFrom(
      "a",
      "b",
      "foo",
      "fo",
      "f1",
      "f2",
      "*",
      "**",
      "?",
      "/",
      "/",
      "/**/",
      "[a-f]",
      "[!a]",
      "[[:alpha:]]",
      "[]x]",
      "[a",
      "\\",
      "\\*",
      ".",
      " ",
      "\u00e4",
      "-",
    );
    const line = fc
      .tuple(
        fc.constantFrom("", "", "", "!", "/", "**/"),
        fc.array(piece, { minLength: 1, maxLength: 4 }),
        fc.constantFrom("", "", "/", "/**", " "),
      )
      .map(([start, middle, end]) => `${start}${middle.join("")}${end}`);
    const text = fc.array(line, { maxLength: 4 }).map((lines) => lines.join("\n"));
    const inputs = fc.record({
      paths: fc.array(path, { minLength: 3, maxLength: 12 }),
      root: text,
      a: text,
      ab: text,
      exclude: text,
    });
    await fc.assert(
      fc.asyncProperty(inputs, async ({ paths, root, a, ab, exclude }) => {
        const tree: Record<string, string> = { ".gitignore": root, "a/.gitignore": a, "a/b/.gitignore": ab };
        for (const each of paths) tree[each] = "";
        const { actual, expected } = await compare(join(directory.path, "r"), tree, exclude);
        expect(actual).toEqual(expected);
      }),
      { seed: 20_261_129, numRuns: rounds(75, 150) },
    );
  }, 120_000);

  test("S26 a symlink is ignored like the directory of its name", () => {
    const rules = ignoreRules(["node_modules/\n", "*\n!kept\n!kept/\n"], Buffer.from("dist/\n!shown\n"));
    const kinds = ["file", "directory", "symlink"] as const;
    const verdicts = ["node_modules", "dist", "shown", "kept"].map((path) =>
      kinds.map((kind) => rules.ignores(path, kind)),
    );
    expect(verdicts).toEqual([
      [true, true, true],
      [true, true, true],
      [false, false, false],
      [false, false, false],
    ]);
  });

  test("a pattern made to be slow is matched all the same", () => {
    const pattern = parseIgnoreLine(`${"*a".repeat(60)}*b`);
    expect([pattern?.matches("a".repeat(255)), pattern?.matches(`${"a".repeat(254)}b`)]).toEqual([false, true]);
  });
});
