// Which files a session touched, found in its tools' words and by looking before and after its shell commands; and whose a change is.

import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git as runGit } from "../../testing/git/real-repository.ts";
import { PresenceRig, type RigSession } from "../../testing/sessions/presence-rig.ts";

const git = (cwd: string, ...args: string[]) => runGit(cwd, args);

function withRepository(files: readonly string[] = ["a.txt", "b.txt", "c.txt"]): PresenceRig {
  const rig = new PresenceRig();
  git(rig.repository, "init", "-q");
  for (const file of files) writeFileSync(join(rig.repository, file), "one\n");
  git(rig.repository, "add", "-A");
  git(rig.repository, "commit", "-qm", "first");
  return rig;
}

/** One shell command of a session, with the hooks around it. */
async function shell(session: RigSession, call: string, work: () => void | Promise<void>): Promise<string | null> {
  await session.fire({ kind: "shell-started", call });
  await work();
  return session.fire({ kind: "shell-ended", call, failed: false });
}

async function touched(rig: PresenceRig) {
  const rows = await rig.rows();
  return Object.fromEntries(
    rows.map(({ session, files, unattributed }) => [
      session,
      { own: files.map(({ path }) => path).toSorted(), anybodys: unattributed.map(({ path }) => path).toSorted() },
    ]),
  );
}

test("P22: relative, absolute, through a symlink, already deleted: one file has one name", async () => {
  using rig = withRepository();
  mkdirSync(join(rig.repository, "sub"));
  writeFileSync(join(rig.repository, "sub", "d.txt"), "");
  symlinkSync(rig.repository, join(rig.root, "link"));
  symlinkSync(join(rig.repository, "a.txt"), join(rig.repository, "alias"));
  const session = rig.session("s");
  const cwd = join(rig.root, "link", "sub");
  const paths = [
    "d.txt",
    join(rig.root, "link", "sub", "d.txt"),
    "../sub/./d.txt",
    "../alias",
    "../sub/gone.txt",
    "/etc/hosts",
  ];
  await session.fire({ kind: "files-edited", paths }, { cwd });
  expect(await touched(rig)).toEqual({
    s: { own: ["/etc/hosts", "a.txt", "sub/d.txt", "sub/gone.txt"], anybodys: [] },
  });
});

test.each([
  [
    "sed -i",
    (at: string) => execFileSync("sed", ["-i.bak", "s/one/two/", "a.txt"], { cwd: at }),
    ["a.txt", "a.txt.bak"],
  ],
  [
    "printf into a new file in a new directory",
    (at: string) => {
      mkdirSync(join(at, "n"));
      writeFileSync(join(at, "n", "é x.txt"), "1");
    },
    ["n/é x.txt"],
  ],
  ["a rename: both names", (at: string) => renameSync(join(at, "a.txt"), join(at, "z.txt")), ["a.txt", "z.txt"]],
  [
    "git mv and a commit",
    (at: string) => {
      git(at, "mv", "b.txt", "y.txt");
      git(at, "commit", "-qm", "move");
    },
    ["b.txt", "y.txt"],
  ],
  ["a deletion", (at: string) => rmSync(join(at, "c.txt")), ["c.txt"]],
  [
    "a change that is committed at once",
    (at: string) => {
      writeFileSync(join(at, "a.txt"), "x\n");
      git(at, "commit", "-qam", "x");
    },
    ["a.txt"],
  ],
  [
    "a formatter over many files",
    (at: string) => {
      for (const file of ["a.txt", "b.txt"]) writeFileSync(join(at, file), "1 2\n");
    },
    ["a.txt", "b.txt"],
  ],
  ["a command that changes nothing", () => {}, []],
] as const)("P23: %s", async (_, work, expected) => {
  using rig = withRepository();
  // What was changed before the command is not its doing.
  writeFileSync(join(rig.repository, "old.txt"), "changed before\n");
  const session = rig.session("s");
  await shell(session, "c1", () => void work(rig.repository));
  expect(await touched(rig)).toEqual({ s: { own: [...expected], anybodys: [] } });
});

test("P23: a file that was changed before is found when the command changes it again", async () => {
  using rig = withRepository();
  writeFileSync(join(rig.repository, "a.txt"), "changed before\n");
  const session = rig.session("s");
  await shell(session, "c1", () => writeFileSync(join(rig.repository, "a.txt"), "changed again\n"));
  await shell(session, "c2", () => void git(rig.repository, "checkout", "-q", "a.txt"));
  expect(await touched(rig)).toEqual({ s: { own: ["a.txt"], anybodys: [] } });
});

test("P21, P23: outside git the directory's own files are compared", async () => {
  using rig = new PresenceRig();
  writeFileSync(join(rig.repository, "a.txt"), "one\n");
  const session = rig.session("s");
  await shell(session, "c1", () => writeFileSync(join(rig.repository, "b.txt"), "new\n"));
  expect(await touched(rig)).toEqual({ s: { own: ["b.txt"], anybodys: [] } });
});

test("P35: commands of two sessions one after another: each change has its session", async () => {
  using rig = withRepository();
  const [first, second] = [rig.session("first"), rig.session("second")];
  await shell(first, "c1", () => writeFileSync(join(rig.repository, "a.txt"), "first\n"));
  await shell(second, "c1", () => writeFileSync(join(rig.repository, "b.txt"), "second\n"));
  expect(await touched(rig)).toEqual({
    first: { own: ["a.txt"], anybodys: [] },
    second: { own: ["b.txt"], anybodys: [] },
  });
});

test("P35: where calls overlap the changes are nobody's for sure", async () => {
  using rig = withRepository();
  const [first, second] = [rig.session("first"), rig.session("second")];
  await shell(first, "long", async () => {
    await shell(second, "short", () => writeFileSync(join(rig.repository, "b.txt"), "second\n"));
    writeFileSync(join(rig.repository, "a.txt"), "first\n");
  });
  expect(await touched(rig)).toEqual({
    first: { own: [], anybodys: ["a.txt", "b.txt"] },
    second: { own: [], anybodys: ["b.txt"] },
  });
});

test("P35: commands in two worktrees do not overlap", async () => {
  using rig = withRepository();
  const other = join(rig.root, "other");
  git(rig.repository, "worktree", "add", "-q", other);
  const [first, second] = [rig.session("first"), rig.session("second", { cwd: other })];
  await shell(first, "long", async () => {
    await shell(second, "short", () => writeFileSync(join(other, "b.txt"), "second\n"));
    writeFileSync(join(rig.repository, "a.txt"), "first\n");
  });
  expect(await touched(rig)).toEqual({
    first: { own: ["a.txt"], anybodys: [] },
    second: { own: ["b.txt"], anybodys: [] },
  });
});

test("P35: another session's edit by a tool during the command stays that session's", async () => {
  using rig = withRepository();
  const [first, second] = [rig.session("first"), rig.session("second")];
  await shell(first, "c1", async () => {
    writeFileSync(join(rig.repository, "b.txt"), "second\n");
    await second.fire({ kind: "files-edited", paths: ["b.txt"] });
    writeFileSync(join(rig.repository, "a.txt"), "first\n");
  });
  expect(await touched(rig)).toEqual({
    first: { own: ["a.txt"], anybodys: ["b.txt"] },
    second: { own: ["b.txt"], anybodys: [] },
  });
});

test("P35: a session that was killed in a command leaves later commands of others attributable", async () => {
  using rig = withRepository();
  const [killed, second] = [rig.session("killed"), rig.session("second")];
  await killed.fire({ kind: "shell-started", call: "never ends" });
  rig.processes.end(killed.pid);
  rig.now += 60_000;
  await shell(second, "c1", () => writeFileSync(join(rig.repository, "b.txt"), "second\n"));
  expect((await touched(rig)).second).toEqual({ own: ["b.txt"], anybodys: [] });
});

test("P35: a client without a hook before the command: what changed is nobody's for sure", async () => {
  using rig = withRepository();
  const session = rig.session("s", { client: "copilot" });
  // The rig's clock is of another time than the files': the command is to begin before the change.
  rig.now = Date.now() - 60_000;
  await session.fire({ kind: "prompt", text: "change that file please", byPerson: true });
  writeFileSync(join(rig.repository, "a.txt"), "two\n");
  await session.fire({ kind: "shell-ended", call: null, failed: false });
  expect(await touched(rig)).toEqual({ s: { own: [], anybodys: ["a.txt"] } });
});

test("P35: while a session's command may run in the background, what changes in another's is nobody's", async () => {
  using rig = withRepository();
  const [server, other] = [rig.session("server"), rig.session("other")];
  // Its call comes back at once, which is no end: a client's event says no more than that the session lives.
  await server.fire({ kind: "shell-started", call: "background" });
  await server.fire({ kind: "seen" });
  await shell(other, "c1", () => writeFileSync(join(rig.repository, "a.txt"), "whose\n"));
  await server.fire({ kind: "turn-ended", background: 1 });
  await shell(other, "c2", () => writeFileSync(join(rig.repository, "b.txt"), "whose\n"));
  await server.fire({ kind: "turn-ended", background: 0 });
  await shell(other, "c3", () => writeFileSync(join(rig.repository, "c.txt"), "the other's\n"));
  expect(await touched(rig)).toEqual({
    server: { own: [], anybodys: ["a.txt", "b.txt"] },
    other: { own: ["c.txt"], anybodys: ["a.txt", "b.txt"] },
  });
});

/** A call that comes back at once: its command goes on in the background. */
async function background(session: RigSession, call: string): Promise<void> {
  await session.fire({ kind: "shell-started", call });
  await session.fire({ kind: "seen" });
}

test.each([
  ["the turn", { kind: "turn-ended", background: 0 }],
  ["the turn of a client that does not count", { kind: "turn-ended", background: null }],
  ["the session", { kind: "session-ended", reason: null }],
  ["an interrupted turn", { kind: "interrupted" }],
] as const)("P23, P35: what a command in the background changed is found at the end of %s", async (_, end) => {
  using rig = withRepository();
  const session = rig.session("s");
  writeFileSync(join(rig.repository, "old.txt"), "changed before\n");
  await background(session, "c1");
  writeFileSync(join(rig.repository, "a.txt"), "by the command\n");
  await session.fire(end);
  expect(await touched(rig)).toEqual({ s: { own: ["a.txt"], anybodys: [] } });
});

test("P35: a command in the background is looked at again at each turn's end, and its last look is its last", async () => {
  using rig = withRepository();
  const session = rig.session("s");
  await background(session, "server");
  writeFileSync(join(rig.repository, "a.txt"), "one\nby the command\n");
  await session.fire({ kind: "turn-ended", background: 1 });
  writeFileSync(join(rig.repository, "b.txt"), "by the command\n");
  await session.fire({ kind: "turn-ended", background: 0 });
  // Nothing of the session's runs any more.
  writeFileSync(join(rig.repository, "c.txt"), "by the person\n");
  await session.fire({ kind: "turn-ended", background: 0 });
  expect(await touched(rig)).toEqual({ s: { own: ["a.txt", "b.txt"], anybodys: [] } });
});

test("P35: beside a command in the background each change of a session's own tools stays what it was", async () => {
  using rig = withRepository();
  const [session, other] = [rig.session("s"), rig.session("other")];
  await background(session, "server");
  writeFileSync(join(rig.repository, "a.txt"), "by its own tool\n");
  await session.fire({ kind: "files-edited", paths: ["a.txt"] });
  writeFileSync(join(rig.repository, "b.txt"), "by another's tool\n");
  await other.fire({ kind: "files-edited", paths: ["b.txt"] });
  writeFileSync(join(rig.repository, "c.txt"), "by the command\n");
  await session.fire({ kind: "turn-ended", background: 0 });
  expect(await touched(rig)).toEqual({
    s: { own: ["a.txt", "c.txt"], anybodys: ["b.txt"] },
    other: { own: ["b.txt"], anybodys: [] },
  });
  const hows = (await rig.rows()).find(({ session: id }) => id === "s")?.files.map(({ path, how }) => [path, how]);
  expect(hows?.toSorted()).toEqual([
    ["a.txt", "tool"],
    ["c.txt", "shell"],
  ]);
});
