// Runs that are killed and resumed: the demo's project and script through the real program, with `kill -9` of its coordinator or of
// its worker host at seeded moments, until the run ends. What must hold is compared with an undisturbed run.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { seededRandom } from "../../src/testing/sim/random.ts";
import { type Sandbox, sandbox } from "./sandbox.ts";
import { lastJson, packageRoot, type Started, startSkein } from "./skein.ts";
import { readStore } from "./store.ts";

export interface KillPlan {
  readonly seed: number;
  /** Kills at the most; a run that ends before has fewer. */
  readonly killsMax: number;
  /** The script's delays are multiplied by it. */
  readonly pace: number;
}

export interface KilledRun {
  readonly kills: readonly ("coordinator" | "worker host")[];
  readonly state: unknown;
  readonly tree: string;
  /** Landed commits as `<task's key>: <subject>`, sorted. */
  readonly landed: readonly string[];
  /** Requests that are in the bill, as `<task's key> <turn>`, sorted. */
  readonly billed: readonly string[];
  /** Of those, what is there more than once. */
  readonly twice: readonly string[];
  /** Tasks that failed or were dropped, and attempts that ended without a result through no kill, each with its reason. */
  readonly failures: readonly string[];
  readonly tasks: unknown;
  readonly roles: unknown;
}

/** The last moment of a kill after a start, milliseconds, at pace 1. */
const killWithinMs = 16_000;

export async function killedRun({ seed, killsMax, pace }: KillPlan): Promise<KilledRun> {
  using place = sandbox();
  const repository = makeProject(place);
  const script = makeScript(place, pace);
  const random = seededRandom(seed, "kills");
  const args = [
    "swarm",
    "Build calc as SPEC.md describes it.",
    "--repo",
    repository,
    "--model",
    `script:${script}`,
    "--json",
  ];
  const kills: ("coordinator" | "worker host")[] = [];
  let started = startSkein(place, { args: [...args, "--check", "node --test"] });
  for (;;) {
    const ended = await killOrEnd(
      started,
      kills.length < killsMax ? { afterMs: random.unit() * killWithinMs * pace, host: random.unit() < 0.5 } : null,
    );
    if (ended.killed !== null) kills.push(ended.killed);
    if (wasNotBegun(ended.result)) {
      // The kill came before the goal was recorded: the resume says so, and that it is to be started anew.
      started = startSkein(place, { args: [...args, "--check", "node --test"] });
      continue;
    }
    if (ended.result !== null) return await described(repository, kills, ended.result);
    // After its worker host was killed the same coordinator goes on.
    if (ended.killed === "worker host") continue;
    const run = await runOf(place);
    // Killed before the run was begun: there is nothing to resume.
    started = startSkein(place, {
      args: run === null ? [...args, "--check", "node --test"] : ["swarm", "--resume", run, "--json"],
    });
  }
}

function wasNotBegun(result: Record<string, unknown> | null): boolean {
  return typeof result?.error === "string" && result.error.includes("was interrupted before it began");
}

interface Outcome {
  readonly killed: "coordinator" | "worker host" | null;
  readonly result: Record<string, unknown> | null;
}

/** Waits for the end, or kills once at the moment and goes on waiting where the coordinator lives. */
async function killOrEnd(
  started: Started,
  kill: { readonly afterMs: number; readonly host: boolean } | null,
): Promise<Outcome> {
  const result = started.ended.then((ended) => (ended.signal === null ? lastJson(ended) : null));
  if (kill === null) return { killed: null, result: await result };
  const first = await Promise.race([result, delay(kill.afterMs, "time" as const)]);
  if (first !== "time") return { killed: null, result: first };
  const host = kill.host ? workerHostOf(started.pid) : null;
  if (host === null) {
    started.kill("SIGKILL");
    await started.ended;
    return { killed: "coordinator", result: null };
  }
  process.kill(host, "SIGKILL");
  return { killed: "worker host", result: null };
}

function workerHostOf(parent: number): number | null {
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const ppid = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
      if (ppid === parent && readFileSync(`/proc/${name}/cmdline`, "utf8").includes("worker-host")) return Number(name);
    } catch {
      // It has ended meanwhile.
    }
  }
  return null;
}

/** The run's id: the only one of this sandbox, once it has begun. */
async function runOf(place: Sandbox): Promise<string | null> {
  const listed = await startSkein(place, { args: ["runs", "--json"] }).ended;
  const runs = JSON.parse(listed.stdout) as readonly { readonly runId: string; readonly state: string }[];
  return runs.find(({ state }) => state === "interrupted")?.runId ?? null;
}

async function described(
  repository: string,
  kills: KilledRun["kills"],
  result: Record<string, unknown>,
): Promise<KilledRun> {
  const git = (...args: string[]): string =>
    execFileSync("git", ["-C", repository, ...args], { encoding: "utf8" }).trim();
  if (typeof result.branch !== "string") throw new Error(`it ended without a branch: ${JSON.stringify(result)}`);
  const { branch } = result;
  const log = git("log", "--format=%(trailers:key=Skein-Key,valueonly,separator=)%x09%s", `main..${branch}`);
  const store = await readStore(String(result.store));
  const keyOf = new Map(store.all("task_added").map(({ task, key }) => [task, key]));
  const billed = store
    .all("model_request")
    .filter(({ failed }) => failed === null)
    .map(({ agent, task, turn }) => `${keyOf.get(task)} ${agent} ${turn}`);
  return {
    kills,
    state: result.state,
    tree: git("rev-parse", `${branch}^{tree}`),
    landed: log.split("\n").map(landedLine).sort(),
    billed: billed.map((line) => line.replace(/ a\d+ /, " ")).sort(),
    twice: billed.filter((line, index) => billed.indexOf(line) !== index),
    failures: [
      ...[...store.all("task_failed"), ...store.all("task_dropped")].map(
        ({ task, reason }) => `${keyOf.get(task)} failed: ${reason}`,
      ),
      ...store
        .all("lease_ended")
        .filter(({ blame }) => blame === "task")
        .map(({ task, reason }) => `${keyOf.get(task)} was given up by an attempt: ${reason}`),
    ],
    tasks: result.tasks,
    roles: result.roles,
  };
}

/** Which of the two tasks that collide lands first is a matter of time: the other one's commit is the conflict's resolution. */
function landedLine(line: string): string {
  const [key = "", subject = ""] = line.split("\t");
  if (key !== "power" && key !== "modulo") return `${key}: ${subject}`;
  return `power or modulo: ${subject.startsWith("Resolve") ? "resolved" : "added"}`;
}

function makeProject(place: Sandbox): string {
  const repository = join(place.root, "calc");
  cpSync(join(packageRoot, "assets", "demo", "project"), repository, { recursive: true });
  const git = (...args: string[]): void => {
    execFileSync("git", ["-C", repository, "-c", "user.name=t", "-c", "user.email=t@localhost", ...args], {
      env: place.env,
    });
  };
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message", "base");
  return repository;
}

function makeScript(place: Sandbox, pace: number): string {
  const text = readFileSync(join(packageRoot, "assets", "demo", "script.yaml"), "utf8");
  const directory = join(place.root, "script");
  mkdirSync(directory);
  const path = join(directory, "script.yaml");
  writeFileSync(
    path,
    text.replace(/delayMs: (\d+)/g, (_whole, ms: string) => `delayMs: ${Math.round(Number(ms) * pace)}`),
  );
  return path;
}
