// Which resolutions are refused for having lost a side, by hand-made examples.

import { describe, expect, test } from "vitest";
import { droppedSide } from "./hunks.ts";

const judge = (sides: readonly [base: string, ours: string, theirs: string], answer: string): unknown => {
  const [base, ours, theirs] = sides.map((side) => Buffer.from(side)) as [Buffer, Buffer, Buffer];
  return droppedSide({ base, ours, theirs }, Buffer.from(answer));
};
const side = (sides: readonly [string, string, string], answer: string): unknown =>
  (judge(sides, answer) as { side: string } | null)?.side ?? null;

describe("two additions on one line", () => {
  const table = [
    'const ops = { "+": add };\n',
    'const ops = { "+": add, "**": power };\n',
    'const ops = { "+": add, "%": modulo };\n',
  ] as const;

  test("combined in either order they pass", () => {
    expect([
      side(table, 'const ops = { "+": add, "**": power, "%": modulo };\n'),
      side(table, 'const ops = { "+": add, "%": modulo, "**": power };\n'),
      side(table, 'const ops = {\n  "+": add,\n  "%": modulo,\n  "**": power,\n};\n'),
    ]).toEqual([null, null, null]);
  });

  test("S1 one side alone is refused, and the reason names what is missing", () => {
    expect([judge(table, table[1]), judge(table, table[2]), judge(table, table[0])]).toEqual([
      { side: "theirs", reason: 'theirs: what it added is missing: "%", "modulo"' },
      { side: "ours", reason: 'ours: what it added is missing: "*", "power"' },
      { side: "both", reason: "the answer is the base: both changes are gone" },
    ]);
  });

  test("something that is neither is refused for both", () => {
    expect(judge(table, "const ops = {};\n")).toEqual({
      side: "both",
      reason: 'ours: what it added is missing: "*", "power"; theirs: what it added is missing: "%", "modulo"',
    });
  });

  test("a side with a rewording around it is still that side alone", () => {
    expect(side(table, '// Operators.\nconst ops = { "+": add, "**": power };\n')).toBe("theirs");
  });
});

describe("how often a token is needed", () => {
  test("as often as on the side that added it", () => {
    const sides = ["f(x)\n", "f(x) + f(y)\n", "g(f(x))\n"] as const;
    expect([side(sides, "g(f(x) + f(y))\n"), side(sides, "g(f(x) + y)\n")]).toEqual([null, "ours"]);
  });

  test("less what the other side took away", () => {
    const sides = ["log(a); log(b)\n", "log(a); log(b); log(c)\n", "trace(a)\n"] as const;
    expect(side(sides, "trace(a); log(c)\n")).toBeNull();
  });

  test("S2 what both added is needed once", () => {
    const sides = ["", "import x\nimport y\n", "import x\nimport z\n"] as const;
    expect([side(sides, "import x\nimport y\nimport z\n"), side(sides, "import x, y, z\nimport\n")]).toEqual([
      null,
      null,
    ]);
  });

  test("separators count where a side added nothing else", () => {
    const sides = ["a + b * c\n", "(a + b) * c\n", "a + b * d\n"] as const;
    expect([side(sides, "(a + b) * d\n"), side(sides, "a + b * d\n")]).toEqual([null, "ours"]);
  });
});

describe("removals", () => {
  const call = ["f(a, b, c)\n", "f(b, c)\n", "f(a, b, c, d)\n"] as const;

  test("a removal apart from the other side's edit may not come back", () => {
    expect([judge(call, "f(a, b, c, d)\n"), side(call, "f(a, b, c, d);\n"), side(call, "f(b, c, d)\n")]).toEqual([
      { side: "ours", reason: "ours: its change is gone: the answer is the other side alone" },
      "ours",
      null,
    ]);
  });

  test("S1 an edit inside removed text: the edit may be kept and may not be dropped", () => {
    const sides = ["one two three\n", "", "one 2 three\n"] as const;
    expect([side(sides, "one 2 three\n"), side(sides, "2\n"), side(sides, "")]).toEqual([null, null, "theirs"]);
  });

  test("both sides deleting is fine, and one deletion alone is not both", () => {
    const sides = ["a\nb\nc\n", "c\n", "a\n"] as const;
    expect([side(sides, ""), side(sides, "c\n"), side(sides, "a\n"), side(sides, "a\nb\nc\n")]).toEqual([
      null,
      "theirs",
      "ours",
      "both",
    ]);
  });

  test("a move apart from the other side's edit", () => {
    const sides = ["x = f(a, b) + 1\n", "x = f(b, a) + 1\n", "x = f(a, b) + 2\n"] as const;
    expect([side(sides, "x = f(b, a) + 2\n"), side(sides, "x = f(a, b) + 2\n")]).toEqual([null, "ours"]);
  });
});

describe("white space", () => {
  const indented = ["if x:\n  a = 1\n", "if x:\n    a = 1\n", "if x:\n  a = 2\n"] as const;

  test("a new indentation apart from the other side's edit may not be lost", () => {
    expect([side(indented, "if x:\n    a = 2\n"), side(indented, "if x:\n  a = 2\n")]).toEqual([null, "ours"]);
  });

  test("space trimmed where the other side wrote anew is no loss", () => {
    expect(side(["a  \n", "a\n", "b\n"], "b\n")).toBeNull();
  });
});

describe("a change that is gone though its tokens are there", () => {
  const swapped = ["f(a, b);\n", "f(b, a);\n", "f(a, b, c);\n"] as const;
  const reordered = ["a();\nb();\n", "b();\na();\n", "a();\nb(2);\n"] as const;
  const negated = ["if (a && b) go();\n", "if (a && !b) go();\n", "if (a || b) go();\n"] as const;
  const added = ["foo(a)\n", "foo(a, b)\n", "foo(c, a)\n"] as const;
  const indented = ["z\n", "  z\n", "zz\n"] as const;
  const unguarded = ["guard();\nrun(x);\n", "run(x);\n", "guard();\nrun(y);\n"] as const;

  test("S1 a swap or move that is undone is refused, and the reason names the order", () => {
    expect([judge(swapped, "f(a, b, c);;\n"), judge(reordered, "a();\nb(2);\n\n")]).toEqual([
      { side: "ours", reason: 'ours: its order is gone: "b" before "a"' },
      { side: "ours", reason: 'ours: its order is gone: "b" before "a"' },
    ]);
  });

  test("S1 tokens that stand only in a comment are not there", () => {
    expect([judge(added, "foo(c, a) # b\n"), judge(negated, "if (a || b) go(); // !\n")]).toEqual([
      { side: "ours", reason: 'ours: what it added stands only in a comment: "b"' },
      { side: "ours", reason: 'ours: what it added stands only in a comment: "!"' },
    ]);
  });

  test("S1 the other side alone is refused with blank lines, comments or punctuation beside it too", () => {
    expect([
      side(indented, "zz\n\n"),
      side(indented, "if x:\n  y\nzz\n"),
      side(unguarded, "guard();\nrun(y); \n"),
      side(unguarded, "guard();\nrun(y);; // done\n"),
    ]).toEqual(["ours", "ours", "ours", "ours"]);
  });

  test("the same changes honestly combined pass", () => {
    expect([
      side(swapped, "f(b, a, c);\n"),
      side(swapped, "f(c, b, a);\n"),
      side(reordered, "b(2);\na();\n"),
      side(negated, "if (a || !b) go();\n"),
      side(added, "foo(c, a, b) // three\n"),
      side(indented, "  zz\n"),
      side(unguarded, "run(y);\n"),
    ]).toEqual([null, null, null, null, null, null, null]);
  });

  test("additions may stand in any order, and a comment is where its side wrote one", () => {
    const list = ["a\n", "a\nc\nb\n", "a\nd\n"] as const;
    const notes = ["x = 1\n", "x = 1 // one\n", "x = 1 // uno\n"] as const;
    const out = ["foo(a)\n", "# foo(a)\n", "foo(a, b)\n"] as const;
    expect([side(list, "a\nb\nc\nd\n"), side(notes, "x = 1 // one, uno\n"), side(out, "# foo(a, b)\n")]).toEqual([
      null,
      null,
      null,
    ]);
  });

  test("what looks like a comment inside a word or an address is none", () => {
    const sides = ["get(u)\n", 'get("https://a.b/c")\n', "get(u, #n)\n"] as const;
    expect([side(sides, 'get("https://a.b/c", #n)\n'), side(["i\n", "i--\n", "j + i\n"], "j + i--\n")]).toEqual([
      null,
      null,
    ]);
  });
});

describe("conflict markers", () => {
  test("are refused, the view's own numbered ones too", () => {
    const sides = ["a\n", "b\n", "c\n"] as const;
    expect([
      judge(sides, "<<<<<<< hunk 1: ours\nb\nc\n"),
      side(sides, "b\r\n=======\r\nc\r\n"),
      side(sides, "b c >>>>>>> x\n"),
    ]).toEqual([
      { side: "both", reason: 'the answer contains the conflict marker "<<<<<<< hunk 1: ours"' },
      "both",
      null,
    ]);
  });

  test("stand where a side has them: a text about conflicts", () => {
    expect(side(["Title\n=======\n", "Title\n=======\nmore\n", "Head\n=======\n"], "Head\n=======\nmore\n")).toBeNull();
  });
});

test("words of any script and bytes that are not UTF-8 are tokens", () => {
  const hunk = { base: Buffer.from("x"), ours: Buffer.from("x größe"), theirs: Buffer.from([0x78, 0x20, 0xe9, 0x20]) };
  expect([
    side(["x", "x größe", "x 尺寸"], "x größe"),
    side(["x", "x größe", "x 尺寸"], "x größe 尺寸"),
    droppedSide(hunk, Buffer.from([0x78, 0x20, 0xe9, 0x20]))?.side,
  ]).toEqual(["theirs", null, "ours"]);
});
