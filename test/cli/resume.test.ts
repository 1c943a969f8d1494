// Runs that end before their goal and go on: stopped by a person, by a limit, by a crash; with a repository that moved, a branch that
// somebody is on, a coordinator that still lives.

import { execFile } from "node:child_process";
import { existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { git, makeRepository } from "../../src/testing/git/real-repository.ts";
import { KEY, serveRules, writeUserConfig } from "../support/provider.ts";
import { processesIn } from "../support/sandbox.ts";
import { bash, call, handoff, plan, type Rule, work, write, writeScript } from "../support/script.ts";
import { bundle, type Ended, eventually, lastJson, skein } from "../support/skein.ts";
import { type Small, smallTest } from "../support/small-repository.ts";
import { landed, outcomeOf, type SwarmOutcome, startSwarm } from "../support/swarm.ts";

const test = smallTest.concurrent;

const wait = bash('touch "$HOME/waits"; until test -e "$HOME/go"; do sleep 0.05; done; echo it went on');

/** `first` lands; `second` lands a step, waits in a command for the test, and ends. */
const waiting: readonly Rule[] = [
  ...plan([{ key: "first" }, { key: "second", after: ["first"] }]),
  ...work("first", write("first.txt", "first\n"), handoff({ message: "Do first" })),
  ...work(
    "second",
    [write("step.txt", "step\n"), call("commit", { message: "Do a step" })],
    [write("half.txt", "half\n"), wait],
    handoff({ message: "Do second" }),
  ),
];
const whole = ["Do first [first]", "Do a step [second]", "Do second [second]"];

async function startWaiting({ box, repository }: Small, flags: readonly string[] = []) {
  const running = startSwarm(box, { repository, rules: waiting, flags });
  await eventually("the second task waits", () => (existsSync(join(box.home, "waits")) ? true : null));
  return running;
}

const go = ({ box }: Small): void => writeFileSync(join(box.home, "go"), "");

function resume({ box }: Small, json: Readonly<Record<string, unknown>>, args: readonly string[] = []): Promise<Ended> {
  return skein(box, { args: ["swarm", "--resume", String(json.runId), "--json", ...args] });
}

/** Every request is in the bill once, and no task landed twice. */
function nothingTwice({ store }: SwarmOutcome): void {
  const asked = store.all("model_request").map(({ agent, turn }) => `${agent} ${turn}`);
  expect(asked.length).toBe(new Set(asked).size);
  const done = store.all("task_done").map(({ task }) => task);
  expect(done.length).toBe(new Set(done).size);
}

/** A run that was stopped by one Ctrl-C while `second` waited. */
async function stopped(small: Small, flags: readonly string[] = []): Promise<SwarmOutcome> {
  const running = await startWaiting(small, flags);
  running.kill("SIGINT");
  await eventually("it says that it stops", () => (running.stderr().includes("Ctrl-C once more") ? true : null));
  go(small);
  return outcomeOf(await running.ended);
}

test("Ctrl-C once: the current call is finished, what landed is exported, and the run goes on from there, its flags as before", async ({
  small,
}) => {
  small.make();
  const first = await stopped(small, ["--sandbox", "off"]);
  expect(first.ended.exitCode).toBe(130);
  expect(first.json).toMatchObject({
    state: "stopped",
    tasks: { done: 1, failed: 0, dropped: 0, open: 1 },
    resume: `skein swarm --resume ${first.json.runId}`,
  });
  expect(first.ended.stderr).toContain(`skein swarm --resume ${first.json.runId}`);
  expect(landed(small.repository, first)).toEqual(whole.slice(0, 2));
  expect(processesIn(small.box)).toEqual([]);

  const second = await outcomeOf(await resume(small, first.json));
  expect(second.ended.exitCode, second.ended.stderr).toBe(0);
  expect(second.ended.stderr).toContain("shell commands are not sandboxed, as you wanted");
  expect(second.json).toMatchObject({
    runId: first.json.runId,
    state: "finished",
    branch: first.json.branch,
    base: first.json.base,
    commits: 3,
    resume: null,
  });
  expect(landed(small.repository, second)).toEqual(whole);
  expect(git(small.repository, ["show", `${second.json.branch}:half.txt`])).toBe("half");
  nothingTwice(second);
});

test("Ctrl-C twice: nothing is waited for, what landed is exported, and the run goes on all the same", async ({
  small,
}) => {
  small.make();
  const running = await startWaiting(small);
  running.kill("SIGINT");
  await eventually("it says that it stops", () => (running.stderr().includes("Ctrl-C once more") ? true : null));
  running.kill("SIGINT");
  const first = await outcomeOf(await running.ended);
  expect([first.ended.exitCode, first.json.state]).toEqual([130, "stopped"]);
  expect(landed(small.repository, first)).toEqual(whole.slice(0, 2));
  expect(processesIn(small.box)).toEqual([]);
  go(small);
  const second = await outcomeOf(await resume(small, first.json));
  expect(second.ended.exitCode, second.ended.stderr).toBe(0);
  expect(landed(small.repository, second)).toEqual(whole);
  nothingTwice(second);
});

test("S12: a coordinator that was killed with -9 is followed by another, which loses and repeats nothing", async ({
  small,
}) => {
  small.make();
  const running = await startWaiting(small);
  running.kill("SIGKILL");
  await running.ended;
  go(small);
  await eventually("its processes end", () => (processesIn(small.box).length === 0 ? true : null));
  const [listed] = JSON.parse((await skein(small.box, { args: ["runs", "--json"] })).stdout);
  expect(listed).toMatchObject({
    goal: "Reach the goal",
    state: "interrupted",
    repo: small.repository,
    branch: null,
    whatIsLeft: { openTasks: 2, unexportedCommits: 2, keptWorkspaces: 1, resumable: true },
  });
  const second = await outcomeOf(await resume(small, listed));
  expect(second.ended.exitCode, second.ended.stderr).toBe(0);
  expect(landed(small.repository, second)).toEqual(whole);
  nothingTwice(second);
});

test("a run that is over is shown again, as it ended, even where its repository has gone", async ({ small }) => {
  small.make();
  go(small);
  const first = await outcomeOf(await (await startWaiting(small)).ended);
  expect(first.ended.exitCode).toBe(0);
  renameSync(small.repository, `${small.repository}-away`);
  const again = await resume(small, first.json);
  expect([again.exitCode, lastJson(again)]).toEqual([0, first.json]);
});

test("a repository that moved is asked for, and the run goes on in its new place", async ({ small }) => {
  small.make();
  const first = await stopped(small);
  const moved = join(small.box.root, "moved here");
  renameSync(small.repository, moved);
  const lost = await resume(small, first.json);
  expect(lost.exitCode).toBe(2);
  expect(lost.stderr).toContain(`the repository of ${first.json.runId} is not at ${small.repository}`);
  expect(lost.stderr).toContain(`everything that landed is kept in ${first.json.store}`);
  expect(lost.stderr).toContain(`skein swarm --resume ${first.json.runId} --repo <where it is now>`);

  const other = join(small.box.root, "other");
  makeRepository(other, { "b.txt": { kind: "file", bytes: "another\n" } });
  const wrong = await resume(small, first.json, ["--repo", other]);
  expect(wrong.exitCode).toBe(2);
  expect(wrong.stderr).toContain(`does not have the commit ${first.json.base}`);

  const second = await outcomeOf(await resume(small, first.json, ["--repo", moved]));
  expect(second.ended.exitCode, second.ended.stderr).toBe(0);
  expect([second.json.repo, landed(moved, second)]).toEqual([moved, whole]);
});

test("a run whose coordinator lives is not taken over", async ({ small }) => {
  small.make();
  const running = await startWaiting(small);
  const [listed] = JSON.parse((await skein(small.box, { args: ["runs", "--json"] })).stdout);
  const refused = await resume(small, listed);
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain(`another coordinator owns the store of ${listed.runId}: process ${running.pid}`);
  expect(refused.stderr).toContain(`skein swarm stop ${listed.runId}`);
  go(small);
  expect((await running.ended).exitCode).toBe(0);
});

test("a branch that the person is on stays theirs: the run's new work gets another", async ({ small }) => {
  small.make();
  const first = await stopped(small);
  git(small.repository, ["switch", "--quiet", String(first.json.branch)]);
  const second = await outcomeOf(await resume(small, first.json));
  expect(second.ended.exitCode, second.ended.stderr).toBe(0);
  expect(second.json.branch).toBe(`${first.json.branch}-2`);
  expect(landed(small.repository, second)).toEqual(whole);
  expect(git(small.repository, ["rev-list", "--count", `${first.json.base}..${first.json.branch}`])).toBe("2");
  expect(git(small.repository, ["status", "--porcelain"])).toBe("");
});

test("S17: a budget ends the run under it with what landed exported, holds when it goes on, and can be raised", async ({
  small,
}) => {
  small.make();
  const keys = ["a", "b", "c"];
  await using server = await serveRules([
    ...plan(keys.map((key, index) => ({ key, after: keys.slice(0, index) }))),
    ...keys.flatMap((key) => work(key, write(`${key}.txt`, `${key}\n`), handoff({ message: `Do ${key}` }))),
  ]);
  // A dollar a request: 400 cached and 600 fresh tokens at $800, 50 of output at $4,000 a million. What a request can cost at the
  // most is a token for each byte that is sent, so that much room is needed beside what is spent.
  const price = { input: 800, output: 4_000 };
  writeUserConfig(small.box, {
    prices: { "openai-chat/test-model": price },
    roles: { planner: { maxOutputTokens: 100 }, worker: { maxOutputTokens: 100 } },
  });
  const flags = ["--model", "openai-chat/test-model", "--base-url", server.url, "--workers", "1"];
  const env = { OPENAI_API_KEY: KEY };
  const run = (args: readonly string[]) => skein(small.box, { args: ["swarm", ...args, "--json"], env });
  const first = await outcomeOf(await run(["Reach the goal", "--repo", small.repository, ...flags, "--budget", "12"]));
  expect(first.ended.exitCode).toBe(1);
  expect(first.json).toMatchObject({ state: "stopped", budgetUsd: 12 });
  expect(first.json.reason).toMatch(/^the budget of \$12 has /);
  const spent = Number(first.json.spentUsd);
  expect(spent).toBe(server.requests.length);
  expect(spent).toBeGreaterThan(2);
  expect(spent).toBeLessThanOrEqual(12);
  expect(first.ended.stderr).toContain("use a larger --budget");
  expect(landed(small.repository, first)).not.toEqual([]);

  const same = await outcomeOf(await run(["--resume", String(first.json.runId)]));
  expect(same.json).toMatchObject({ state: "stopped", budgetUsd: 12, spentUsd: spent });
  expect(server.requests.length).toBe(spent);

  const more = await outcomeOf(await run(["--resume", String(first.json.runId), "--budget", "500"]));
  expect(more.ended.exitCode, more.ended.stderr).toBe(0);
  expect(landed(small.repository, more)).toEqual(keys.map((key) => `Do ${key} [${key}]`));
  expect(more.json).toMatchObject({ budgetUsd: 500, spentUsd: 9 });
  nothingTwice(more);
});

test("S21: a disk that takes nothing more ends the run, with what had landed exported, and it goes on once there is room", async ({
  small,
}) => {
  small.make();
  const line = `${"x".repeat(99)}\n`;
  const rules = [
    ...plan([{ key: "first" }, { key: "second", after: ["first"] }]),
    ...work("first", write("first.txt", "first\n"), handoff({ message: "Do first" })),
    ...work("second", write("large.txt", line.repeat(600)), handoff({ message: "Do second" })),
  ];
  const model = writeScript(join(small.box.root, "script.json"), rules);
  // No file may grow beyond 64 KiB: the log has no room for the second commit.
  const limited = ["-c", 'ulimit -f 64; exec "$@"', "bash", process.execPath, bundle];
  const args = ["swarm", "Reach the goal", "--repo", small.repository, "--model", model, "--json"];
  const first = await outcomeOf(await ended("bash", [...limited, ...args], small));
  expect(first.ended.exitCode).toBe(1);
  expect(first.json).toMatchObject({
    state: "stopped",
    reason: expect.stringMatching(/^the (disk is full|store stopped)/),
    commits: 1,
    resume: `skein swarm --resume ${first.json.runId}`,
  });
  expect(first.ended.stderr).toMatch(
    /next {7}see what is wrong with the disk that holds the run\n {2}go on {6}skein swarm --resume /,
  );
  expect(landed(small.repository, first)).toEqual(["Do first [first]"]);

  const second = await outcomeOf(await resume(small, first.json));
  expect(second.ended.exitCode, second.ended.stderr).toBe(0);
  expect(landed(small.repository, second)).toEqual(["Do first [first]", "Do second [second]"]);
});

function ended(program: string, args: readonly string[], { box }: Small): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(program, [...args], { cwd: box.root, env: box.env }, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : Number(error.code);
      resolve({ exitCode, signal: null, stdout, stderr });
    });
  });
}
