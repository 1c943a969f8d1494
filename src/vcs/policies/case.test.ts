// Names that differ only by case, and names that only look alike.

import { expect, test } from "vitest";
import { commit, rigWith, tree } from "../../testing/vcs/vcs-rig.ts";

const names = { "src/Main.ts": "m\n", "lib/a.ts": "a\n", "README.md": "r\n", "readme.MD": "old\n" };

test.each([
  ["a file", { "src/main.ts": "x\n" }, "src/main.ts and src/Main.ts"],
  ["a directory", { "SRC/other.ts": "x\n" }, "SRC/other.ts and src"],
  ["a file against a directory", { LIB: "x\n" }, "LIB and lib"],
  ["two of one commit", { "n/B": "x\n", "n/b": "y\n" }, "n/b and n/B"],
])("S22 %s that differs only by case is refused", async (_, files, named) => {
  const rig = await rigWith(names);
  const outcome = await commit(rig, { by: 1, base: 1, files });
  expect([outcome, await tree(rig)]).toEqual([
    { kind: "refused", policy: "case", reason: expect.stringContaining(`${named} differ only by case`) },
    names,
  ]);
});

test("S22 a change of what is there, a change of case, and names that are no more are taken", async () => {
  const rig = await rigWith(names);
  const outcomes = [
    await commit(rig, { by: 1, base: 1, files: { "readme.MD": "new\n" } }),
    await commit(rig, { by: 1, base: 1, files: { "src/Main.ts": null, "src/main.ts": "m\n" } }),
    await commit(rig, { by: 1, base: 3, files: { "lib/a.ts": null } }),
    await commit(rig, { by: 1, base: 4, files: { "LIB/x.ts": "x\n" } }),
  ];
  expect(outcomes.map(({ kind }) => kind)).toEqual(["landed", "landed", "landed", "landed"]);
});

test("S22 where it is switched off they stand side by side, and Unicode forms do byte for byte always", async () => {
  const off = await rigWith(names, { caseOnlyNames: "allow" });
  const forms = { "\u00e4.txt": "one\n", "a\u0308.txt": "two\n" };
  const on = await rigWith({});
  await commit(off, { by: 1, base: 1, files: { "src/main.ts": "x\n" } });
  await commit(on, { by: 1, base: 1, files: forms });
  expect([await tree(off), await tree(on)]).toEqual([{ ...names, "src/main.ts": "x\n" }, forms]);
});
