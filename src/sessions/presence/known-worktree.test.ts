// What of a worktree is recorded, and which changes make it useless.

import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { syncFiles } from "../../adapters/node/sync-files.ts";
import { ok } from "../../base/result.ts";
import { pause, settledMs, WorktreeRig } from "../../testing/sessions/worktree-rig.ts";

/** Stamps of files as they are: `gone`, or the change time and the size that the system tells. */
function stampsOf(rig: WorktreeRig, paths: readonly string[]): Readonly<Record<string, string>> {
  const stamp = (path: string): string => {
    if (!existsSync(rig.at(path))) return "gone";
    const { ctimeMs, size } = lstatSync(rig.at(path));
    return `${ctimeMs}:${size}`;
  };
  return Object.fromEntries(paths.map((path) => [path, stamp(path)]));
}

function small(rig: WorktreeRig): void {
  for (const name of ["a.ts", "b.ts"]) rig.write(`src/${name}`, name);
  rig.commit();
}

test("where something has changed just before git was asked, nothing is recorded yet", async () => {
  using rig = new WorktreeRig();
  small(rig);
  await rig.learn({ now: lstatSync(rig.at(".git/index")).ctimeMs + 15 });
  const early = [rig.record(), await rig.known()];
  await rig.learnSettled();
  expect(early).toEqual([null, null]);
  expect([await rig.known(), rig.marks]).toEqual([{ stamps: {}, complete: true }, [null, rig.at(".git/index")]]);
  rig.write("src/a.ts", "longer than it was");
  rmSync(rig.at("src/b.ts"));
  expect((await rig.known())?.stamps).toEqual(stampsOf(rig, ["src/a.ts", "src/b.ts"]));
});

test("nor where a file is as committed, and was touched just now", async () => {
  using rig = new WorktreeRig();
  small(rig);
  await pause(settledMs);
  utimesSync(rig.at("src/a.ts"), 1, 1);
  await rig.learn({ now: lstatSync(rig.at("src/a.ts")).ctimeMs + 15 });
  const early = rig.record();
  await rig.learnSettled();
  expect([early, await rig.known()]).toEqual([null, { stamps: {}, complete: true }]);
});

test("what git ignores may change, and git need not be asked", async () => {
  using rig = new WorktreeRig();
  rig.write(".gitignore", "*.log\nbuild/\n");
  for (const path of ["src/some.log", "build/out.js", "build/deep/out.js"]) rig.write(path, path);
  small(rig);
  await rig.learnSettled();
  for (const path of ["src/some.log", "build/out.js", "build/new.js", "build/deep/out.js"]) rig.write(path, "changed");
  rmSync(rig.at("src/some.log"));
  expect(await rig.known()).toEqual({ stamps: {}, complete: true });
});

const inHome = (rig: WorktreeRig, path: string, text: string): void => {
  mkdirSync(dirname(join(rig.home, path)), { recursive: true });
  writeFileSync(join(rig.home, path), text);
};

/** Name, what is there before git is asked, and what changes after it. */
const asked: readonly (readonly [string, (rig: WorktreeRig) => void, (rig: WorktreeRig) => void])[] = [
  ["the index", () => {}, (rig) => rig.git("rm", "-q", "--cached", "src/a.ts")],
  ["the commit", () => {}, (rig) => rig.git("commit", "-q", "--allow-empty", "-m", "m")],
  [
    "the branch alone",
    () => {},
    (rig) => {
      rig.git("branch", "other");
      rig.git("symbolic-ref", "HEAD", "refs/heads/other");
    },
  ],
  ["a new file", () => {}, (rig) => rig.write("src/new.ts", "")],
  ["a new directory", () => {}, (rig) => mkdirSync(rig.at("src/new"))],
  ["another content of the same size", () => {}, (rig) => rig.write("src/a.ts", "A.TS")],
  [
    "a link in a file's place",
    () => {},
    (rig) => {
      rmSync(rig.at("src/a.ts"));
      symlinkSync("somewhere-else", rig.at("src/a.ts"));
    },
  ],
  [
    "a directory in a file's place",
    () => {},
    (rig) => {
      rmSync(rig.at("src/a.ts"));
      mkdirSync(rig.at("src/a.ts"));
    },
  ],
  [
    "a list of ignored files",
    (rig) => rig.write("src/.gitignore", "x"),
    (rig) => rig.write("src/.gitignore", "a*.log"),
  ],
  ["a new list of ignored files", () => {}, (rig) => rig.write(".gitignore", "*.log")],
  [
    "a list that is ignored",
    (rig) => rig.write("src/.gitignore", ".gitignore\n"),
    (rig) => rmSync(rig.at("src/.gitignore")),
  ],
  [
    "a list of attributes",
    (rig) => rig.write(".gitattributes", "*.ts text"),
    (rig) => rmSync(rig.at(".gitattributes")),
  ],
  [
    "the worktree's excludes",
    () => {},
    (rig) => {
      mkdirSync(rig.at(".git/info"), { recursive: true });
      writeFileSync(rig.at(".git/info/exclude"), "*.log");
    },
  ],
  ["the worktree's settings", () => {}, (rig) => rig.git("config", "core.fileMode", "false")],
  ["the person's settings", () => {}, (rig) => inHome(rig, ".gitconfig", "[core]\n\tfileMode = false\n")],
  ["the person's excludes", () => {}, (rig) => inHome(rig, ".config/git/ignore", "*.log")],
  [
    "a list by a name of the person's",
    (rig) => inHome(rig, ".gitconfig", "[core]\n\texcludesFile = ~/mine\n"),
    (rig) => inHome(rig, "mine", "*.log"),
  ],
  [
    "settings that the person's include",
    (rig) => inHome(rig, ".gitconfig", "[include]\n\tpath = more\n"),
    (rig) => inHome(rig, "more", "[core]\n\tfileMode = false\n"),
  ],
  [
    "settings that are included here alone",
    (rig) => inHome(rig, ".gitconfig", `[includeIf "gitdir:${rig.worktree}/"]\n\tpath = ~/more\n`),
    (rig) => inHome(rig, "more", "[core]\n\tfileMode = false\n"),
  ],
];

test.each(asked)("git is asked again after a change of %s", async (_, before, after) => {
  using rig = new WorktreeRig();
  before(rig);
  small(rig);
  await rig.learnSettled();
  const known = await rig.known();
  after(rig);
  expect([known?.complete, await rig.known()]).toEqual([true, null]);
});

test("a worktree of too many files is left to git, and tried again after an hour", async () => {
  using rig = new WorktreeRig();
  for (let index = 0; index < 1_001; index++) rig.write(`d${index % 20}/${index}`, "");
  rig.commit();
  await rig.learnSettled();
  const asked = rig.record();
  expect([Object.keys(asked).sort(), rig.marks, await rig.known()]).toEqual([
    ["tooMuchAt", "v", "worktree"],
    [null],
    null,
  ]);
  rmSync(rig.at("d0"), { recursive: true });
  rig.commit();
  await rig.learn({ now: asked.tooMuchAt + 59 * 60_000 });
  const [within, marks] = [rig.record(), [...rig.marks]];
  await rig.learn({ now: asked.tooMuchAt + 61 * 60_000 });
  expect([within, marks]).toEqual([asked, [null]]);
  expect([rig.record().directories.length, rig.marks.length]).toEqual([20, 2]);
});

test.each([
  [
    "a repository within that only git can tell from a directory",
    (rig: WorktreeRig) => {
      execFileSync("git", ["init", "-q", rig.at("src")]);
    },
  ],
  [
    "files that are elsewhere",
    (rig: WorktreeRig) => {
      rig.git("config", "core.worktree", rig.worktree);
    },
  ],
  [
    "a name that is no text",
    (rig: WorktreeRig) => {
      writeFileSync(Buffer.concat([Buffer.from(`${rig.worktree}/`), Buffer.from([0x61, 0xff])]), "");
    },
  ],
  [
    "a list of ignored files whose place cannot be told",
    (rig: WorktreeRig) => {
      rig.git("config", "core.excludesFile", "%(prefix)/ignore");
    },
  ],
] as const)("a worktree with %s is left to git", async (_, change) => {
  using rig = new WorktreeRig();
  small(rig);
  change(rig);
  await rig.learnSettled();
  expect([typeof rig.record().tooMuchAt, rig.marks, await rig.known()]).toEqual(["number", [null], null]);
});

test("a worktree with a submodule is left to git, and one with a directory that was one is not", async () => {
  using rig = new WorktreeRig();
  rig.write("lib/c.ts", "c");
  rig.write(".gitmodules", '[submodule "lib"]\n\tpath = lib\n\turl = ../lib\n');
  small(rig);
  await rig.learnSettled();
  rig.write("lib/c.ts", "longer than it was");
  const right = await rig.asked();
  expect([await rig.known(), Object.keys(right.stamps)]).toEqual([right, ["lib/c.ts"]]);
  using other = new WorktreeRig();
  other.write("inner.txt", "inner");
  other.commit();
  rig.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.worktree, "module");
  rig.commit();
  await rig.learnSettled();
  expect([await rig.known(), typeof rig.record().tooMuchAt]).toEqual([null, "number"]);
});

test.each([
  ["a file", "src/a.ts"],
  ["a directory", "src"],
  ["a list of ignored files", ".gitignore"],
  ["the worktree's excludes", ".git/info/exclude"],
] as const)("%s that goes between git's look and the record leaves none", async (_, path) => {
  using rig = new WorktreeRig();
  rig.write(".gitignore", "*.log\n");
  mkdirSync(rig.at(".git/info"), { recursive: true });
  writeFileSync(rig.at(".git/info/exclude"), "*.tmp\n");
  small(rig);
  await pause(settledMs);
  await rig.learn({ afterGit: () => rmSync(rig.at(path), { recursive: true }) });
  const early = rig.record();
  await rig.learnSettled();
  expect([early, await rig.known()]).toEqual([null, await rig.asked()]);
});

test.each([
  [
    "exchanged",
    [
      ["two", "t"],
      ["one", "two"],
      ["t", "one"],
    ],
  ],
  [
    "moved in the place of one that is gone",
    [
      ["one", "../gone"],
      ["two", "one"],
    ],
  ],
] as const)("directories whose files are as old and as large are %s: git is asked", async (_, moves) => {
  using rig = new WorktreeRig();
  for (const [name, text] of [
    ["one", "1"],
    ["two", "2"],
  ] as const)
    rig.write(`sub/${name}/x.txt`, text);
  // As a checkout may leave them: within one step of the kernel's clock.
  for (const name of ["one", "two"]) renameSync(rig.at("sub", name, "x.txt"), rig.at("sub", name, "y.txt"));
  small(rig);
  await rig.learnSettled();
  const before = await rig.known();
  for (const [from, to] of moves) renameSync(rig.at("sub", from), rig.at("sub", to));
  rmSync(rig.at("gone"), { recursive: true, force: true });
  expect([before?.complete, await rig.known()]).toEqual([true, null]);
});

test.each([".gitconfig", ".config/git/ignore"])("%s may be a link, and what it leads to may change", async (name) => {
  using rig = new WorktreeRig();
  const isSettings = name === ".gitconfig";
  inHome(rig, "dotfiles/one", isSettings ? "[core]\n\tfileMode = true\n" : "*.log\n");
  inHome(rig, "dotfiles/two", isSettings ? "[core]\n\tfileMode = false\n" : "*.tmp\n");
  mkdirSync(dirname(join(rig.home, name)), { recursive: true });
  symlinkSync(join(rig.home, "dotfiles/link"), join(rig.home, name));
  symlinkSync("one", join(rig.home, "dotfiles/link"));
  small(rig);
  await rig.learnSettled();
  const before = await rig.known();
  rmSync(join(rig.home, "dotfiles/link"));
  symlinkSync("two", join(rig.home, "dotfiles/link"));
  const led = await rig.known();
  await rig.learnSettled();
  const again = await rig.known();
  inHome(rig, "dotfiles/two", "# nothing more\n");
  expect([before?.complete, led, again?.complete, await rig.known()]).toEqual([true, null, true, null]);
});

test("where a file system knows whole seconds alone, what is not two seconds old is young", async () => {
  using rig = new WorktreeRig();
  small(rig);
  const whole = (ms: number): number => Math.floor(ms / 1_000) * 1_000;
  const files: typeof syncFiles = {
    ...syncFiles,
    seeNow: (path, seen) => {
      const fault = syncFiles.seeNow(path, seen);
      seen.changedMs = whole(seen.changedMs);
      return fault;
    },
    stat: async (path) => {
      const found = await syncFiles.stat(path);
      return found.ok ? ok({ ...found.value, changedMs: whole(found.value.changedMs) }) : found;
    },
  };
  const changed = whole(lstatSync(rig.at(".git/index")).ctimeMs);
  await rig.learn({ files, now: changed + 1_990 });
  const early = rig.record();
  await rig.learn({ files, now: changed + 2_010 });
  expect([early, rig.record().status]).toEqual([null, []]);
});

test("a directory that has come since git looked, with files that are old, is not recorded", async () => {
  using rig = new WorktreeRig();
  rig.write("sub/x.ts", "x");
  small(rig);
  const elsewhere = join(rig.state, "moved");
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "f.txt"), "f");
  await pause(settledMs);
  await rig.learn({ afterGit: () => renameSync(elsewhere, rig.at("sub/moved")) });
  const early = rig.record();
  await rig.learnSettled();
  expect([early, rig.record().status, await rig.known()]).toEqual([null, ["sub/moved/f.txt"], await rig.asked()]);
});

test("where git ignores too many files the worktree is left to it", async () => {
  using rig = new WorktreeRig();
  rig.write(".gitignore", "*.o\n");
  small(rig);
  await rig.learnSettled();
  for (let index = 0; index < 2_001; index++) rig.write(`out/${index}.o`, "");
  const look = await rig.learn({ now: Date.now() + 1_000 });
  expect([look, typeof rig.record().tooMuchAt, rig.marks]).toEqual([
    { stamps: {}, complete: true },
    "number",
    [rig.at(".git/index"), null],
  ]);
});

test("git that is given up has told nothing, and is started with the hook the next time", async () => {
  using rig = new WorktreeRig();
  small(rig);
  await rig.learnSettled();
  rig.write("src/new.ts", "new");
  const look = await rig.learn({ now: Date.now() + 1_000, isGivenUp: true });
  expect([look.complete, rig.marks, rig.record().status]).toEqual([false, [rig.at(".git/index"), null], []]);
});

test("each worktree of a repository is known by itself", async () => {
  using rig = new WorktreeRig();
  small(rig);
  const linked = join(rig.state, "linked");
  rig.git("worktree", "add", "-q", linked);
  await rig.learnSettled();
  const before = await rig.known(linked);
  await rig.learn({ directory: linked, now: Date.now() + 1_000 });
  writeFileSync(join(linked, "src/a.ts"), "longer than it was");
  const [first, second] = [await rig.known(), await rig.known(linked)];
  expect([before, first?.stamps, Object.keys(second?.stamps ?? {})]).toEqual([null, {}, ["src/a.ts"]]);
  expect(rig.marks).toEqual([rig.at(".git/index"), rig.at(".git/worktrees/linked/index")]);
});

test("a record that is damaged, of another form or of another worktree is none, and is made anew", async () => {
  using rig = new WorktreeRig();
  small(rig);
  await rig.learnSettled();
  const folder = join(rig.state, ".worktrees");
  const path = join(folder, readdirSync(folder)[0] ?? "");
  const whole = readFileSync(path, "utf8");
  const record = JSON.parse(whole);
  const others: readonly unknown[] = [
    { ...record, v: 0 },
    { ...record, worktree: "/elsewhere" },
    { ...record, directories: [{ ...record.directories[0], times: [] }, { path: 1 }] },
    { ...record, status: null },
    { ...record, status: [1] },
    { ...record, directories: [{ ...record.directories[0], names: [{}], times: [1], sizes: [1] }] },
    [],
    null,
  ];
  for (const text of ["", whole.slice(0, -9), "{}", ...others.map((value) => JSON.stringify(value))]) {
    writeFileSync(path, text);
    expect([text, await rig.known()]).toEqual([text, null]);
    await rig.learnSettled();
    expect(readFileSync(path, "utf8")).toBe(whole);
  }
});

test("records of worktrees where nothing was learned for a week go when another is made", async () => {
  using rig = new WorktreeRig();
  small(rig);
  await rig.learnSettled();
  const linked = join(rig.state, "linked");
  rig.git("worktree", "add", "-q", linked);
  await rig.learn({ directory: linked, now: Date.now() + 6 * 86_400_000 });
  const folder = join(rig.state, ".worktrees");
  const both = readdirSync(folder).length;
  rig.git("worktree", "move", linked, `${linked}-2`);
  await rig.learn({ directory: `${linked}-2`, now: Date.now() + 8 * 86_400_000 });
  expect([both, readdirSync(folder).length]).toEqual([2, 1]);
});
