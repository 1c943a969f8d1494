// edit_file and write_file on a real disk: all edits or none, reasons a model can act on, and nothing else of the file changed.

import { execFileSync } from "node:child_process";
import { chmod, readdir, readFile, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runAgent } from "../agent/loop.ts";
import { err } from "../base/result.ts";
import { call, calling, rig, saying } from "../testing/agent/rig.ts";
import { freshTree } from "../testing/tools/tree.ts";
import { editFileTool } from "./edit-file.ts";
import { writeFileTool } from "./write-file.ts";

const tree = freshTree();

const edit = (path: string, ...edits: readonly (readonly [string, string])[]) =>
  tree().use(editFileTool(tree().env), {
    path,
    edits: edits.map(([old_string, new_string]) => ({ old_string, new_string })),
  });
const write = (path: string, content: string) => tree().use(writeFileTool(tree().env), { path, content });
const text = (path: string) => readFile(join(tree().root, path), "utf8");

test("H3 five edits in five files, one with a missing old_string: four land, one says why", async () => {
  for (const n of [1, 2, 3, 4, 5]) await tree().put(`f${n}`, `value = ${n === 3 ? 99 : n}\n`);
  const calls = [1, 2, 3, 4, 5].map((n) =>
    call(`c${n}`, "edit_file", { path: `f${n}`, edits: [{ old_string: `value = ${n}\n`, new_string: "value = 0\n" }] }),
  );
  const one = rig({ answers: [calling(...calls), saying("done")], tools: [editFileTool(tree().env)] });
  const { messages } = await runAgent(one.spec, one.ports);
  const results = messages.flatMap((message) => (message.role === "tool" ? message.results : []));
  expect({
    results: results.map((result) => result.text),
    files: await Promise.all([1, 2, 3, 4, 5].map((n) => text(`f${n}`))),
  }).toEqual({
    results: [
      "edited f1: 1 replacement",
      "edited f2: 1 replacement",
      "f3 was not changed: old_string was not found; the line most like its first one is line 1; there the file has:\nvalue = 99\n",
      "edited f4: 1 replacement",
      "edited f5: 1 replacement",
    ],
    files: ["value = 0\n", "value = 0\n", "value = 99\n", "value = 0\n", "value = 0\n"],
  });
});

test("H7 two edits of one file in one response are both in the file", async () => {
  const lines = Array.from({ length: 100 }, (_, n) => `line ${n + 1}.`);
  await tree().put("f", `${lines.join("\n")}\n`);
  const calls = [50, 75].map((n) =>
    call(`c${n}`, "edit_file", { path: "f", edits: [{ old_string: `line ${n}.`, new_string: `LINE ${n}.` }] }),
  );
  const one = rig({ answers: [calling(...calls), saying("done")], tools: [editFileTool(tree().env)] });
  await runAgent(one.spec, one.ports);
  expect(await text("f")).toBe(
    `${lines.map((line, n) => (n === 49 || n === 74 ? line.toUpperCase() : line)).join("\n")}\n`,
  );
});

test("S23 git sees one changed line after a one-line edit of a CRLF file", async () => {
  const { root } = tree();
  await tree().put("f.txt", "a\r\nb\r\nc");
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "core.autocrlf=false", ...args], { cwd: root, encoding: "utf8" });
  git("init", "-q");
  git("add", ".");
  await edit("f.txt", ["a\nb", "a\nB"]);
  expect(git("diff", "--numstat")).toBe("1\t1\tf.txt\n");
});

test("all edits or none: each is applied to the outcome of those before", async () => {
  await tree().put("f", "one two three\n");
  const failed = await edit("f", ["one", "1"], ["four", "4"]);
  const before = await text("f");
  const done = await edit("f", ["one", "1"], ["1 two", "12"]);
  expect({
    failed: failed.kind === "error" && failed.text.split(";")[0],
    before,
    done,
    after: await text("f"),
  }).toEqual({
    failed: "f was not changed: edit 2 of 2 cannot be applied, so none was: old_string was not found",
    before: "one two three\n",
    done: { kind: "text", text: "edited f: 2 replacements" },
    after: "12 three\n",
  });
});

test("reasons: white space, line numbers, ambiguity, nothing alike, a missing file, a binary", async () => {
  await tree().put("f.py", "def f():\n\treturn 1\n\ndef g():\n\treturn 1\n");
  await tree().put("bin", Uint8Array.from([0, 1, 2]));
  const answers = [
    await edit("f.py", ["def g():\n    return 1", "x"]),
    await edit("f.py", ["    1\tdef f():\n    2\t\treturn 1", "x"]),
    await edit("f.py", ["\treturn 1", "\treturn 2"]),
    await edit("f.py", ["zzzzqqqq", "x"]),
    await edit("g.py", ["a", "b"]),
    await edit("bin", ["a", "b"]),
  ];
  expect(answers.map((answer) => answer.kind === "error" && answer.text)).toEqual([
    "f.py was not changed: old_string was not found; a passage that differs only in white space begins at line 4; exactly as in the file:\ndef g():\n\treturn 1",
    "f.py was not changed: old_string was not found; old_string has line numbers in front, as read_file shows them: leave the number and the tab out.",
    "f.py was not changed: old_string occurs 2 times (at lines 2, 5). Add lines around it to make it unique, or set replace_all.",
    "f.py was not changed: old_string was not found; no line is like its first one. Read the file and copy the passage from it.",
    "g.py was not changed: no such file or directory",
    "bin is a binary file: it cannot be edited as text",
  ]);
});

test("S24 mode and symlinks are kept, and nothing is left beside the file", async () => {
  await tree().put("dir/run.sh", "echo 1\n");
  await chmod(join(tree().root, "dir/run.sh"), 0o750);
  await symlink("dir/run.sh", join(tree().root, "link"));
  await edit("link", ["1", "2"]);
  await write("dir/run.sh", "echo 3\n");
  const { mode } = await stat(join(tree().root, "dir/run.sh"));
  expect({ content: await text("link"), mode: mode & 0o777, names: await readdir(join(tree().root, "dir")) }).toEqual({
    content: "echo 3\n",
    mode: 0o750,
    names: ["run.sh"],
  });
});

test("S21 a full disk leaves the old content and is a fault of the environment", async () => {
  await tree().put("f", "old\n");
  const { files } = tree().env;
  const full = {
    ...files,
    write: async (path: string) =>
      err({ kind: "file", code: "no-space", path, message: "no space left on device" } as const),
  };
  const env = { ...tree().env, files: full };
  const edited = await tree().use(editFileTool(env), { path: "f", edits: [{ old_string: "old", new_string: "new" }] });
  const created = await tree().use(writeFileTool(env), { path: "g", content: "new" });
  expect({ edited, created, content: await text("f"), names: await readdir(tree().root) }).toEqual({
    edited: { kind: "fault", text: "f was not changed: the disk refused (no space left on device)" },
    created: { kind: "fault", text: "g was not changed: the disk refused (no space left on device)" },
    content: "old\n",
    names: ["f"],
  });
});

test("write_file says created, replaced, unchanged, and creates directories", async () => {
  const answers = [
    await write("a/b/c.txt", "one\ntwo\n"),
    await write("a/b/c.txt", "one\n"),
    await write("a/b/c.txt", "one\n"),
    await write("a/b", "x"),
    await write("a/b/c.txt/d", "x"),
    await write("../x", "x"),
    await write("s", "\udc00"),
  ];
  expect({
    answers: answers.map((answer) => "text" in answer && answer.text),
    content: await text("a/b/c.txt"),
  }).toEqual({
    answers: [
      "created a/b/c.txt (2 lines)",
      "replaced a/b/c.txt (2 lines before, 1 line now)",
      "unchanged: a/b/c.txt had exactly this content (1 line)",
      "a/b was not changed: it is a directory",
      '"a/b/c.txt/d": a part of the path is a file, not a directory',
      '"../x": a path with ".." is not accepted; give it relative to the root of the tree',
      "the content has half of a surrogate pair and cannot be written as UTF-8",
    ],
    content: "one\n",
  });
});
