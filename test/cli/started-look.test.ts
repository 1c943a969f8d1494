// What reaches a hook of the git that the launcher starts beside it: the launcher's text, a stand-in for git, and a hook that tells what came.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { syncFiles } from "../../src/adapters/node/sync-files.ts";
import { markLook } from "../../src/clients/launcher-mark.ts";
import { launcherText } from "../../src/clients/launcher-text.ts";
import { hookProgram } from "../support/hooked-agents.ts";

// Whole programs on a machine that may be busy. One that hangs does so for longer.
vi.setConfig({ testTimeout: 90_000 });
const hangS = 600;

const adapter = join(import.meta.dirname, "../../src/adapters/node/started-look.ts");
const onLinux = test.skipIf(process.platform !== "linux");

let root = "";
const at = (...parts: readonly string[]): string => join(root, ...parts);

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skein-look-")));
  for (const folder of ["bin", "work", "data"]) mkdirSync(at(folder));
  const told =
    "out: out.kind === 'whole' ? Buffer.from(out.bytes).toString('latin1') : out.kind, notBefore: look.notBefore(), now";
  writeFileSync(
    at("data", "hook.cjs"),
    `const { startedLook } = require(${JSON.stringify(adapter)});
     const now = Date.now();
     const { env, ppid } = process;
     const look = startedLook({ variable: env.SKEIN_LOOK, directory: process.cwd(), parentPid: ppid, now });
     const tell = (what) => require("node:fs").writeFileSync(process.argv[4], JSON.stringify(what));
     if (look === null) tell(null);
     else if (process.argv[5] === "drop") { look.drop(); tell("dropped"); }
     else look.output().then((out) => { look.drop(); tell({ ${told} }); });`,
  );
  const text = launcherText({ hook: at("data", "hook.cjs"), node: process.execPath });
  writeFileSync(at("data", "skein-hook"), text, { mode: 0o755 });
});

afterEach(() => rmSync(root, { recursive: true }));

interface Told {
  readonly out: string;
  readonly notBefore: number;
  readonly now: number;
}

interface Fired {
  readonly told: Told;
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

function start(git: string | null, words: readonly string[], shell = "/bin/sh", cwd = at("work")): ChildProcess {
  if (git !== null) writeFileSync(at("bin", "git"), `#!/bin/sh\n${git}\n`, { mode: 0o755 });
  return spawn(shell, [at("data", "skein-hook"), "codex", ...words], {
    cwd,
    env: { HOME: root, PATH: git === null ? dirname(process.execPath) : `${at("bin")}:/usr/bin:/bin` },
  });
}

async function fire(git: string | null, more: readonly string[] = [], shell?: string, cwd?: string): Promise<Fired> {
  const child = start(git, ["shell", at("told"), ...more], shell, cwd);
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name]?.on("data", (data) => {
      texts[name] += data;
    });
  child.stdin?.end("{}");
  const [code] = await once(child, "close");
  return { told: JSON.parse(readFileSync(at("told"), "utf8")), ...texts, code };
}

const silent = { stdout: "", stderr: "", code: 0 };
const pids = (): readonly number[] => readFileSync(at("pids"), "utf8").trim().split("\n").map(Number);
const zeros = "printf '%0300000d\\0' 0";

onLinux.for([
  ["nothing", "true", ""],
  ["records", "printf '?? a.txt\\0 M b.txt\\0'", "?? a.txt\0 M b.txt\0"],
  ["a name like the last word", "printf '?? whole\\0'", "?? whole\0"],
  ["a name with lines", "printf '?? a\\nwhole\\0'", "?? a\nwhole\0"],
  ["more than a pipe holds", zeros, `${"0".repeat(300_000)}\0`],
] as const)("P35 git beside Node tells %s, and all of it comes", async ([, git, out]) => {
  const before = Date.now();
  const { told, ...rest } = await fire(git);
  expect([told.out, rest]).toEqual([out, silent]);
  // The launcher's time counts in hundredths of a second, and is told as an earlier one.
  expect(told.notBefore).toBeGreaterThanOrEqual(before - 100);
  expect(told.notBefore).toBeLessThan(told.now);
});

onLinux.for([
  ["fails", "failed", "exit 1"],
  ["fails after half of its words", "failed", "printf '?? half.txt\\0?? made.t'; exit 1"],
  ["is killed in them", "failed", "printf '?? half.txt\\0'; kill -9 $$"],
  ["ends in the middle of a record", "failed", "printf '?? half.txt\\0?? rest'"],
  ["says what no status is", "failed", "printf 'fatal: no'"],
  ["says more than is kept", "given-up", `${zeros}; ${zeros}; ${zeros}; ${zeros}`],
  ["finds no repository", "failed", null],
] as const)("P35 git beside Node that %s has told nothing", async ([, out, git]) => {
  const { told, ...rest } = await fire(git);
  expect([told.out, rest]).toEqual([out, silent]);
});

const shells = ["/bin/sh", "/bin/bash"].filter((path) => existsSync(path));

onLinux.for(shells)("P31 git beside Node that hangs is ended, and holds up nobody (%s)", async (shell) => {
  const hangs = `echo $$ >>'${at("pids")}'; exec sleep ${hangS}`;
  const { told, ...rest } = await fire(hangs, [], shell);
  expect([told.out, rest]).toEqual(["given-up", silent]);
  const dropped = await fire(hangs, ["drop"], shell);
  expect({ ...dropped, told: String(dropped.told) }).toEqual({ ...silent, told: "dropped" });
  for (const pid of pids()) await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"));
});

onLinux.for(shells)("P35 below a mark that is no older than the index no git is started (%s)", async (shell) => {
  const index = at("data", "index");
  const isStarted = async (directory: string): Promise<boolean> => {
    const { told, ...rest } = await fire("true", [], shell, directory);
    expect(rest).toEqual(silent);
    return told !== null;
  };
  const mark = async (directory: string, of: string | null = index): Promise<void> => {
    await markLook(syncFiles, { env: { HOME: root }, directory, index: of, now: Date.now() });
  };
  for (const name of ["plain", " two words*", "100% $HOME", "it's äöü\\\\n"]) {
    const directory = at("work", name);
    mkdirSync(directory);
    await mark(directory);
    expect([name, await isStarted(directory)]).toEqual([name, false]);
  }
  const plain = at("work", "plain");
  writeFileSync(index, "old");
  utimesSync(index, 1, 1);
  const older = await isStarted(plain);
  utimesSync(index, Date.now(), Date.now() / 1000 + 60);
  const younger = await isStarted(plain);
  rmSync(index);
  await mark(plain, null);
  const unmarked = await isStarted(plain);
  expect({ older, younger, unmarked }).toEqual({ older: false, younger: true, unmarked: true });
  // Two directories of one mark's name, one with a line's end in its name, and one with too long a name.
  for (const name of ["a%b", "a/b", "line\nend", `${"long/".repeat(60)}end`])
    mkdirSync(at("work", name), { recursive: true });
  await mark(at("work", "a/b"));
  expect([await isStarted(at("work", "a%b")), await isStarted(at("work", "a/b"))]).toEqual([true, false]);
  for (const name of ["line\nend", `${"long/".repeat(60)}end`]) {
    await mark(at("work", name));
    expect(await isStarted(at("work", name))).toBe(true);
  }
});

onLinux("a mark is made where the person's caches are, and nowhere else", async () => {
  const mark = (env: Readonly<Record<string, string>>) =>
    markLook(syncFiles, { env, directory: "/a", index: "/index", now: Date.now() });
  for (const env of [
    {},
    { HOME: "" },
    { HOME: "data" },
    { HOME: at("nowhere") },
    { HOME: root, XDG_CACHE_HOME: "data" },
  ])
    await mark(env);
  expect(readdirSync(root).sort()).toEqual(["bin", "data", "work"]);
  expect(readdirSync(at("data")).sort()).toEqual(["hook.cjs", "skein-hook"]);
  await mark({ HOME: root });
  await mark({ HOME: root, XDG_CACHE_HOME: at("data") });
  expect([at(".cache"), at("data")].map((path) => readdirSync(join(path, "skein/looks")))).toEqual([["%a"], ["%a"]]);
});

onLinux("marks that nobody has renewed for a month go when another is made", async () => {
  const now = Date.now();
  const caches = at("data");
  const mark = (name: string, then: number) =>
    markLook(syncFiles, { env: { XDG_CACHE_HOME: caches }, directory: `/${name}`, index: "/index", now: then });
  await mark("first", now);
  await mark("second", now + 29 * 86_400_000);
  const kept = readdirSync(join(caches, "skein/looks"));
  await mark("third", now + 31 * 86_400_000);
  expect([kept, readdirSync(join(caches, "skein/looks"))]).toEqual([["%first", "%second"], ["%third"]]);
});

onLinux(
  "P31 a client that closes the input gets nothing of it, and a hook that cannot go on ends git, too",
  async () => {
    const hangs = `echo $$ >>'${at("pids")}'; exec sleep ${hangS}`;
    writeFileSync(at("bin", "git"), `#!/bin/sh\n${hangs}\n`, { mode: 0o755 });
    const env = { HOME: root, PATH: `${at("bin")}:/usr/bin:/bin` };
    const closed = `exec '${at("data", "skein-hook")}' codex shell '${at("told")}' <&-`;
    const ends: unknown[] = [];
    const fired = async (argv: readonly [string, ...string[]], input: string | null): Promise<void> => {
      const child = spawn(argv[0], argv.slice(1), { cwd: at("work"), env });
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (data) => {
          output += data;
        });
      // Who cannot go on does not read it.
      child.stdin.on("error", () => {});
      child.stdin.end(input ?? "");
      const [code] = await once(child, "close");
      ends.push([code, output]);
    };
    await fired(["/bin/sh", "-c", closed], null);
    writeFileSync(at("data", "skein-hook"), launcherText({ hook: hookProgram, node: process.execPath }), {
      mode: 0o755,
    });
    await fired([at("data", "skein-hook"), "claude-code", "shell"], "no JSON");
    await fired([at("data", "skein-hook"), "nobody", "shell"], "{}");
    expect(ends).toEqual([
      [0, ""],
      [0, ""],
      [0, ""],
    ]);
    for (const pid of pids()) await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"));
  },
);

onLinux("a hook that is no child of the launcher that the variable names has no look", async () => {
  const env = { HOME: root, PATH: "/usr/bin:/bin", SKEIN_LOOK: `4:${process.ppid}` };
  const child = spawn(process.execPath, [at("data", "hook.cjs"), "codex", "shell", at("told")], {
    env,
    stdio: "ignore",
  });
  await once(child, "close");
  expect(readFileSync(at("told"), "utf8")).toBe("null");
});
