// Looking at runs from another terminal: the list, a run's status while it goes on and after it, stopping it, and removing old ones.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { bash, handoff, plan, type Rule, work, write } from "../support/script.ts";
import { eventually, lastJson, skein } from "../support/skein.ts";
import { type Small, smallTest } from "../support/small-repository.ts";
import { landed, outcomeOf, startSwarm, swarm } from "../support/swarm.ts";

const test = smallTest.concurrent;

const wait = bash('touch "$HOME/waits"; until test -e "$HOME/go"; do sleep 0.05; done');
const waiting: readonly Rule[] = [
  ...plan([{ key: "first" }, { key: "second", after: ["first"] }]),
  ...work("first", write("first.txt", "first\n"), handoff({ message: "Do first" })),
  ...work("second", [write("second.txt", "second\n"), wait], handoff({ message: "Do second" })),
];
const quick: readonly Rule[] = [
  ...plan([{ key: "one" }]),
  ...work("one", write("one.txt", "one\n"), handoff({ message: "Do one" })),
];

const ask = async ({ box }: Small, ...args: readonly string[]) => {
  const ended = await skein(box, { args });
  return { ...ended, json: args.includes("--json") && ended.stdout !== "" ? JSON.parse(ended.stdout) : null };
};

test("a running run is listed, shown and stopped from outside, and what landed is exported", async ({ small }) => {
  small.make();
  const running = startSwarm(small.box, { repository: small.repository, rules: waiting });
  await eventually("the second task waits", () => (existsSync(join(small.box.home, "waits")) ? true : null));

  const [listed, ...others] = (await ask(small, "runs", "--json")).json;
  expect(others).toEqual([]);
  expect(listed).toEqual({
    kind: "swarm",
    runId: expect.stringMatching(/^\d{8}-\d{6}-[a-z2-7]{4}$/),
    goal: "Reach the goal",
    state: "running",
    reason: "",
    repo: small.repository,
    branch: null,
    whatIsLeft: {
      openTasks: 2,
      openConflicts: 0,
      unexportedCommits: 1,
      keptWorkspaces: 1,
      resumable: true,
      text: "2 tasks open, 1 commit on no branch, 1 workspace kept",
    },
    lastRecord: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    store: expect.stringContaining(small.box.state),
  });
  const coordinator = JSON.parse(readFileSync(join(listed.store, "coordinator.json"), "utf8"));
  expect(coordinator).toEqual({ pid: running.pid, socket: expect.stringMatching(/skein-[a-z2-7]{12}\/coordinator$/) });

  const status = await ask(small, "swarm", "status", listed.runId, "--json");
  expect(status.json).toMatchObject({
    runId: listed.runId,
    state: "running",
    stopping: null,
    tasks: [
      { id: "t0", key: "root", state: "waits" },
      { id: "t1", key: "first", state: "done" },
      { id: "t2", key: "second", state: "running" },
    ],
  });
  const shown = await ask(small, "swarm", "status", listed.runId.slice(-4));
  expect(shown.stdout).toMatch(
    /running +Reach the goal[\s\S]*1 done, 0 failed, 0 dropped, 1 open[\s\S]*t2 second running by a/,
  );

  const stop = await ask(small, "swarm", "stop", listed.runId, "--json");
  expect([stop.exitCode, stop.json]).toEqual([0, { runId: listed.runId, stopping: true }]);
  const stopping = (await ask(small, "swarm", "status", listed.runId, "--json")).json;
  expect(stopping).toMatchObject({ state: "running", stopping: "stopped by skein swarm stop" });
  writeFileSync(join(small.box.home, "go"), "");
  const outcome = await outcomeOf(await running.ended);
  expect([outcome.ended.exitCode, outcome.json.state, outcome.json.reason]).toEqual([
    1,
    "stopped",
    "stopped by skein swarm stop",
  ]);
  expect(landed(small.repository, outcome)).toEqual(["Do first [first]"]);
  expect(existsSync(join(listed.store, "coordinator.json"))).toBe(false);

  const again = await ask(small, "swarm", "stop", listed.runId, "--json");
  expect([again.exitCode, again.json.error]).toEqual([1, `the run ${listed.runId} does not run: it is stopped`]);
  expect((await ask(small, "swarm", "status", listed.runId)).stdout).toContain(`skein swarm --resume ${listed.runId}`);
});

test("S27: the list, the status and the summary of a run say the same", async ({ small }) => {
  small.make();
  const { json } = await swarm(small.box, { repository: small.repository, rules: quick });
  const [listed] = (await ask(small, "runs", "--json")).json;
  const { runId, state, reason, repo, branch, store } = json;
  expect(listed).toMatchObject({ runId, state, reason, repo, branch, store });
  expect(listed.whatIsLeft.text).toBe("nothing is left");
  const { summary, spending } = (await ask(small, "swarm", "status", String(runId), "--json")).json;
  const { budgetUsd, spentUsd, knownUsd, assumedUsd, requestsAssumed } = json;
  expect([summary.roles, summary.requests, summary.commits, summary.tasks, summary.wallMs, spending]).toEqual([
    json.roles,
    { made: 5, failed: 0, untold: 0, attempts: 5 },
    json.commits,
    json.tasks,
    json.wallMs,
    { budgetUsd, spentUsd, knownUsd, assumedUsd, requestsAssumed },
  ]);
  expect(json.requests).toEqual(summary.requests);
});

test("runs are removed only with a yes, and one that holds work only by its name", async ({ small }) => {
  small.make();
  const done = (await swarm(small.box, { repository: small.repository, rules: quick })).json;
  const failing = [...plan([{ key: "one" }]), ...work("one", write("one.txt", "one\n"), bash("exit 1"))];
  const kept = (await swarm(small.box, { repository: small.repository, rules: failing })).json;
  const left = async () => (await ask(small, "runs", "--json")).json.map(({ runId }: { runId: string }) => runId);

  const young = await ask(small, "runs", "prune", "--json");
  expect(young.json).toMatchObject({ candidates: [], removed: [] });
  const asked = await ask(small, "runs", "prune", "--older-than", "0", "--json");
  expect(asked.json).toMatchObject({
    candidates: [{ runId: done.runId }],
    kept: [{ runId: kept.runId, reason: "workspaces that are kept in it: 1" }],
    removed: [],
  });
  expect(asked.stderr).toContain("nothing was removed");
  expect(await left()).toEqual([kept.runId, done.runId]);

  const said = await ask(small, "runs", "prune", "--older-than", "0", "--yes");
  expect([said.exitCode, said.stdout.trimEnd().split("\n").at(-1)]).toEqual([0, "removed 1 run"]);
  expect(await left()).toEqual([kept.runId]);
  const named = await ask(small, "runs", "prune", "--run", String(kept.runId), "--yes", "--json");
  expect(named.json).toMatchObject({ removed: [kept.runId] });
  expect(await left()).toEqual([]);
  const [project = ""] = readdirSync(join(small.box.state, "runs"));
  expect(readdirSync(join(small.box.state, "runs", project))).toEqual([]);
});

test("a goal may be called like a command, after --", async ({ small }) => {
  small.make();
  const script = join(small.box.root, "script.json");
  writeFileSync(script, JSON.stringify({ rules: quick }));
  const args = ["swarm", "--repo", small.repository, "--model", `script:${script}`, "--json", "--", "status"];
  const ended = await skein(small.box, { args });
  expect([ended.exitCode, lastJson(ended).state]).toEqual([0, "finished"]);
  expect((await ask(small, "runs", "--json")).json[0].goal).toBe("status");
});

test("a run that nobody knows, or that several are called so", async ({ small }) => {
  small.make();
  for (const command of [
    ["swarm", "status", "nope"],
    ["swarm", "stop", "nope"],
    ["swarm", "--resume", "nope"],
    ["runs", "prune", "--run", "nope"],
  ]) {
    const ended = await ask(small, ...command, "--json");
    expect([ended.exitCode, ended.json]).toEqual([
      2,
      { error: "there is no run nope", next: "skein runs lists those there are", exitCode: 2 },
    ]);
  }
  expect((await ask(small, "runs")).stdout).toBe("no runs yet: skein swarm --help\n");
});
