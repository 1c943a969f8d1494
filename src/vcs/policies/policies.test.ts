// Policies that a store may have besides the standard ones, asked through the VCS as every commit asks them.

import { expect, test } from "vitest";
import { asTaskId } from "../../base/ids.ts";
import { commit, recordsOf, request, rigWith } from "../../testing/vcs/vcs-rig.ts";
import { decisionPages, decisionReferences, referencesIn } from "./decisions.ts";
import { type Freeze, frozenPaths } from "./frozen.ts";
import { taskScope } from "./scope.ts";

const freeze: Freeze = { paths: ["src/big.ts", "gen/**"], reason: "it is being split", tasks: [asTaskId("t9")] };

test("a frozen path is refused with the reason and the way on; others, and the task that splits it, land", async () => {
  const rig = await rigWith({ "src/big.ts": "1\n", "src/a.ts": "a\n" }, { policies: [frozenPaths(() => [freeze])] });
  const outcomes = [
    await commit(rig, { by: 1, base: 1, files: { "src/big.ts": "2\n", "src/a.ts": "A\n" } }),
    await commit(rig, { by: 1, base: 1, files: { "gen/x/y": "y\n", "gen/z": null } }),
    await commit(rig, { by: 1, base: 1, files: { "src/a.ts": "A\n" } }),
    await commit(rig, { by: 9, base: 1, files: { "src/big.ts": null, "src/small.ts": "1\n" } }),
  ];
  const rest = "Commit the rest without it, and say in your handoff what you need there.";
  expect([outcomes, (await recordsOf(rig)).length]).toEqual([
    [
      { kind: "refused", policy: "frozen", reason: `src/big.ts is frozen: it is being split. ${rest}` },
      { kind: "refused", policy: "frozen", reason: `gen/x/y, gen/z are frozen: it is being split. ${rest}` },
      { kind: "landed", position: 2, merged: [] },
      { kind: "landed", position: 3, merged: [] },
    ],
    3,
  ]);
});

test("a path that is frozen while its commit is being merged is refused: acceptance asks again", async () => {
  const freezes: Freeze[] = [];
  const rig = await rigWith({ f: "1\n2\n3\n4\n5\n" }, { policies: [frozenPaths(() => freezes)] });
  await commit(rig, { by: 1, base: 1, files: { f: "one\n2\n3\n4\n5\n" } });
  const merging = commit(rig, { by: 2, base: 1, files: { f: "1\n2\n3\n4\nfive\n" } });
  freezes.push({ ...freeze, paths: ["f"], tasks: [] });
  expect((await merging).kind).toBe("refused");
});

test("a commit outside its task's scope needs a reason, and with one it lands", async () => {
  const scope = taskScope({
    scopeOf: ({ task }) => (task === "t1" ? ["src/parser"] : []),
    howToGiveReason: "say with --reason why they are needed",
  });
  const rig = await rigWith({}, { policies: [scope] });
  const files = { "src/parser/a.ts": "a\n", "src/cli.ts": "b\n" };
  const refused = await commit(rig, { by: 1, base: 1, files });
  const blank = await rig.vcs.commit({ ...request({ by: 1, base: 1, files }), reason: " " });
  const reasoned = await rig.vcs.commit({ ...request({ by: 1, base: 1, files }), reason: "its caller breaks" });
  const anywhere = await commit(rig, { by: 2, base: 1, files: { other: "o\n" } });
  expect([refused, blank.ok && blank.value.kind, reasoned.ok && reasoned.value.kind, anywhere.kind]).toEqual([
    {
      kind: "refused",
      policy: "scope",
      reason:
        "outside this task's scope (src/parser): src/cli.ts. Undo these changes, or say with --reason why they are needed",
    },
    "refused",
    "landed",
    "landed",
  ]);
});

test("a reference to a decision must resolve: on the head, or in the commit itself", async () => {
  const policies = [decisionReferences(decisionPages("design"))];
  const rig = await rigWith({ "design/d1-names.md": "# Names\n", "design/sub/d7.md": "no page\n" }, { policies });
  const text = (id: string) => `// @decision ${id}\nexport const a = 1;\n`;
  const outcomes = [
    await commit(rig, { by: 1, base: 1, files: { "a.ts": text("d1") } }),
    await commit(rig, { by: 1, base: 1, files: { "b.ts": text("d2") } }),
    await commit(rig, { by: 1, base: 1, files: { "b.ts": text("d2"), "design/d2.md": "# Two\n" } }),
    await commit(rig, { by: 1, base: 1, files: { "c.ts": text("d7") } }),
    await commit(rig, { by: 1, base: 1, files: { "d.ts": text("d1"), "design/d1-names.md": null } }),
  ];
  expect(outcomes.map((outcome) => (outcome.kind === "refused" ? outcome.reason : outcome.kind))).toEqual([
    "landed",
    "b.ts refers to a decision that does not exist: d2. Those there are: design/. Correct the reference, or record the decision first.",
    "landed",
    "c.ts refers to a decision that does not exist: d7. Those there are: design/. Correct the reference, or record the decision first.",
    "d.ts refers to a decision that does not exist: d1. Those there are: design/. Correct the reference, or record the decision first.",
  ]);
});

test.each([
  ["// @decision d1\n/* @decision\td22 */ @decision d1", ["d1", "d22"]],
  ["@decision d1-x, @decision d2x, @decision x3, @decisiond4, decision d5", []],
  ["\0\u00ff@decision d6", ["d6"]],
])("references in %j", (text, ids) => {
  expect(referencesIn(Buffer.from(text))).toEqual(ids);
});
