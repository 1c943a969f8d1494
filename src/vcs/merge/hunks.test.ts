// What an arbiter is shown, and how its answers become the file.

import { describe, expect, test } from "vitest";
import { answerBytes, applyHunks, renderConflict } from "./hunks.ts";
import { mergeText, type Region } from "./merge.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text);
const clean = (text: string): Region => ({ kind: "clean", bytes: bytes(text) });
const conflict = (hunk: number, base: string, ours: string, theirs: string): Region => ({
  kind: "conflict",
  hunk,
  base: bytes(base),
  ours: bytes(ours),
  theirs: bytes(theirs),
});

describe("renderConflict", () => {
  test("numbers the hunks and caps the context", () => {
    const lines = (from: number, to: number): string =>
      Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join("");
    const regions = [
      clean(lines(1, 15)),
      conflict(1, "b\n", "o\n", ""),
      clean(lines(17, 37)),
      conflict(2, "", "o2\r\n", "t2"),
    ];
    expect(renderConflict(regions)).toBe(`… 5 lines …
${lines(6, 15)}<<<<<<< hunk 1: ours
o
||||||| hunk 1: base
b
=======
>>>>>>> hunk 1: theirs
${lines(17, 37)}<<<<<<< hunk 2: ours
o2
||||||| hunk 2: base
=======
t2
\\ No newline at end of file
>>>>>>> hunk 2: theirs
`);
  });

  test("hides the middle between two hunks and the rest behind the last", () => {
    const regions = [
      conflict(1, "", "a\n", "b\n"),
      clean("x\n".repeat(22)),
      conflict(2, "", "a\n", "b\n"),
      clean("y\n".repeat(12)),
    ];
    const shown = renderConflict(regions)
      .split("\n")
      .filter((line) => !/^[<|=>]|^[ab]$/.test(line));
    expect(shown).toEqual([
      ...Array(10).fill("x"),
      "… 2 lines …",
      ...Array(10).fill("x"),
      ...Array(10).fill("y"),
      "… 2 lines …",
      "",
    ]);
  });
});

describe("applyHunks", () => {
  const regions = [clean("a\n"), conflict(1, "b\n", "o\n", "t\n"), clean("c\n"), conflict(2, "", "p\n", "q")];
  const apply = (answers: readonly (readonly [number, string])[]): unknown => {
    const result = applyHunks(regions, new Map(answers.map(([hunk, text]) => [hunk, bytes(text)])));
    return result.ok ? Buffer.from(result.value).toString() : result.error;
  };

  test("puts each answer in its place", () => {
    expect([
      apply([
        [1, "ot\n"],
        [2, "pq"],
      ]),
      apply([
        [2, ""],
        [1, ""],
      ]),
    ]).toEqual(["a\not\nc\npq", "a\nc\n"]);
  });

  test("wants one answer for each hunk, and whole lines where more follows", () => {
    expect([
      apply([[1, "x\n"]]),
      apply([
        [1, "x\n"],
        [2, ""],
        [3, ""],
      ]),
      apply([
        [1, "x"],
        [2, ""],
      ]),
    ]).toEqual([
      { kind: "missing-hunk", hunk: 2 },
      { kind: "unknown-hunk", hunk: 3 },
      { kind: "unfinished-line", hunk: 1 },
    ]);
  });

  test("S1 each side taken for every hunk gives back that side's conflicting text", () => {
    const base = bytes("1\n2\n3\n4\n5\n6\n");
    const ours = bytes("1\nA\n3\n4\n5\nB\n");
    const theirs = bytes("1\nC\n3\n4\nD\n");
    const merged = mergeText(base, ours, theirs);
    const all = merged.kind === "conflict" ? merged.regions : [];
    const take = (side: "ours" | "theirs"): unknown =>
      applyHunks(
        all,
        new Map(all.flatMap((region) => (region.kind === "conflict" ? [[region.hunk, region[side]] as const] : []))),
      );
    expect([take("ours"), take("theirs")]).toEqual([
      { ok: true, value: Buffer.from(ours) },
      { ok: true, value: Buffer.from(theirs) },
    ]);
  });
});

describe("answerBytes", () => {
  const answer = (sides: readonly [string, string, string], text: string): string => {
    const [base, ours, theirs] = sides.map((side) => Buffer.from(side, "latin1")) as [Buffer, Buffer, Buffer];
    const bytes = answerBytes({ base, ours, theirs }, text);
    return bytes.ok ? Buffer.from(bytes.value).toString("latin1") : `line ${bytes.error.line}: ${bytes.error.text}`;
  };

  test("S23 kept lines get their own ending back, new lines the usual one", () => {
    expect([
      answer(["b\r\n", "o\r\n", "t\r\n"], "o\nnew\nt\n"),
      answer(["b\n", "o\r\n", "t\n"], "o\nnew\nt"),
      answer(["b\n", "o\n", "t\n"], ""),
    ]).toEqual(["o\r\nnew\r\nt\r\n", "o\r\nnew\nt\n", ""]);
  });

  test("S23 bytes that are not UTF-8 survive in kept lines", () => {
    expect(answer(["", "caf\xe9\n", "t\n"], "caf\ufffd\nt\n")).toBe("caf\xe9\nt\n");
  });

  test("S23 they survive word by word where the line is another one, and keep the line's own ending where it is not", () => {
    expect([
      answer(["", "name = caf\xe9;\n", "x = 1;\n"], "name = caf\ufffd + x;\n"),
      answer(["b\n", "caf\xe9\r\n", "t\n"], "caf\ufffd\nt\n"),
    ]).toEqual(["name = caf\xe9 + x;\n", "caf\xe9\r\nt\n"]);
  });

  test("S23 a replacement character that stands for no bytes of a side, or for two, is refused", () => {
    const two = ["", "caf\xe9\n", "caf\xe8\n"] as const;
    expect([
      answer(two, "x\ncaf\ufffd\n"),
      answer(two, "caf\ufffd!\n"),
      answer(["", "a\n", "b\n"], "a\ufffd\n"),
      answer(["", "a\n", "b\n"], "a\ud800\n"),
    ]).toEqual(["line 2: caf\ufffd", "line 1: caf\ufffd!", "line 1: a\ufffd", "line 1: a\ufffd"]);
  });

  test("S23 a replacement character that a side has itself is kept", () => {
    expect(answer(["", "a \xef\xbf\xbd\n", "b\n"], "a \ufffd\nb\n")).toBe("a \xef\xbf\xbd\nb\n");
  });

  test("S23 the last newline is missing where both sides lack it, or one does and the answer too", () => {
    expect([
      answer(["b", "o", "t"], "o\nt\n"),
      answer(["b", "o", "t\n"], "o\nt\n"),
      answer(["b", "o", "t\n"], "o\nt"),
      answer(["b\r\n", "o\r\n", "t"], "t\no"),
    ]).toEqual(["o\nt", "o\nt\n", "o\nt", "t\r\no"]);
  });
});
