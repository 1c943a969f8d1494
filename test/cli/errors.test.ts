// What a person reads when a command cannot begin: the reason and the next step on stderr, exit code 2, and nothing made anywhere.

import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { git, makeRepository } from "../../src/testing/git/real-repository.ts";
import { hasSandbox, type Sandbox, sandbox } from "../support/sandbox.ts";
import { handoff, plan, work, write, writeScript } from "../support/script.ts";
import { type Ended, lastJson, packageRoot, type SkeinOptions, skein } from "../support/skein.ts";
import { readStore } from "../support/store.ts";

let box: Sandbox;
let repository: string;
let model: string;

beforeAll(() => {
  box = sandbox();
  repository = join(box.root, "repository");
  makeRepository(repository, { "a.txt": { kind: "file", bytes: "one\n" } });
  for (const name of ["plain", "empty", "plain/sub"]) mkdirSync(join(box.root, name));
  git(join(box.root, "empty"), ["init", "--quiet"]);
  writeFileSync(join(box.root, "file"), "");
  writeFileSync(join(box.root, "no-answer.yaml"), "rules:\n  - {turn: 1, say: fine}\n  - {turn: 2}\n");
  writeFileSync(join(box.root, "odd-field.yaml"), "rules:\n  - {turn: 1, say: fine, color: red}\n");
  writeFileSync(join(box.root, "wrong-type.yaml"), "rules:\n  - {calls: [{input: {}}]}\n");
  writeFileSync(join(box.root, "no-yaml.yaml"), "rules: [\n");
  model = writeScript(join(box.root, "script.json"), [
    ...plan([{ key: "one" }]),
    ...work("one", write("b.txt", "two\n"), handoff()),
  ]);
});

afterAll(() => box[Symbol.dispose]());

let before: object;
beforeEach(() => {
  before = everything();
});

/** All that a command could have made or changed. */
function everything(): object {
  return {
    state: readdirSync(box.state),
    temporary: readdirSync(box.temporary),
    home: readdirSync(box.home),
    root: readdirSync(box.root),
    repository: readdirSync(repository),
    // A reference is made by renaming a file into its directory, and the index likewise.
    git: ["", "refs", "refs/heads"].map((name) => statSync(join(repository, ".git", name)).mtimeMs),
  };
}

interface Case extends SkeinOptions {
  /** Where the command is started, below the sandbox. */
  readonly at?: string;
  readonly says: readonly (string | RegExp)[];
}

const swarmHere = (...more: string[]): string[] => ["swarm", "the goal", ...more];
/** `SCRIPT` stands for a model that works. */
const withModel = (...more: string[]): string[] => swarmHere("--model", "SCRIPT", ...more);

const cases: Readonly<Record<string, Case>> = {
  "not a git repository": { args: withModel(), at: "plain", says: ["/plain is not in a git repository", "git init"] },
  "not a git repository, named": {
    args: withModel("--repo", "../plain"),
    at: "repository",
    says: ["not in a git repository"],
  },
  "an empty repository": { args: withModel(), at: "empty", says: ["/empty has no commit yet", "git commit"] },
  "an empty goal": { args: ["swarm", "", "--model", "SCRIPT"], says: ["the goal is empty"] },
  "a goal of blanks": { args: ["swarm", " \n\t", "--model", "SCRIPT"], says: ["the goal is empty"] },
  "--workers 0": { args: withModel("--workers", "0"), says: ["--workers 0", "from 1 to 1000"] },
  "--workers -3": { args: withModel("--workers=-3"), says: ["--workers -3", "from 1 to 1000"] },
  "--workers 1001": { args: withModel("--workers", "1001"), says: ["--workers 1001", "from 1 to 1000"] },
  "--workers x": { args: withModel("--workers", "x"), says: ["--workers", "'x'", "whole number"] },
  "--workers 2.5": { args: withModel("--workers", "2.5"), says: ["--workers", "'2.5'", "whole number"] },
  "--max-requests 0": { args: withModel("--max-requests", "0"), says: ["--max-requests 0", "from 1"] },
  "runs older than -1 days": {
    args: ["runs", "prune", "--yes", "--older-than", "-1"],
    says: ["--older-than", "'-1'", "from 0 to 36500"],
  },
  "--requests-per-minute beyond what can be kept": {
    args: withModel("--requests-per-minute", "999999999"),
    says: ["--requests-per-minute 999999999", "from 1 to 1000000"],
  },
  "no model": { args: swarmHere(), says: ["--model", "--planner", "--worker", "--arbiter", "SKEIN_MODEL"] },
  "no model for a role": {
    args: swarmHere("--worker", "SCRIPT"),
    says: [/no model was named for: planner\n/, "--planner", "SKEIN_MODEL"],
  },
  "a model of unknown kind": { args: swarmHere("--model", "oracle:9"), says: ["oracle:9", "script:<file>"] },
  "a model of unknown kind in SKEIN_MODEL": {
    args: swarmHere(),
    env: { SKEIN_MODEL: "oracle:9" },
    says: ["oracle:9", "script:<file>"],
  },
  "a script that is missing": {
    args: swarmHere("--model", "script:../gone.yaml"),
    says: ["gone.yaml", "no such file"],
  },
  "a script without an answer": {
    args: swarmHere("--model", "script:../no-answer.yaml"),
    says: ["no-answer.yaml", "rule 2", "say, calls or error"],
  },
  "a script with an unknown field": {
    args: swarmHere("--model", "script:../odd-field.yaml"),
    says: ["odd-field.yaml", "rule 1", "color"],
  },
  "a script with a wrong type": {
    args: swarmHere("--model", "script:../wrong-type.yaml"),
    says: ["wrong-type.yaml", "rule 1 calls[0].tool", "expected string"],
  },
  "a script that is no YAML": { args: swarmHere("--model", "script:../no-yaml.yaml"), says: ["no-yaml.yaml", "YAML"] },
  "a flag nobody knows": { args: withModel("--frobnicate"), says: ["--frobnicate", "--help"] },
  "a command nobody knows": { args: ["frobnicate"], says: ["frobnicate", "--help"] },
  "a goal in two words": {
    args: ["swarm", "the", "goal", "--model", "SCRIPT"],
    says: ["Expected 1 argument", "--help"],
  },
  "no goal": { args: ["swarm"], says: ["goal", "--help"] },
  "a repository that is not there": { args: withModel("--repo", "gone/away"), says: ["gone/away", "no such file"] },
  "a relative state directory": {
    args: withModel(),
    env: { SKEIN_STATE_DIR: "state/here" },
    says: ["SKEIN_STATE_DIR", "absolute", "state/here"],
  },
  "a repository that is a file": { args: withModel("--repo", "../file"), says: ["file", "not a directory"] },
  "a repository without a name": { args: withModel("--repo", ""), says: ["--repo"] },
  "an empty check": { args: withModel("--check", ""), says: ["--check"] },
  "a check of blanks": { args: withModel("--check", "  "), says: ["--check"] },
  "a state directory that is a file": {
    args: withModel(),
    env: { SKEIN_STATE_DIR: "/dev/null" },
    says: ["/dev/null", "not a directory", "SKEIN_STATE_DIR"],
  },
  "a state directory below a file": {
    args: ["demo"],
    env: { SKEIN_STATE_DIR: "/dev/null/state" },
    says: ["/dev/null", "not a directory"],
  },
  "a temporary directory that is missing": {
    args: withModel(),
    env: { TMPDIR: "/no/such/place" },
    says: ["/no/such/place", "does not exist", "TMPDIR"],
  },
  "a relative temporary directory": { args: withModel(), env: { TMPDIR: "plain" }, says: ["absolute", "TMPDIR"] },
  "a temporary directory too long for a socket": {
    args: ["demo"],
    env: { TMPDIR: `/${"x".repeat(100)}` },
    says: ["bytes", "TMPDIR"],
  },
  "demo in a directory that exists": { args: ["demo", "--dir", "../plain"], says: ["plain exists already", "--dir"] },
  "demo where no state can be kept": {
    args: ["demo"],
    env: { SKEIN_STATE_DIR: "/proc/no/such/place" },
    says: ["/proc"],
  },
  "demo with --workers 0": { args: ["demo", "--workers", "0"], says: ["--workers 0"] },
  "demo in a relative state directory": {
    args: ["demo"],
    env: { SKEIN_STATE_DIR: "state/here" },
    says: ["SKEIN_STATE_DIR"],
  },
  "run with an empty task": { args: ["run", "  ", "--model", "SCRIPT"], says: ["the task is empty"] },
  "run without a model": { args: ["run", "the task"], says: ["--model", "SKEIN_MODEL"] },
  "run with --max-turns 0": {
    args: ["run", "the task", "--model", "SCRIPT", "--max-turns", "0"],
    says: ["--max-turns 0"],
  },
};

describe.concurrent("a command that cannot begin says why and what to do, and makes nothing:", () => {
  test.each(Object.entries(cases))("%s", async (_name, wrong) => {
    const { stdout, stderr, exitCode } = await start({ ...wrong, args: [...wrong.args, "--json"] });
    expect(exitCode).toBe(2);
    expect(stdout.split("\n")).toHaveLength(2);
    const { error, next, ...rest } = JSON.parse(stdout);
    expect({ error, next, ...rest }).toEqual({
      error: expect.stringMatching(/./),
      next: expect.stringMatching(/./),
      exitCode: 2,
    });
    for (const text of wrong.says) expect(stderr).toMatch(text instanceof RegExp ? text : literally(text));
    // A person is not shown our stack.
    expect(stderr).not.toMatch(/\n\s+at .*:\d+:\d+/);
    expect(everything()).toEqual(before);
  });

  const plainCases = ["not a git repository", "no model", "--workers x", "a flag nobody knows"];
  test.each(plainCases)("%s: without --json nothing is on stdout", async (name) => {
    const { stdout, stderr, exitCode } = await start(cases[name] ?? { args: [] });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    for (const text of cases[name]?.says ?? []) expect(stderr).toMatch(text instanceof RegExp ? text : literally(text));
  });
});

test("no arguments: the help is on stderr", async () => {
  const { stdout, stderr, exitCode } = await start({ args: [] });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toMatch(/^Usage: skein[\s\S]*\$ skein demo/);
});

describe("a state directory that cannot be used", () => {
  test.each([
    ["is below a file", () => join(box.root, "file", "state")],
    ["is a file", () => join(box.root, "file")],
    ["cannot be made there", () => "/proc/no/such/place"],
  ])("%s: it is named, and the repository is as it was", async (_name, place) => {
    const { stdout, stderr, exitCode } = await start({ args: withModel(), env: { SKEIN_STATE_DIR: place() } });
    expect([1, 2]).toContain(exitCode);
    expect(stdout).toBe("");
    expect(stderr).toContain(place());
    expect(everything()).toEqual(before);
  });
});

function start({ at = "repository", args, env = {} }: Case | Omit<Case, "says">): Promise<Ended> {
  const named = args.map((arg) => (arg === "SCRIPT" ? model : arg));
  return skein(box, { args: named, cwd: join(box.root, at), env });
}

function literally(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
}

test("a dirty work tree is left alone: the run goes on from HEAD and says so", async () => {
  const dirty = join(box.root, "dirty");
  makeRepository(dirty, { "a.txt": { kind: "file", bytes: "one\n" }, "c.txt": { kind: "file", bytes: "c\n" } });
  writeFileSync(join(dirty, "a.txt"), "changed\n");
  writeFileSync(join(dirty, "new.txt"), "untracked\n");
  writeFileSync(join(dirty, "c.txt"), "staged\n");
  git(dirty, ["add", "c.txt"]);
  const status = git(dirty, ["status", "--porcelain"]);

  const ended = await skein(box, {
    args: [...withModel("--json").map((arg) => (arg === "SCRIPT" ? model : arg))],
    cwd: dirty,
  });
  const json = lastJson(ended);
  expect(ended.exitCode).toBe(0);
  expect(ended.stderr).toContain("3 uncommitted paths are left alone: the run goes on from HEAD");
  expect(git(dirty, ["status", "--porcelain"])).toBe(status);
  expect(git(dirty, ["ls-tree", "-r", "--name-only", String(json.branch)])).toBe("a.txt\nb.txt\nc.txt");
  expect(git(dirty, ["show", `${json.branch}:a.txt`])).toBe("one");
  expect(git(dirty, ["show", `${json.branch}:c.txt`])).toBe("c");
  const [started] = (await readStore(String(json.store))).all("run_started");
  expect(started?.dirty_paths).toBe(3);
});

describe.concurrent("help", () => {
  test.each([["--help"], ["swarm --help"], ["run --help"], ["demo --help"], ["doctor --help"], ["help swarm"]])(
    "skein %s ends with 0 and has an example",
    async (line) => {
      const { stdout, stderr, exitCode } = await skein(box, { args: line.split(" ") });
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(stdout).toMatch(/Example:\n {2}\$ skein \w/);
    },
  );

  test("--version is the package's", async () => {
    const { default: manifest } = await import(join(packageRoot, "package.json"), { with: { type: "json" } });
    const { stdout, exitCode } = await skein(box, { args: ["--version"] });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: `${manifest.version}\n` });
  });
});

test("doctor finds what this machine has", async () => {
  const { stdout, exitCode } = await skein(box, { args: ["doctor", "--json"] });
  const { findings } = JSON.parse(stdout);
  expect(exitCode).toBe(0);
  const names = findings.map(({ name }: { name: string }) => name);
  expect(names).toEqual(["node", "git", "bash", "ripgrep", "state directory", "unix sockets", "workspaces", "sandbox"]);
  expect(findings.filter(({ state }: { state: string }) => state === "missing")).toEqual([]);
  // Also where the temporary directory, in which it is tried, is one that the sandbox has of its own.
  const elsewhere = await skein(box, { args: ["doctor", "--json"], env: { TMPDIR: "/tmp" } });
  const states = [stdout, elsewhere.stdout].map((text) => JSON.parse(text).findings.at(-1).state);
  expect(states).toEqual(hasSandbox ? ["ok", "ok"] : ["absent", "absent"]);
  expect({
    state: readdirSync(box.state).filter((name) => !["runs", "presence"].includes(name)),
    temporary: readdirSync(box.temporary),
  }).toEqual({
    state: [],
    temporary: [],
  });
});
