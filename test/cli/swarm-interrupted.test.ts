// Runs that are stopped from outside, or lose one of their processes: what landed stays, nothing goes on in the dark.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { git } from "../../src/testing/git/real-repository.ts";
import { processesIn } from "../support/sandbox.ts";
import { bash, call, handoff, plan, type Rule, work, write } from "../support/script.ts";
import { eventually, skein, startSkein } from "../support/skein.ts";
import { type Small, smallTest } from "../support/small-repository.ts";
import { readStore } from "../support/store.ts";
import { landed, outcomeOf, ownersView, startSwarm } from "../support/swarm.ts";

const test = smallTest.concurrent;

/** `first` lands; then `second` lands a step, leaves half a file and starts a command that does not end by itself. */
const hanging: readonly Rule[] = [
  ...plan([{ key: "first" }, { key: "second", after: ["first"] }]),
  ...work("first", write("first.txt", "first\n"), handoff({ message: "Do first" })),
  ...work(
    "second",
    [write("step.txt", "step\n"), call("commit", { message: "Do a step" })],
    [
      write("half.txt", "half\n"),
      bash('touch "$HOME/hangs"; sleep 300 & until test -e "$HOME/go"; do sleep 0.05; done'),
    ],
  ),
];

async function startHanging({ box, repository }: Small, flags: readonly string[] = []) {
  const running = startSwarm(box, { repository, rules: hanging, flags });
  await eventually("the second task hangs", () => (existsSync(join(box.home, "hangs")) ? true : null));
  return running;
}

async function nobodyLeft({ box }: Small): Promise<void> {
  await eventually("all processes end", () => (processesIn(box).length === 0 ? true : null));
}

test.for(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "%s: what landed is on the branch, unfinished work is kept, exit 130",
  async (signal, { small }) => {
    const { box, repository, make } = small;
    make();
    const before = ownersView(repository);
    const running = await startHanging(small, ["--check", "sleep 300"]);
    running.kill(signal);
    await eventually("it says that it stops", () => (running.stderr().includes("Ctrl-C once more") ? true : null));
    writeFileSync(join(box.home, "go"), "");
    const outcome = await outcomeOf(await running.ended);
    expect(processesIn(box)).toEqual([]);
    expect(outcome.ended.exitCode).toBe(130);
    expect(outcome.json).toMatchObject({
      state: "stopped",
      checkPassed: "unavailable",
      commits: 2,
      tasks: { done: 1, failed: 0, dropped: 0, open: 1 },
    });
    expect(landed(repository, outcome)).toEqual(["Do first [first]", "Do a step [second]"]);
    expect(ownersView(repository)).toEqual(before);
    expect(readdirSync(box.temporary)).toEqual([]);
    const workspaces = join(String(outcome.json.store), "workspaces");
    const kept = readdirSync(workspaces).map((name) => findHalf(join(workspaces, name)));
    expect(kept.filter((text) => text !== null)).toEqual(["half\n"]);
    // The transcripts are closed and named, those of interrupted agents too.
    const named = outcome.store
      .all("agent_ended")
      .map(({ agent, transcript }) => [`${agent}.jsonl`, transcript?.bytes]);
    const agents = join(String(outcome.json.store), "agents");
    const onDisk = readdirSync(agents).filter((name) => name.endsWith(".jsonl"));
    expect(new Map(named as [string, number][])).toEqual(
      new Map(onDisk.map((name) => [name, readFileSync(join(agents, name)).byteLength])),
    );
  },
);

/** The unfinished file wherever a workspace keeps its tree. */
function findHalf(directory: string): string | null {
  const name = readdirSync(directory, { recursive: true, encoding: "utf8" }).find(
    (path) => path.split("/").at(-1) === "half.txt",
  );
  return name === undefined ? null : readFileSync(join(directory, name), "utf8");
}

test("who is stopped in the project's check, by Ctrl-C or from another terminal, has its branch and checks when it is resumed", async ({
  small,
}) => {
  const { box, repository, make } = small;
  make();
  const rules = [
    ...plan([{ key: "first" }]),
    ...work("first", write("first.txt", "first\n"), handoff({ message: "Do first" })),
  ];
  const check = 'touch "$HOME/checks"; test -e "$HOME/passes" || sleep 300';
  const checking = async () => {
    await eventually("the check runs", () => (existsSync(join(box.home, "checks")) ? true : null));
    rmSync(join(box.home, "checks"));
  };
  const running = startSwarm(box, { repository, rules, flags: ["--check", check] });
  await checking();
  running.kill("SIGINT");
  const first = await outcomeOf(await running.ended);
  const resume = ["swarm", "--resume", String(first.json.runId), "--json"];
  const stopped = {
    state: "stopped",
    checkPassed: "unavailable",
    commits: 1,
    tasks: { done: 1, failed: 0, dropped: 0, open: 0 },
    resume: `skein swarm --resume ${first.json.runId}`,
  };
  const reason = (why: string) => `${why}, before its final check was through`;
  expect([first.ended.exitCode, first.json]).toMatchObject([
    130,
    { ...stopped, reason: reason("stopped by the person who started it") },
  ]);
  expect(landed(repository, first)).toEqual(["Do first [first]"]);
  const model = startSkein(box, { args: resume });
  await checking();
  const told = await skein(box, { args: ["swarm", "stop", String(first.json.runId), "--json"] });
  expect([told.exitCode, JSON.parse(told.stdout)]).toEqual([0, { runId: first.json.runId, stopping: true }]);
  const second = await outcomeOf(await model.ended);
  expect([second.ended.exitCode, second.json]).toMatchObject([
    1,
    { ...stopped, reason: reason("stopped by skein swarm stop") },
  ]);
  writeFileSync(join(box.home, "passes"), "");
  const third = await outcomeOf(await skein(box, { args: resume }));
  expect([third.ended.exitCode, third.json]).toMatchObject([
    0,
    { state: "finished", reason: "the goal's planner handed off", checkPassed: true, commits: 1, resume: null },
  ]);
  expect(third.json.wallMs).toBe(first.json.wallMs);
  await nobodyLeft(small);
});

test("skein swarm stop reaches a run in its first final check", async ({ small }) => {
  const { box, repository, make } = small;
  make();
  const rules = [...plan([{ key: "first" }]), ...work("first", write("first.txt", "first\n"), handoff())];
  const running = startSwarm(box, { repository, rules, flags: ["--check", 'touch "$HOME/checks"; sleep 300'] });
  await eventually("the check runs", () => (existsSync(join(box.home, "checks")) ? true : null));
  const [{ runId }] = JSON.parse((await skein(box, { args: ["runs", "--json"] })).stdout);
  const status = await skein(box, { args: ["swarm", "stop", runId, "--json"] });
  expect(status.exitCode, status.stderr).toBe(0);
  const { ended, json } = await outcomeOf(await running.ended);
  expect([ended.exitCode, json.state, json.checkPassed, json.commits]).toEqual([1, "stopped", "unavailable", 1]);
  await nobodyLeft(small);
});

test("a second SIGINT ends it at once, and no process is left", async ({ small }) => {
  small.make();
  const running = await startHanging(small);
  running.kill("SIGINT");
  // The system joins two of which the first has not arrived yet into one.
  await eventually("it says that it stops", () => (running.stderr().includes("Ctrl-C once more") ? true : null));
  running.kill("SIGINT");
  expect((await running.ended).exitCode).toBe(130);
  await nobodyLeft(small);
});

test("when nobody reads its output any more, it stops in order and exports what landed", async ({ small }) => {
  const { box, repository, make } = small;
  make();
  const waits = bash('touch "$HOME/waits"; until test -e "$HOME/go"; do sleep 0.05; done');
  const running = startSwarm(box, {
    repository,
    rules: [
      ...plan([{ key: "first" }, { key: "second", after: ["first"] }]),
      ...work("first", [write("first.txt", "first\n"), waits], handoff({ message: "Do first" })),
      ...work("second", bash("sleep 3"), handoff()),
    ],
  });
  await eventually("the first task waits", () => (existsSync(join(box.home, "waits")) ? true : null));
  running.child.stdout?.destroy();
  running.child.stderr?.destroy();
  // The line that tells of its end meets the closed pipe.
  writeFileSync(join(box.home, "go"), "");
  expect((await running.ended).exitCode).toBe(1);
  const branch = git(repository, ["for-each-ref", "--format=%(refname:short)", "refs/heads/skein"]);
  expect(git(repository, ["log", "--format=%s", `main..${branch}`])).toBe("Do first");
  await nobodyLeft(small);
});

test("kill -9: no process goes on, and the log has what landed", async ({ small }) => {
  const { box, repository, make } = small;
  make();
  const before = ownersView(repository);
  const running = await startHanging(small);
  running.kill("SIGKILL");
  expect((await running.ended).signal).toBe("SIGKILL");
  await nobodyLeft(small);
  expect(ownersView(repository)).toEqual(before);
  const [project = ""] = readdirSync(join(box.state, "runs"));
  const [run = ""] = readdirSync(join(box.state, "runs", project));
  const store = await readStore(join(box.state, "runs", project, run));
  const messages = store.records
    .filter(({ type }) => type === "commit")
    .map(({ data }) => (data as { message: string }).message);
  expect(messages).toEqual(["Do first", "Do a step"]);
});

test("a worker host that is killed is replaced: its tasks are leased again and the run finishes", async ({ small }) => {
  const { box, repository, make } = small;
  make();
  const onceOnly = bash('test -e "$HOME/hangs" || { touch "$HOME/hangs"; exec sleep 300; }');
  const running = startSwarm(box, {
    repository,
    rules: [
      ...plan([{ key: "first" }, { key: "second", after: ["first"] }]),
      ...work("first", write("first.txt", "first\n"), handoff({ message: "Do first" })),
      ...work("second", [write("second.txt", "second\n"), onceOnly], handoff({ message: "Do second" })),
    ],
  });
  await eventually("the second task hangs", () => (existsSync(join(box.home, "hangs")) ? true : null));
  const hosts = processesIn(box).filter(({ command }) => command.includes("worker-host.js"));
  expect(hosts).toHaveLength(1);
  for (const { pid } of hosts) process.kill(pid, "SIGKILL");
  const outcome = await outcomeOf(await running.ended);
  expect(outcome.ended.exitCode).toBe(0);
  expect(landed(repository, outcome)).toEqual(["Do first [first]", "Do second [second]"]);
  expect(outcome.json).toMatchObject({ state: "finished", tasks: { done: 2, failed: 0, dropped: 0, open: 0 } });
  const second = outcome.store.task("second");
  const leases = outcome.store.all("task_leased").filter(({ task }) => task === second);
  expect(new Set(leases.map(({ host }) => host)).size).toBe(2);
  expect(new Set(leases.map(({ fence }) => fence)).size).toBe(2);
  // A command of a host that was killed with -9 has lost its parent; nobody else may end it, so the test does.
  for (const { pid, command } of processesIn(box)) {
    expect(command).toMatch(/^sleep 300/);
    process.kill(pid, "SIGKILL");
  }
});
