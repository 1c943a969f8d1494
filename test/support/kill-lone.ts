// Runs of `skein run` with children that are killed with `kill -9` at seeded moments and resumed, until they end. The server refuses a
// history that a provider would refuse; what must hold beside the end is read from transcripts, the server's requests and the files.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { seededRandom } from "../../src/testing/sim/random.ts";
import { KEY, serveRules } from "./provider.ts";
import { openHome, processesIn, type Sandbox, sandbox } from "./sandbox.ts";
import { bash, type Call, call, type Rule, write } from "./script.ts";
import { eventually, lastJson, type SkeinOptions, startSkein } from "./skein.ts";

export interface LoneKillPlan {
  readonly seed: number;
  /** Kills at the most; a run that ends before has fewer. */
  readonly killsMax: number;
}

export interface KilledLoneRun {
  readonly kills: number;
  /** Requests that had been made before the last kill: how far it had come each time. */
  readonly killedAfter: readonly number[];
  readonly text: unknown;
  readonly exitCode: number | null;
  /** Effects of calls that a kill cut off: they may be there or not, and are never tried again. */
  readonly interrupted: readonly string[];
  /** Effects that are there, sorted. */
  readonly effects: readonly string[];
  /** What broke a promise: an answer asked for again, a call run twice, a process left. */
  readonly broken: readonly string[];
}

/** What is there once each call that changes something has run once: by agent, turn and place of the call. */
const EFFECTS: ReadonlyMap<string, string> = new Map([
  ["a0 2 0", "did: p1"],
  ["a0 2 1", "p.txt: p"],
  ["a0 2 2", "did: p2"],
  ["a2 1 0", "b.txt: b"],
  ["a2 1 1", "did: b1"],
  ["a2 2 0", "b.log: b"],
  ["a2 2 1", "did: b2"],
  ["a3 1 0", "c.txt: c"],
]);

export const effectsCount = EFFECTS.size;

/** Milliseconds of each model request, and of each command. */
const requestMs = 60;
/** A kill comes after so many requests of a start at the most, of 16 of an undisturbed run, and then within so many milliseconds. */
const killAfterRequestsMax = 7;
const killWithinMs = 250;

const noted = (key: string): Call => bash(`echo ${key} >> "$HOME/did"; sleep 0.1`);
const ask = (task: string, more: object = {}): Call => call("delegate_task", { task, ...more });

const rules: readonly Rule[] = [
  {
    role: "solo",
    turn: 1,
    calls: [
      ask("Read a lot"),
      ask("Build b in a copy", { isolation: "workspace" }),
      ask("Write c", { write_scope: ["c.txt"] }),
      ask("Say at once"),
    ],
  },
  { role: "solo", turn: 2, calls: [noted("p1"), write("p.txt", "p\n"), noted("p2")] },
  { role: "solo", turn: 3, calls: [call("read_file", { path: "b.txt" }), ask("Read once more")] },
  { role: "solo", turn: 4, say: "The end." },
  ...[1, 2, 3].map((turn) => ({
    role: "child",
    task: "a1",
    turn,
    calls: [call("glob", { pattern: `*${turn}` }), call("grep", { pattern: "seed" })],
  })),
  { role: "child", task: "a2", turn: 1, calls: [write("b.txt", "b\n"), noted("b1")] },
  { role: "child", task: "a2", turn: 2, calls: [bash("echo b >> b.log"), noted("b2")] },
  { role: "child", task: "a3", turn: 1, calls: [write("c.txt", "c\n"), call("read_file", { path: "c.txt" })] },
  { role: "child", task: "a5", turn: 1, calls: [call("glob", { pattern: "*.txt" })] },
  { role: "child", say: "done" },
];

export async function killedLoneRun({ seed, killsMax }: LoneKillPlan): Promise<KilledLoneRun> {
  using box = sandbox();
  openHome(box);
  const directory = makeProject(box);
  await using server = await serveRules(rules.map((rule) => ({ delayMs: requestMs, ...rule })));
  const random = seededRandom(seed, "lone kills");
  const asked = { cwd: directory, env: { ANTHROPIC_API_KEY: KEY } };
  const model = ["--model", "anthropic/test-model", "--base-url", server.url];
  const killedAfter: number[] = [];
  const broken: string[] = [];
  let next: SkeinOptions = { ...asked, args: ["run", "Do it", "--json", ...model] };
  for (;;) {
    const answered = answeredIn(box);
    const before = server.requests.length;
    const started = startSkein(box, next);
    const mayKill = killedAfter.length < killsMax;
    const moment = { requests: before + 1 + random.integer(killAfterRequestsMax), ms: random.unit() * killWithinMs };
    const over = started.ended.then(() => true);
    if (mayKill && !(await reached(moment, () => server.requests.length, over))) started.kill("SIGKILL");
    const ended = await started.ended;
    // What is in a transcript was answered: it is not asked for again.
    for (const { role, taskKeys, turn } of server.requests.slice(before)) {
      const name = `${role === "child" ? taskKeys.join() : "a0"} ${turn}`;
      if (answered.has(name)) broken.push(`asked again: ${name}`);
    }
    if (ended.signal === null) {
      const json = lastJson(ended);
      if (ended.exitCode !== 0) broken.push(ended.stderr.slice(-500));
      const cutOff = interruptedIn(box);
      const effects = effectsIn(box, directory);
      const promised = [...EFFECTS].filter(([name]) => !cutOff.includes(name)).map(([, effect]) => effect);
      broken.push(
        ...twiceAnswered(box),
        ...promised.filter((effect) => !effects.includes(effect)).map((effect) => `lost: ${effect}`),
        ...effects.filter((effect, at) => effects.indexOf(effect) !== at).map((effect) => `done twice: ${effect}`),
      );
      const interrupted = cutOff.map((name) => EFFECTS.get(name) ?? name);
      return {
        kills: killedAfter.length,
        killedAfter,
        text: json.text,
        exitCode: ended.exitCode,
        interrupted,
        effects,
        broken,
      };
    }
    killedAfter.push(server.requests.length);
    await eventually("its commands end", () => (processesIn(box).length === 0 ? true : null));
    const run = runOf(box);
    // Killed before it was begun there is nothing to resume.
    if (run !== null) next = { ...asked, args: ["run", "--resume", run, "--json"] };
  }
}

/** Waits for the moment; true if the run was over before it. */
async function reached(
  { requests, ms }: { readonly requests: number; readonly ms: number },
  made: () => number,
  over: Promise<boolean>,
): Promise<boolean> {
  while (made() < requests) if (await Promise.race([over, delay(5, false)])) return true;
  return Promise.race([over, delay(ms, false)]);
}

/** The id of this sandbox's run, once it has its file. */
function runOf({ state }: Sandbox): string | null {
  const file = readdirSync(state, { recursive: true, encoding: "utf8" }).find((path) => basename(path) === "run.json");
  return file === undefined ? null : basename(dirname(file));
}

interface Line {
  readonly agent: string;
  readonly type: string;
  readonly turn?: number;
  readonly index?: number;
  readonly message?: { readonly role: string };
}

/** Whole lines of all transcripts. */
function linesIn({ state }: Sandbox): readonly Line[] {
  const paths = readdirSync(state, { recursive: true, encoding: "utf8" }).filter((path) =>
    /agents\/[^/]+\.jsonl$/.test(path),
  );
  return paths.flatMap((path) =>
    readFileSync(join(state, path), "utf8")
      .split("\n")
      .flatMap((line): Line[] => {
        try {
          return [JSON.parse(line)];
        } catch {
          return [];
        }
      }),
  );
}

function answeredIn(box: Sandbox): ReadonlySet<string> {
  const answers = linesIn(box).filter(({ type, message }) => type === "message" && message?.role === "assistant");
  return new Set(answers.map(({ agent, turn }) => `${agent} ${turn}`));
}

/** Calls with two results, and calls that may change something and were begun twice. */
function twiceAnswered(box: Sandbox): readonly string[] {
  const named = linesIn(box)
    .filter(({ type }) => type === "result" || type === "call")
    .map(({ agent, type, turn, index }) => `${type} ${agent} ${turn} ${index}`);
  return (
    named
      .filter((name, at) => named.indexOf(name) !== at)
      // A delegation is begun again to find its child.
      .filter((name) => !/^call a0 [13] /.test(name))
      .map((name) => `twice: ${name}`)
  );
}

/** A line of a file for each effect: one that was made twice is there twice. */
function effectsIn(box: Sandbox, directory: string): readonly string[] {
  const lines = (path: string, name: string) =>
    existsSync(path)
      ? readFileSync(path, "utf8")
          .trimEnd()
          .split("\n")
          .map((line) => `${name}: ${line}`)
      : [];
  const names = readdirSync(directory).filter((name) => name !== ".git" && name !== "seed.txt");
  return [
    ...lines(join(box.home, "did"), "did"),
    ...names.flatMap((name) => lines(join(directory, name), name)),
  ].toSorted();
}

/** Calls that had begun and have no result of their own. */
function interruptedIn(box: Sandbox): readonly string[] {
  const lines = linesIn(box);
  const named = (wanted: string) =>
    lines.filter(({ type }) => type === wanted).map(({ agent, turn, index }) => `${agent} ${turn} ${index}`);
  const results = new Set(named("result"));
  return named("call").filter((name) => EFFECTS.has(name) && !results.has(name));
}

function makeProject(box: Sandbox): string {
  const directory = join(box.root, "work");
  mkdirSync(directory);
  writeFileSync(join(directory, "seed.txt"), "seed\n");
  const git = (...args: string[]): void => {
    execFileSync("git", ["-C", directory, "-c", "user.name=t", "-c", "user.email=t@localhost", ...args], {
      env: box.env,
    });
  };
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message", "base");
  return directory;
}
