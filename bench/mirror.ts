// `npm run bench:mirror [-- --quick] [--json] [--dir <directory>]`: `skein vcs mirror` beside `git fast-import` alone with the same stream,
// prepared, and what a mirror costs those who commit meanwhile.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { nodeHost } from "../src/adapters/node/host.ts";
import { mirrorStore } from "../src/app/store-mirror.ts";
import { unwrap } from "../src/base/result.ts";
import type { Processes } from "../src/host/processes.ts";
import { gitEnvironment } from "../src/vcs/git/environment.ts";
import { type LoadResult, underLoad } from "./vcs/load.ts";
import { load, machineLine, median } from "./vcs/machine.ts";
import { BenchRandom, pathOf, textOf } from "./vcs/random.ts";
import { addHistory } from "./vcs/stores.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    dir: { type: "string", default: tmpdir() },
  },
});
const { quick } = values;
const files = quick ? 1_000 : 5_000;
const commits = quick ? 4_000 : 30_000;
const repetitions = quick ? 1 : 3;
const seconds = quick ? 5 : 15;
const fileBytes = 4_096;
const commitsASecond = 500;
const writers = 50;

const skein = join(import.meta.dirname, "..", "dist", "skein.cjs");
const loadBefore = load();
const directory = mkdtempSync(join(values.dir, "skein-bench-"));
process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
const note = (text: string): void => console.error(`… ${text}`);
const env = {
  PATH: process.env.PATH ?? "",
  HOME: directory,
  SKEIN_STATE_DIR: join(directory, "state"),
  GIT_CONFIG_NOSYSTEM: "1",
};
const { MALLOC_TRIM_THRESHOLD_ = "", MALLOC_TOP_PAD_ = "" } = gitEnvironment({ path: env.PATH });
const allocator = { MALLOC_TRIM_THRESHOLD_, MALLOC_TOP_PAD_ };
const [repository, store] = [join(directory, "repository"), join(directory, "store")];

note("a repository and a store");
makeRepository();
execFileSync(process.execPath, [skein, "vcs", "import", "--store", store, "--repo", repository], {
  env,
  stdio: "ignore",
});
await addHistory(store, commits, files, 1, fileBytes);

note("the prepared stream");
const streams = await recordStreams();

const alone: number[] = [];
const keeping: number[] = [];
const mirrored: number[] = [];
for (let repetition = 0; repetition < repetitions; repetition += 1) {
  note(`fast-import alone, then the mirror (${repetition + 1})`);
  alone.push(commits / fastImportSeconds(env));
  // As a mirror starts it.
  keeping.push(commits / fastImportSeconds({ ...env, ...allocator }));
  mirrored.push(commits / mirrorSeconds());
}

const without: LoadResult[] = [];
const withMirror: LoadResult[] = [];
for (let repetition = 0; repetition < repetitions; repetition += 1) {
  note(`commits without a mirror, then with one (${repetition + 1})`);
  without.push(await underLoad({ directory: store, processes: 1, task: task(2 * repetition + 1) }));
  withMirror.push(await loadWithMirror(2 * repetition + 2));
}

// What disturbs only ever makes it slower: the best of each counts.
const best = { alone: Math.max(...alone), keeping: Math.max(...keeping), mirrored: Math.max(...mirrored) };
const share = (best.mirrored / best.alone) * 100;
const p99 = (results: readonly LoadResult[]): number => median(results.map(({ p99Ms }) => p99Ms));
const rate = (results: readonly LoadResult[]): number => median(results.map(({ perSecond }) => perSecond));
const slower = p99(withMirror) / p99(without);
const rows = [
  { measure: "git fast-import alone, prepared stream", value: best.alone, unit: "commits/s", target: null },
  {
    measure: "the same with the allocator's settings of a mirror",
    value: best.keeping,
    unit: "commits/s",
    target: null,
  },
  { measure: "skein vcs mirror, the whole command", value: best.mirrored, unit: "commits/s", target: null },
  { measure: "of fast-import's rate", value: share, unit: "%", target: "≥ 90", met: share >= 90 },
  { measure: `p99 at ${commitsASecond} commits/s, without a mirror`, value: p99(without), unit: "ms", target: null },
  { measure: "p99 there, with one that catches up and follows", value: p99(withMirror), unit: "ms", target: null },
  { measure: "times as long", value: slower, unit: "×", target: "≤ 2", met: slower <= 2 },
  {
    measure: "commits/s reached, without and with",
    value: rate(withMirror),
    unit: `/s (${rate(without).toFixed(0)} without)`,
    target: null,
  },
];
const conditions = { machine: machineLine(), loadBefore, files, commits, fileBytes };
if (values.json) console.log(JSON.stringify({ ...conditions, rows }));
else {
  console.log(
    `${conditions.machine}; load before ${loadBefore.toFixed(2)}; ${commits} commits of one file of 4 KiB on ${files} files\n`,
  );
  for (const { measure, value, unit, target, ...rest } of rows) {
    const verdict = target === null ? "" : `${target} ${"met" in rest && rest.met === true ? "reached" : "MISSED"}`;
    console.log(`${measure.padEnd(52)}${value.toFixed(1).padStart(10)} ${unit.padEnd(12)}${verdict}`.trimEnd());
  }
}

/** The whole history goes out while they commit, then what they commit. It is begun when the server listens, so that it is beside it from the start. */
async function loadWithMirror(seed: number): Promise<LoadResult> {
  const into = clone("live");
  const args = [skein, "vcs", "mirror", "--store", store, "--repo", into, "--branch", "live", "--follow"];
  const followers: ChildProcess[] = [];
  const begun = (): void => void followers.push(spawn(process.execPath, args, { env, stdio: "ignore" }));
  const result = await underLoad({ directory: store, processes: 1, task: task(seed), begun });
  for (const follower of followers) {
    if (follower.exitCode !== null) throw new Error(`the mirror ended with ${follower.exitCode} while commits went on`);
    const ended = once(follower, "exit");
    follower.kill("SIGINT");
    await ended;
  }
  rmSync(into, { recursive: true, force: true });
  return result;
}

function task(seed: number) {
  const everyMs = (writers / commitsASecond) * 1_000;
  const shape = { files, fileBytes, filesMax: 1, overlapPercent: 0, writers, connections: 1 };
  return { ...shape, seed, seconds, warmSeconds: 3, everyMs };
}

function makeRepository(): void {
  mkdirSync(repository, { recursive: true });
  git(repository, ["init", "-q", "--initial-branch=main"]);
  const random = new BenchRandom(3);
  const parts: Buffer[] = [Buffer.from("commit refs/heads/main\ncommitter b <b@localhost> 0 +0000\ndata 4\nbase\n")];
  for (let index = 0; index < files; index += 1) {
    const bytes = textOf(fileBytes, random, `file ${index}`);
    parts.push(Buffer.from(`M 100644 inline ${pathOf(index)}\ndata ${bytes.length}\n`), bytes, Buffer.from("\n"));
  }
  execFileSync("git", ["fast-import", "--quiet"], {
    cwd: repository,
    env,
    input: Buffer.concat(parts),
    maxBuffer: 2 ** 30,
  });
}

/** What the mirror itself sends to git, a file for each of its rounds. */
async function recordStreams(): Promise<readonly string[]> {
  const host = nodeHost();
  const paths: string[] = [];
  const processes: Processes = {
    async spawn(spec) {
      const spawned = await host.processes.spawn(spec);
      if (!spawned.ok || !spec.argv.includes("fast-import")) return spawned;
      const child = spawned.value;
      const path = join(directory, `stream-${paths.length}`);
      paths.push(path);
      const file = openSync(path, "w");
      return {
        ok: true,
        value: {
          ...child,
          write(bytes) {
            writeSync(file, bytes);
            return child.write(bytes);
          },
          endInput() {
            closeSync(file);
            child.endInput();
          },
        },
      };
    },
  };
  const surroundings = {
    host: { ...host, processes },
    env,
    cwd: directory,
    processId: process.pid,
    platform: process.platform,
    packageRoot: directory,
    nodePath: process.execPath,
    workerHost: [],
    temporaryDirectory: directory,
  };
  const stop = new AbortController().signal;
  const wish = { branch: "recorded", repository: clone("recorded"), follow: false, stop, onRound: () => undefined };
  unwrap(await mirrorStore(surroundings, { store }, wish), "mirror");
  return paths;
}

function fastImportSeconds(env: Readonly<Record<string, string>>): number {
  const place = clone("alone");
  const start = performance.now();
  for (const path of streams) {
    const input = openSync(path, "r");
    execFileSync("git", ["fast-import", "--quiet", "--force", "--done"], {
      cwd: place,
      env,
      stdio: [input, "ignore", "ignore"],
    });
    closeSync(input);
  }
  const took = (performance.now() - start) / 1_000;
  rmSync(place, { recursive: true, force: true });
  return took;
}

function mirrorSeconds(): number {
  const place = clone("mirrored");
  const start = performance.now();
  execFileSync(process.execPath, [skein, "vcs", "mirror", "--store", store, "--repo", place, "--branch", "live"], {
    env,
    stdio: "ignore",
  });
  const took = (performance.now() - start) / 1_000;
  rmSync(place, { recursive: true, force: true });
  return took;
}

function clone(name: string): string {
  const place = join(directory, name);
  git(directory, ["clone", "-q", "--bare", repository, place]);
  return place;
}

function git(cwd: string, args: readonly string[]): void {
  execFileSync("git", args, { cwd, env, stdio: "ignore" });
}
