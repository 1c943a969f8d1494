// Five hundred workers that wait for a model at once: what they cost in memory, and whether the coordinator answers meanwhile.

import { readdirSync, readFileSync } from "node:fs";
import { expect } from "vitest";
import { KEY, serveRules } from "../support/provider.ts";
import { processesIn, type Sandbox } from "../support/sandbox.ts";
import { call, type Rule } from "../support/script.ts";
import { eventually, lastJson, skein, startSkein } from "../support/skein.ts";
import { smallTest } from "../support/small-repository.ts";

const groups = numbers(10);
const workersOfGroup = numbers(50);
const workersCount = groups.length * workersOfGroup.length;

/** One planner may have fifty tasks, so each group has a planner. Workers are never answered. */
const rules: readonly Rule[] = [
  {
    role: "planner",
    task: "root",
    turn: 1,
    calls: [delegation(groups.map((group) => ({ key: `g${group}`, kind: "planner", scope: [`g${group}/`] })))],
  },
  ...groups.map((group) => ({
    role: "planner",
    task: `g${group}`,
    turn: 1,
    calls: [delegation(workersOfGroup.map((number) => ({ key: `g${group}-w${number}`, kind: "worker" })))],
  })),
  { role: "planner", say: "I wait for the results." },
];

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

function delegation(tasks: readonly { readonly key: string }[]) {
  return call("delegate", {
    tasks: tasks.map((task) => ({ title: `Do ${task.key}`, instructions: "Do it.", ...task })),
  });
}

interface Figures {
  readonly host: Memory;
  readonly coordinator: Memory;
  /** Of the worker host. */
  readonly openFiles: number;
}

interface Memory {
  readonly nowKib: number;
  readonly mostKib: number;
}

function figuresOf(box: Sandbox): Figures {
  const processes = processesIn(box);
  const pid = (part: string) => processes.find(({ command }) => command.includes(part))?.pid ?? Number.NaN;
  const host = pid("worker-host.js");
  return {
    host: memoryOf(host),
    coordinator: memoryOf(pid("skein.cjs swarm Reach")),
    openFiles: readdirSync(`/proc/${host}/fd`).length,
  };
}

/** Resident: https://man7.org/linux/man-pages/man5/proc_pid_status.5.html. */
function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  const figure = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]);
  return { nowKib: figure("VmRSS"), mostKib: figure("VmHWM") };
}

/** Far above what is seen, far below what a copy of anything large would cost. */
const hostKibPerWorkerMax = 2_048;
const coordinatorKibPerWorkerMax = 512;
/** Its transcript, its lock (two files) and its connection to the model. */
const openFilesPerWorkerMax = 5;

smallTest.runIf(process.platform === "linux")(
  "S19 five hundred workers wait for a model: little memory each, and the coordinator answers",
  { timeout: 300_000 },
  async ({ small: { box, repository, make }, annotate }) => {
    make();
    let idle: Figures | null = null;
    const waiting = new Set<string>();
    await using server = await serveRules(rules, {
      behave: ({ role, taskKeys: [key = ""] }) => {
        // At the first request the model's adapter is loaded, and only the goal's planner waits.
        idle ??= figuresOf(box);
        if (role !== "worker") return {};
        waiting.add(key);
        return { hang: "before-headers" };
      },
    });
    const model = ["--model", "openai-chat/test-model", "--base-url", server.url];
    const running = startSkein(box, {
      args: ["swarm", "Reach the goal", "--repo", repository, "--json", "--workers", String(workersCount), ...model],
      env: { OPENAI_API_KEY: KEY },
    });
    await eventually("all workers wait for the model", () => (waiting.size === workersCount ? true : null));
    const full = figuresOf(box);

    // What agents finish their calls for is known to the coordinator alone: its answer is in the status.
    const [{ runId }] = JSON.parse((await skein(box, { args: ["runs", "--json"] })).stdout);
    const told = await skein(box, { args: ["swarm", "stop", runId] });
    const status = lastJson(await skein(box, { args: ["swarm", "status", runId, "--json"] }));
    const tasks = status.tasks as readonly { readonly role: string; readonly state: string }[];
    expect([told.exitCode, status.state, status.stopping]).toEqual([0, "running", "stopped by skein swarm stop"]);
    expect(tasks.filter(({ role, state }) => role === "worker" && state === "running")).toHaveLength(workersCount);

    await skein(box, { args: ["swarm", "stop", runId, "--now"] });
    const ended = await running.ended;
    expect(lastJson(ended), ended.stderr).toMatchObject({
      state: "stopped",
      tasks: { done: 0, failed: 0, dropped: 0, open: workersCount },
      resume: `skein swarm --resume ${runId}`,
    });
    await eventually("all processes end", () => (processesIn(box).length === 0 ? true : null));

    const before = idle ?? full;
    const perWorker = {
      host: Math.round((full.host.mostKib - before.host.nowKib) / workersCount),
      coordinator: Math.round((full.coordinator.mostKib - before.coordinator.nowKib) / workersCount),
      openFiles: (full.openFiles - before.openFiles) / workersCount,
    };
    await annotate(`KiB for each waiting worker, and open files: ${JSON.stringify({ perWorker, before, full })}`);
    expect(perWorker.host).toBeLessThan(hostKibPerWorkerMax);
    expect(perWorker.coordinator).toBeLessThan(coordinatorKibPerWorkerMax);
    expect(perWorker.openFiles).toBeLessThan(openFilesPerWorkerMax);
  },
);
