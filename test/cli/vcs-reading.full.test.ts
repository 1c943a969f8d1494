// The reading commands of `skein vcs`, undo, resolve and watch through the real program: the same from a server and from the files.

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Sandbox } from "../support/sandbox.ts";
import { type Ended, eventually, lastJson, skein, startSkein } from "../support/skein.ts";
import { type Small, smallTest as test } from "../support/small-repository.ts";

function vcs({ box, repository }: Small, command: string, ...args: string[]): Promise<Ended> {
  return skein(box, { args: ["vcs", command, "--store", join(box.root, "store"), ...args], cwd: repository });
}

const asJson = async (small: Small, command: string, ...args: string[]) =>
  lastJson(await vcs(small, command, "--json", ...args));

async function serving(box: Sandbox): Promise<() => Promise<void>> {
  const server = startSkein(box, { args: ["serve", "--store", join(box.root, "store"), "--json"] });
  let said = "";
  server.child.stdout?.on("data", (text: string) => {
    said += text;
  });
  await eventually("the server listens", () => (said.includes("\n") ? said : null));
  return async () => {
    server.kill("SIGTERM");
    await server.ended;
  };
}

async function commit(small: Small, by: string, text: string, ...args: string[]): Promise<void> {
  writeFileSync(join(small.repository, "a.txt"), text);
  const who = ["--agent", by, "--task", `t-${by}`];
  await vcs(small, "commit", "--base", "head", "-m", `by ${by}`, ...who, ...args, "a.txt");
}

const lines = "1\n2\n3\n4\n5\n";

test("log, show, diff, blame, conflicts and stats say the same through a server and from the files", async ({
  small,
}) => {
  small.make({ "a.txt": { kind: "file", bytes: lines } });
  await vcs(small, "import");
  await commit(small, "a1", lines.replace("1", "one"));
  await commit(small, "a2", lines.replace("1", "one").replace("5", "five"));
  writeFileSync(join(small.repository, "a.txt"), lines.replace("1", "uno"));
  await vcs(small, "commit", "--base", "1", "-m", "late", "--agent", "a3", "--task", "t3", "a.txt");
  const ask = async () => [
    await asJson(small, "log", "a.txt"),
    await asJson(small, "show", "2"),
    await asJson(small, "diff", "1", "--path", "a.txt"),
    await asJson(small, "blame", "a.txt"),
    await asJson(small, "conflicts", "c1"),
    (await asJson(small, "stats")).hottest,
  ];
  const fromFiles = await ask();
  const shown = (await vcs(small, "show", "3")).stdout;
  const blamed = (await vcs(small, "blame", "a.txt")).stdout;
  const conflicts = (await vcs(small, "conflicts")).stdout;
  const stop = await serving(small.box);
  const fromServer = await ask();
  await stop();
  const [log, show, diff, blame, conflict, hottest] = fromFiles;
  expect(fromServer).toEqual(fromFiles);
  expect({ log, show, diff, blame, conflict, hottest }).toMatchObject({
    log: {
      head: 4,
      commits: [
        { position: 3, author: { agent: "a2" } },
        { position: 2, message: "by a1" },
      ],
    },
    show: {
      commit: { position: 2 },
      files: [{ path: "a.txt", kind: "changed", content: { hunks: [{ heading: "@@ -1,4 +1,4 @@" }] } }],
    },
    diff: { from: 1, to: 4, files: [{ path: "a.txt" }] },
    blame: {
      lines: [
        { position: 2, author: { agent: "a1" }, text: "one\n" },
        { origin: "import" },
        { origin: "import" },
        { origin: "import" },
        { position: 3, text: "five\n" },
      ],
    },
    conflict: { conflicts: [{ id: "c1", state: "open", author: { agent: "a3", task: "t3" } }] },
    hottest: [{ path: "a.txt", commits: 2, agents: 2, deleted: false }],
  });
  expect(shown).toContain("-5\n+five\n");
  expect(blamed).toContain("2 a1 (t-a1)      1  one\n");
  expect(conflicts).toContain("a.txt: ours changed it, theirs changed it; ours is of a2 (t-a2)");
});

test("S9 undo and resolve, by hand and by a server: who decided for whom stands in the history", async ({ small }) => {
  small.make({ "a.txt": { kind: "file", bytes: lines } });
  await vcs(small, "import");
  await commit(small, "a1", lines.replace("1", "one"));
  await commit(small, "a2", lines.replace("1", "ONE"));
  const conflict = await vcs(small, "undo", "--of-agent", "a1", "--json");
  const stop = await serving(small.box);
  const undecided = await vcs(small, "resolve", "c1", "--json");
  const answer = ["resolve", "c1", "--take", "theirs", "-m", "it was wrong", "--agent", "eva", "--key", "r"] as const;
  const resolved = await asJson(small, ...answer);
  const answeredAgain = await asJson(small, ...answer);
  const undone = await asJson(small, "undo", "5", "--key", "k");
  const repeated = await asJson(small, "undo", "5", "--key", "k");
  const nobody = await vcs(small, "undo", "--of-agent", "a7", "--json");
  await stop();
  const twice = await vcs(small, "resolve", "c1", "--take", "ours", "--json");
  const otherKey = await vcs(small, "resolve", "c1", "--take", "theirs", "--key", "r2", "--json");
  const otherAnswer = await vcs(small, "resolve", "c1", "--take", "ours", "--key", "r", "--json");
  expect(await asJson(small, ...answer)).toEqual(resolved);
  expect(answeredAgain).toEqual(resolved);
  const log = await asJson(small, "log");
  expect(
    [conflict, undecided, nobody, twice, otherKey, otherAnswer].map((ended) => [ended.exitCode, lastJson(ended)]),
  ).toMatchObject([
    [3, { undone: [2], outcome: { kind: "conflict", conflict: "c1" } }],
    [2, { error: "not decided: a.txt" }],
    [2, { error: "no commit of agent a7 has landed" }],
    [1, { error: "c1 is resolved already, by eva" }],
    [1, { error: "c1 is resolved already, by eva" }],
    [1, { error: expect.stringContaining("The key r was used for a commit with other changes") }],
  ]);
  expect([resolved, undone, repeated, log]).toMatchObject([
    { conflict: "c1", discarded: [{ path: "a.txt", side: "ours", task: "t-a2", reason: "it was wrong" }] },
    { undone: [5], outcome: { kind: "landed", position: 6 } },
    { undone: [], outcome: { kind: "landed", position: 6 } },
    {
      commits: [
        { position: 6, message: "Undo 1 commit\n\nUndone: 5" },
        { position: 5, author: { agent: "person" }, resolves: "c1", resolvedBy: { agent: "eva", task: "by-hand" } },
        { position: 3 },
        { position: 2 },
      ],
    },
  ]);
});

test("watch tells each event once and in order, while servers come and go and others write in between", async ({
  small,
}) => {
  small.make({ "a.txt": { kind: "file", bytes: lines } });
  await vcs(small, "import");
  await commit(small, "a1", "before\n");
  const store = join(small.box.root, "store");
  const first = await serving(small.box);
  const watcher = startSkein(small.box, { args: ["vcs", "watch", "--store", store, "--from", "1", "--json"] });
  let said = "";
  watcher.child.stdout?.on("data", (text: string) => {
    said += text;
  });
  const seen = (count: number) =>
    eventually(`${count} lines`, () => (said.split("\n").length > count ? said.trim().split("\n") : null));
  await seen(2);
  await commit(small, "a2", "served\n");
  await seen(3);
  await first();
  await commit(small, "a3", "by hand\n");
  await seen(4);
  const second = await serving(small.box);
  await commit(small, "a4", "served again\n");
  const lines4 = await seen(5);
  watcher.kill("SIGINT");
  const ended = await watcher.ended;
  await second();
  rmSync(join(small.repository, "a.txt"));
  const rest = await vcs(small, "watch", "--from", "3", "--no-follow", "--json");
  const plain = (all: readonly string[]) => all.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect([ended.exitCode, plain(lines4).map(({ kind, position }) => [kind, position])]).toEqual([
    0,
    [
      ["begin", undefined],
      ["landed", 2],
      ["landed", 3],
      ["landed", 4],
      ["landed", 5],
    ],
  ]);
  expect(plain(rest.stdout.trim().split("\n"))).toMatchObject([
    { kind: "begin", from: 3, head: 5 },
    { kind: "landed", position: 4, author: { agent: "a3" } },
    { kind: "landed", position: 5, author: { agent: "a4" } },
  ]);
});

test("positions and paths that are none are said so, and nothing is begun", async ({ small }) => {
  small.make();
  await vcs(small, "import");
  const answers = [
    await vcs(small, "show", "9", "--json"),
    await vcs(small, "show", "1", "--json"),
    await vcs(small, "diff", "1", "5", "--json"),
    await vcs(small, "blame", "../a.txt", "--json"),
    await vcs(small, "blame", "none.txt", "--json"),
    await vcs(small, "undo", "--json"),
    await vcs(small, "watch", "--from", "9", "--no-follow", "--json"),
  ];
  expect(answers.map((ended) => [ended.exitCode, lastJson(ended).error])).toEqual([
    [2, "there is no position 9: the store's are from 1 to 1"],
    [2, "no commit landed at position 1"],
    [2, "there is no position 5: the store's are from 1 to 1"],
    [2, expect.stringContaining('it has the part ".."')],
    [2, "none.txt: there is no such file at that position"],
    [2, "name the commits' positions, or --of-agent, or --of-task: one of the three"],
    [2, "there is no position 9: the store's are from 0 to 1"],
  ]);
});
