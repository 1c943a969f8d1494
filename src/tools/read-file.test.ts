// read_file: numbering, paging, and what is said of files that are not plain text or not there.

import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freshTree } from "../testing/tools/tree.ts";
import { readFileTool } from "./read-file.ts";

const tree = freshTree();

const read = (input: { path: string; offset?: number; limit?: number }) => tree().use(readFileTool(tree().env), input);

test("lines are numbered from 1", async () => {
  await tree().put("a.txt", "one\n\nthree\n");
  expect(await read({ path: "a.txt" })).toEqual({ kind: "text", text: "    1\tone\n    2\t\n    3\tthree" });
});

test("a part says which lines it is and where to go on", async () => {
  await tree().put("a.txt", Array.from({ length: 30 }, (_, n) => `line ${n + 1}\n`).join(""));
  const part = await read({ path: "a.txt", offset: 12, limit: 2 });
  const beyond = await read({ path: "a.txt", offset: 31 });
  expect([part, beyond]).toEqual([
    { kind: "text", text: "   12\tline 12\n   13\tline 13\n[lines 12-13 of 30; go on with offset 14]" },
    { kind: "text", text: "(the file has 30 lines: there is nothing at line 31)" },
  ]);
});

test("H9 a long file is paged at the cap, a long line is cut, and paging reaches the end", async () => {
  const lines = Array.from({ length: 3_000 }, (_, n) => `${n + 1} ${"x".repeat(40)}`);
  await tree().put("long.txt", `${lines.join("\n")}\n`);
  await tree().put("wide.txt", `${"y".repeat(5_000)}\n`);
  const seen: string[] = [];
  let longest = 0;
  for (let offset: number | null = 1; offset !== null; ) {
    const answer = await read({ path: "long.txt", offset });
    const text = answer.kind === "text" ? answer.text : "";
    longest = Math.max(longest, text.length);
    seen.push(...text.split("\n").flatMap((line) => /^ *\d+\t(.*)$/.exec(line)?.[1] ?? []));
    const next = /go on with offset (\d+)/.exec(text)?.[1];
    offset = next === undefined ? null : Number(next);
  }
  const wide = await read({ path: "wide.txt" });
  expect({ whole: seen.join("\n") === lines.join("\n"), capped: longest <= 28_100, wide }).toEqual({
    whole: true,
    capped: true,
    wide: { kind: "text", text: `    1\t${"y".repeat(2_000)}… [3000 more characters in this line]` },
  });
});

test("what the numbers hide is said: line endings, a missing last newline, bytes that are no text", async () => {
  await tree().put("crlf.txt", "\ufeffa\r\nb\r\n");
  await tree().put("mixed.txt", "a\r\nb\nc");
  await tree().put("latin1.txt", Uint8Array.from([0xe4, 0x0a]));
  await tree().put("empty.txt", "");
  const paths = ["crlf.txt", "mixed.txt", "latin1.txt", "empty.txt"];
  expect(await Promise.all(paths.map((path) => read({ path })))).toEqual([
    { kind: "text", text: "    1\ta\n    2\tb\n[CRLF line endings]" },
    {
      kind: "text",
      text: "    1\ta\n    2\tb\n    3\tc\n[mixed line endings: 1 of 2 are CRLF; no newline at the end of the file]",
    },
    { kind: "text", text: "    1\t\ufffd\n[not valid UTF-8: bytes that are no text are shown as \ufffd]" },
    { kind: "text", text: "(the file is empty)" },
  ]);
});

test("S24 binary files are named as such", async () => {
  await tree().put("image.png", Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x00]));
  await tree().put("wide.txt", Uint8Array.from([0xff, 0xfe, 0x61, 0x00]));
  expect([await read({ path: "image.png" }), await read({ path: "wide.txt" })]).toEqual([
    { kind: "error", text: "image.png is a binary file of 5 bytes: it is not shown as text" },
    { kind: "error", text: "wide.txt is a UTF-16 file of 4 bytes: it is not shown as text" },
  ]);
});

test("a missing file is answered with names near it", async () => {
  await tree().put("src/tokenize.ts", "");
  await tree().put("src/zebra.ts", "");
  await symlink("tokenize.ts", join(tree().root, "src/link.ts"));
  const paths = ["src/tokenizer.ts", "src/qqq", "lib/deep/x.ts", "src", "src/zebra.ts/x"];
  expect(await Promise.all(paths.map((path) => read({ path })))).toEqual([
    { kind: "error", text: "src/tokenizer.ts: no such file. In the same directory: tokenize.ts" },
    { kind: "error", text: "src/qqq: no such file" },
    { kind: "error", text: "lib/deep/x.ts: no such file: its directory lib/deep does not exist either" },
    { kind: "error", text: "src is a directory with: link.ts, tokenize.ts, zebra.ts" },
    { kind: "error", text: '"src/zebra.ts/x": a part of the path is a file, not a directory' },
  ]);
});

test("arguments of the wrong kind are refused with their field", async () => {
  const answer = await tree().use(readFileTool(tree().env), { path: "a", offset: "3" });
  expect(answer).toEqual({
    kind: "error",
    text: "read_file: invalid arguments\n✖ Invalid input: expected number, received string\n  → at offset",
  });
});
