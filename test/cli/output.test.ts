// What reaches the streams of the program: nothing that moves a terminal, whatever things are called, and an exit code that tells of
// output that was lost.

import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { git, makeRepository } from "../../src/testing/git/real-repository.ts";
import { bash, handoff, plan, type Rule, work, write, writeScript } from "../support/script.ts";
import { bundle, type Ended, eventually, skein } from "../support/skein.ts";
import { type Small, smallTest } from "../support/small-repository.ts";
import { startSwarm } from "../support/swarm.ts";

const test = smallTest.concurrent;
const esc = "\u001b";
const evil = `${esc}[2J${esc}]0;title\u0007\u009b31m`;

const quick: readonly Rule[] = [
  ...plan([{ key: "one" }]),
  ...work("one", write("one.txt", "one\n"), handoff({ message: "Do one" })),
];

/** Characters that a terminal acts upon. */
function commands({ stdout, stderr }: Pick<Ended, "stdout" | "stderr">): readonly string[] {
  return [...`${stdout}${stderr}`].filter((char) => /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/.test(char));
}

test("no control character of any input is put out again", async ({ small: { box } }) => {
  const repository = join(box.root, `repo${evil}'`);
  makeRepository(repository, { [`a${esc}[2J.txt`]: { kind: "file", bytes: "one\n" } });
  git(repository, ["checkout", "--quiet", "-b", "wörk"]);
  mkdirSync(join(box.root, `state${evil}`));
  const env = { SKEIN_STATE_DIR: join(box.root, `state${evil}`) };
  const model = writeScript(join(box.root, "script.json"), [
    ...plan([{ key: "one" }]),
    ...work(
      "one",
      write(`b${esc}[2J.txt`, "two\n"),
      bash(`printf '${evil}'; exit 1`),
      handoff({ message: `Do${evil}` }),
    ),
  ]);
  const goal = `Reach${evil} the goal`;
  const base = ["--repo", repository, "--model", model, "--check", `printf '${evil}'; exit 3`];
  const first = await skein(box, { args: ["swarm", goal, ...base, "--json"], env });
  const { runId, state, repo } = JSON.parse(first.stdout);
  expect([first.exitCode, state, repo]).toEqual([1, "finished", repository]);
  const second = await skein(box, { args: ["swarm", goal, ...base], env });
  expect(second.stdout).toContain(" log --stat ");
  const others = [
    ["runs"],
    ["runs", "--json"],
    ["swarm", "status", runId],
    ["swarm", "status", runId, "--json"],
    ["runs", "prune", "--older-than", "0"],
    ["swarm", "--resume", evil],
    ["swarm", goal, "--model", evil],
    ["swarm", goal, "--repo", join(box.root, evil), "--model", model],
    ["swarm", goal, `--${evil}`],
    ["swarm", goal, "--workers", evil],
    [evil],
    ["run", goal, "--model", model],
    ["demo", "--dir", repository],
    ["doctor"],
  ];
  for (const args of others)
    expect([args, commands(await skein(box, { args, env, cwd: repository }))]).toEqual([args, []]);
  expect([commands(first), commands(second)]).toEqual([[], []]);
});

type FullStream = "stdout" | "stderr";

/** One of its streams leads to where nothing can be written; what the other says. */
async function intoNothing({ box }: Small, args: readonly string[], full: FullStream): Promise<Ended> {
  const device = openSync("/dev/full", "w");
  const [out, error] = full === "stdout" ? [device, "pipe" as const] : ["pipe" as const, device];
  const child = spawn(process.execPath, [bundle, ...args], {
    cwd: box.root,
    env: box.env,
    stdio: ["ignore", out, error],
  });
  closeSync(device);
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      said[name] += text;
    });
  return new Promise((resolve) => child.on("close", (exitCode, signal) => resolve({ exitCode, signal, ...said })));
}

const fullDevice = existsSync("/dev/full") ? test : test.skip;
fullDevice.for([{ flags: ["--json"] }, { flags: [] }])(
  "an output that cannot be written is no success, and the run ends in order: $flags",
  async ({ flags }, { small }) => {
    small.make();
    const model = writeScript(join(small.box.root, "script.json"), quick);
    const args = ["swarm", "Reach the goal", "--repo", small.repository, "--model", model, ...flags];
    const { exitCode, stderr } = await intoNothing(small, args, "stdout");
    expect(exitCode).toBe(1);
    expect(stderr).toContain("skein: the output cannot be written: ");
    const [project = ""] = readdirSync(join(small.box.state, "runs"));
    const runs = readdirSync(join(small.box.state, "runs", project));
    expect(runs).toHaveLength(1);
    const listed = JSON.parse((await skein(small.box, { args: ["runs", "--json"] })).stdout);
    expect(listed[0].state).toBe(flags.length > 0 ? "finished" : listed[0].state);
    expect(["finished", "stopped"]).toContain(listed[0].state);
    expect(listed[0].whatIsLeft.unexportedCommits).toBe(0);
  },
);

fullDevice(
  "progress that cannot be written costs nothing: the answer comes, and the exit code is its own",
  async ({ small }) => {
    const rules: readonly Rule[] = [
      { turn: 1, calls: [bash("echo seen")] },
      { turn: 2, say: "It is so." },
    ];
    const model = writeScript(join(small.box.root, "script.json"), rules);
    const ended = await Promise.all([
      intoNothing(small, ["run", "Look", "--model", model], "stderr"),
      intoNothing(small, ["run", "Look", "--model", model, "--max-turns", "1"], "stderr"),
      intoNothing(small, ["run", "Look", "--model", "no-such"], "stderr"),
      intoNothing(small, ["who"], "stderr"),
    ]);
    expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 1, 2, 0]);
    expect(ended[0]?.stdout).toBe("It is so.\n");
    expect(ended[3]?.stdout).not.toBe("");
  },
);

const proc = existsSync("/proc/self/fdinfo/1") ? test : test.skip;
proc(
  "a run whose standard output is closed says so; one whose output is thrown away by the shell does not",
  async ({ small: { box } }) => {
    const model = writeScript(join(box.root, "script.json"), [{ say: "It is so." }]);
    const run = (redirected: string): Promise<Ended> => {
      const line = `"$@" ${redirected}`;
      const args = ["-c", line, "sh", process.execPath, bundle, "run", "Look", "--model", model];
      const child = spawn("/bin/sh", args, { cwd: box.root, env: box.env, stdio: ["ignore", "pipe", "pipe"] });
      let stderr = "";
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        stderr += text;
      });
      return new Promise((resolve) =>
        child.on("close", (exitCode, signal) => resolve({ exitCode, signal, stdout: "", stderr })),
      );
    };
    const [closed, thrown] = await Promise.all([run(">&-"), run("> /dev/null")]);
    const says = "note: standard output is closed, or thrown away: nobody got the answer\n  what was done is kept";
    expect([closed.exitCode, closed.stderr.includes(says)]).toEqual([0, true]);
    expect([thrown.exitCode, thrown.stderr.includes("standard output")]).toEqual([0, false]);
  },
);

test("a branch that cannot be made is found before anything is made, and one that got in the way is told and made later", async ({
  small,
}) => {
  const { box, repository, make } = small;
  make();
  git(repository, ["branch", "skein"]);
  const refused = await startSwarm(box, { repository, rules: quick }).ended;
  expect([refused.exitCode, JSON.parse(refused.stdout)]).toMatchObject([
    2,
    { error: expect.stringContaining("skein") },
  ]);
  expect(readdirSync(box.state)).toEqual([]);

  git(repository, ["branch", "-D", "skein"]);
  const wait = bash('touch "$HOME/waits"; until test -e "$HOME/go"; do sleep 0.05; done');
  const rules = [
    ...plan([{ key: "one" }]),
    ...work("one", [write("one.txt", "one\n"), wait], handoff({ message: "Do one" })),
  ];
  const running = startSwarm(box, { repository, rules });
  await eventually("the task waits", () => (existsSync(join(box.home, "waits")) ? true : null));
  git(repository, ["branch", "skein"]);
  writeFileSync(join(box.home, "go"), "");
  const ended = await running.ended;
  const json = JSON.parse(ended.stdout);
  const again = `skein swarm --resume ${json.runId}`;
  expect([ended.exitCode, json]).toMatchObject([
    1,
    { state: "finished", branch: null, exportError: expect.stringMatching(/skein/), commits: 1, resume: again },
  ]);
  expect(ended.stderr).not.toContain("no commit landed");
  expect(ended.stderr).toContain(again);

  git(repository, ["branch", "-D", "skein"]);
  const resumed = await skein(box, { args: ["swarm", "--resume", json.runId, "--json"] });
  expect([resumed.exitCode, JSON.parse(resumed.stdout)]).toMatchObject([
    0,
    { branch: `skein/${json.runId}`, exportError: null, resume: null },
  ]);
  expect(git(repository, ["log", "--format=%s", `main..skein/${json.runId}`])).toBe("Do one");
});
