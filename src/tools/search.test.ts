// glob and grep with the real ripgrep: ignore rules, caps, odd names, and what no match, a bad pattern and a missing program are.

import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { CLAIMS_NOTHING, conflict, resourceAt } from "../agent/claim.ts";
import { runAgent } from "../agent/loop.ts";
import { call, calling, rig, saying } from "../testing/agent/rig.ts";
import { freshTree } from "../testing/tools/tree.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { readFileTool } from "./read-file.ts";

const tree = freshTree();

beforeEach(async () => {
  await tree().put(".gitignore", "*.log\nnode_modules/\n");
  await tree().put("a.ts", "const one = 1;\nconst two = 2;\nconst three = 3;\nconst four = one;\n");
  await tree().put("src/b.ts", "// ONE\nimport { one } from '../a.ts';\n");
  await tree().put("src/deep/c.test.ts", "one\r\n");
  await tree().put(".github/ci.yml", "one: 1\n");
  await tree().put("debug.log", "one\n");
  await tree().put("node_modules/x/i.ts", "one\n");
  await tree().put(".git/HEAD", "one\n");
});

const glob = (input: object) => tree().use(globTool(tree().env), input);
const grep = (input: object) => tree().use(grepTool(tree().env), input);
const lines = async (answer: Promise<{ kind: string; text?: string }>) => (await answer).text?.split("\n");

test("glob keeps to the ignore rules whatever the pattern, sees hidden files, never .git", async () => {
  expect(await lines(glob({ pattern: "**" }))).toEqual([
    ".github/ci.yml",
    ".gitignore",
    "a.ts",
    "src/b.ts",
    "src/deep/c.test.ts",
  ]);
  expect(await lines(glob({ pattern: "*.log" }))).toEqual(["no file matches"]);
});

test("glob: a pattern without a slash names files anywhere, one with a slash paths; path moves its root", async () => {
  const patterns = [
    { pattern: "*.ts" },
    { pattern: "src/*.ts" },
    { pattern: "**/*.{yml,test.ts}" },
    { pattern: "src/" },
    { pattern: "*/*.ts", path: "src" },
    { pattern: "./a.*" },
  ];
  expect(await Promise.all(patterns.map((input) => lines(glob(input))))).toEqual([
    ["a.ts", "src/b.ts", "src/deep/c.test.ts"],
    ["src/b.ts"],
    [".github/ci.yml", "src/deep/c.test.ts"],
    ["src/b.ts", "src/deep/c.test.ts"],
    ["src/deep/c.test.ts"],
    ["a.ts"],
  ]);
});

test("an ignored directory is searched when it is named", async () => {
  expect([
    await lines(glob({ pattern: "**", path: "node_modules" })),
    await lines(grep({ pattern: "one", path: "node_modules", output: "files" })),
  ]).toEqual([["node_modules/x/i.ts"], ["node_modules/x/i.ts"]]);
});

test("S22 names with line breaks, quotes, leading dashes and non-ASCII letters are one line each", async () => {
  const names = ["odd/-e", "odd/a -> b", 'odd/"q"', "odd/new\nline", "odd/ä"];
  for (const name of names) await tree().put(name, "needle\n");
  const expected = ['odd/"q"', "odd/-e", "odd/a -> b", '"odd/new\\nline"', "odd/ä"];
  expect({
    glob: await lines(glob({ pattern: "odd/*" })),
    files: await lines(grep({ pattern: "needle", output: "files" })),
    count: await lines(grep({ pattern: "needle", output: "count" })),
    content: await lines(grep({ pattern: "needle" })),
  }).toEqual({
    glob: expected,
    files: expected,
    count: expected.map((name) => `${name}: 1`),
    content: expected.map((name) => `${name}:1:needle`),
  });
});

test("H9 long lists are capped and say how many there are", async () => {
  await mkdir(join(tree().root, "many"));
  for (let n = 0; n < 1_200; n++) await tree().put(`many/${n}`, "needle\n");
  const listed = (await lines(glob({ pattern: "many/**" }))) ?? [];
  const found = (await lines(grep({ pattern: "needle" }))) ?? [];
  expect([listed.length, listed.at(-1), found.length, found.at(-1)]).toEqual([
    1_001,
    "[1000 of 1200 files; narrow the pattern or the path for the others]",
    1_001,
    "[there is more: the search was stopped here; narrow it by pattern, path or glob]",
  ]);
});

test("grep shows lines with numbers, files or counts", async () => {
  expect({
    content: await lines(grep({ pattern: "\\bone\\b" })),
    insensitive: await lines(grep({ pattern: "ONE", case: "insensitive", path: "src/b.ts" })),
    files: await lines(grep({ pattern: "one", output: "files" })),
    count: await lines(grep({ pattern: "one", output: "count", glob: "*.ts" })),
    glob: await lines(grep({ pattern: "one", glob: "src/**" })),
  }).toEqual({
    content: [
      ".github/ci.yml:1:one: 1",
      "a.ts:1:const one = 1;",
      "a.ts:4:const four = one;",
      "src/b.ts:2:import { one } from '../a.ts';",
      "src/deep/c.test.ts:1:one",
    ],
    insensitive: ["src/b.ts:1:// ONE", "src/b.ts:2:import { one } from '../a.ts';"],
    files: [".github/ci.yml", "a.ts", "src/b.ts", "src/deep/c.test.ts"],
    count: ["a.ts: 2", "src/b.ts: 1", "src/deep/c.test.ts: 1"],
    glob: ["src/b.ts:2:import { one } from '../a.ts';", "src/deep/c.test.ts:1:one"],
  });
});

test("grep with context keeps groups apart", async () => {
  await tree().put("c.txt", "x\nhit\nx\nx\nx\nx\nhit\n");
  expect(await lines(grep({ pattern: "hit", path: "c.txt", context: 1 }))).toEqual([
    "c.txt-1-x",
    "c.txt:2:hit",
    "c.txt-3-x",
    "--",
    "c.txt-6-x",
    "c.txt:7:hit",
  ]);
});

test("grep shows a long line around its match, skips binaries, and names a line that is too long", async () => {
  await tree().put("wide.txt", `${"ä".repeat(1_000)}needle${"y".repeat(1_000)}\n`);
  await tree().put("huge.txt", `${"z".repeat(2_000_000)}needle\n`);
  await tree().put("bin.dat", Uint8Array.from([0, 0, 10, ...Buffer.from("needle\n")]));
  expect(await lines(grep({ pattern: "needle" }))).toEqual([
    "huge.txt: (a line here is too long to be shown)",
    `wide.txt:1:…${"ä".repeat(100)}needle${"y".repeat(294)}… [line of 2006 characters]`,
  ]);
});

test("H1 no match is an answer, not an error", async () => {
  expect([await grep({ pattern: "nowhere to be found" }), await grep({ pattern: "nowhere", output: "count" })]).toEqual(
    [
      { kind: "text", text: "no match" },
      { kind: "text", text: "no match" },
    ],
  );
});

test("patterns that look like options are patterns", async () => {
  await tree().put("dash.txt", "--files\n");
  expect(await lines(grep({ pattern: "--files" }))).toEqual(["dash.txt:1:--files"]);
});

test("H4 two globs and two greps, one of each with a bad pattern: each call has its own result", async () => {
  const calls = [
    call("c1", "glob", { pattern: "src/[" }),
    call("c2", "glob", { pattern: "src/*.ts" }),
    call("c3", "grep", { pattern: "f(" }),
    call("c4", "grep", { pattern: "two" }),
  ];
  const one = rig({
    answers: [calling(...calls), saying("done")],
    tools: [globTool(tree().env), grepTool(tree().env)],
  });
  const { messages } = await runAgent(one.spec, one.ports);
  const results = messages.flatMap((message) => (message.role === "tool" ? message.results : []));
  expect(results.map((result) => [result.callId, result.isError, result.text.split("\n")[0]])).toEqual([
    ["c1", true, '"src/[" is not a valid glob pattern: Missing closing: "]" - use "\\\\]" to match literal characters'],
    ["c2", false, "src/b.ts"],
    ["c3", true, "rg: regex parse error:"],
    ["c4", false, "a.ts:2:const two = 2;"],
  ]);
});

test("paths that are not there or not inside are errors", async () => {
  await symlink("/etc", join(tree().root, "etc"));
  expect([
    await grep({ pattern: "x", path: "nope" }),
    await glob({ pattern: "*", path: "etc" }),
    await glob({ pattern: "../*" }),
  ]).toEqual([
    { kind: "error", text: "nope: no such file or directory" },
    { kind: "error", text: '"etc" is outside the tree; paths are relative to its root' },
    { kind: "error", text: '"../*": a pattern with ".." is not accepted; set path to the directory to look in' },
  ]);
});

test("H21 a missing rg is a fault of the environment, not of the call", async () => {
  const env = { ...tree().env, rgPath: "/nowhere/rg" };
  const answers = [
    await tree().use(grepTool(env), { pattern: "x" }),
    await tree().use(globTool(env), { pattern: "*" }),
  ];
  const text =
    "environment fault: ripgrep could not be started (the program /nowhere/rg was not found). This is not a fault of your call; trying again will not help.";
  expect(answers).toEqual([
    { kind: "fault", text },
    { kind: "fault", text },
  ]);
});

test("outside a repository the ignore rules hold as well", async () => {
  await mkdir(join(tree().root, "plain"));
  await tree().put("plain/.gitignore", "*.tmp\n");
  await tree().put("plain/a.tmp", "");
  await tree().put("plain/b", "");
  const env = { ...tree().env, root: join(tree().root, "plain") };
  expect(await lines(tree().use(globTool(env), { pattern: "**" }))).toEqual([".gitignore", "b"]);
});

test("what others change at the same time is neither found nor read, and the answer says so", async () => {
  const env = { ...tree().env, hidden: ["src/deep", "a.ts"] };
  const answers = [
    await tree().use(grepTool(env), { pattern: "one", output: "files", case: "insensitive" }),
    await tree().use(globTool(env), { pattern: "**", path: "src" }),
    await tree().use(grepTool(env), { pattern: "one", path: "src/deep" }),
    await tree().use(readFileTool(env), { path: "a.ts" }),
    await tree().use(readFileTool(env), { path: "src/b.ts" }),
  ];
  const note = "src/deep, a.ts: another agent changes it at the same time]";
  const refused = (path: string) =>
    `"${path}" is not shown to you: another agent that works at the same time changes it`;
  expect(answers.map((answer) => answer.text)).toEqual([
    `.github/ci.yml\nsrc/b.ts\n[not everything could be searched: ${note}`,
    `src/b.ts\n[not everything could be read: ${note}`,
    refused("src/deep"),
    refused("a.ts"),
    "    1\t// ONE\n    2\timport { one } from '../a.ts';",
  ]);
});

test("a search in one directory keeps its order with changes there and of the ignore rules above, and with no others", async () => {
  const claim = await grepTool(tree().env).claim?.({ pattern: "x", path: "src" });
  const { root } = tree();
  const meets = (path: string) =>
    conflict(claim ?? CLAIMS_NOTHING, { kind: "write", what: [resourceAt(join(root, path))] });
  expect(["src/b.ts", "src/new/x", ".gitignore", "a.ts", "srcs/b.ts"].map(meets)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});
