// One run of a client from its start to its end: wall time, CPU time and peak memory of all its processes, and what the server saw of it.
// Invariant: a run that did not do its task has no figures.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Client } from "./clients.ts";
import { type Asked, childrenCount, edited, FILES, scriptOf, type Task } from "./script.ts";

export interface Figures {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakMb: number;
  /** Of ten children: the time of all from the first request to the last answer, and that of the longest of them. */
  readonly spanMs: number | null;
  readonly longestMs: number | null;
}

export type Measured =
  | { readonly kind: "measured"; readonly figures: Figures }
  | { readonly kind: "failed"; readonly why: string };

const runMsMax = 120_000;
const sampleMs = 10;
/** Prints seconds of CPU, of the program and all that it waited for, after it. */
const TIMED = 'times_file=$1; shift; "$@"; code=$?; times > "$times_file"; exit $code';

/** A home that lasts over the runs of a client: what it keeps there, it has the next time, as on a person's machine. */
export interface Bench extends Disposable {
  readonly home: string;
  run(client: Client, task: Task, extraEnv?: Readonly<Record<string, string>>): Promise<Measured>;
}

export function openBench(): Bench {
  const at = realpathSync(mkdtempSync(join(tmpdir(), "skein-bench-")));
  const home = join(at, "home");
  mkdirSync(home);
  let runs = 0;
  return {
    home,
    run: (client, task, extraEnv = {}) => measure(client, task, { at, home, number: ++runs, extraEnv }),
    [Symbol.dispose]: () => rmSync(at, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}

interface Where {
  readonly at: string;
  readonly home: string;
  readonly number: number;
  readonly extraEnv: Readonly<Record<string, string>>;
}

async function measure(client: Client, task: Task, { at, home, number, extraEnv }: Where): Promise<Measured> {
  const { program } = client;
  if (program === null) return { kind: "failed", why: "it is not installed" };
  const work = join(at, `work-${number}`);
  const temporary = join(at, "tmp");
  mkdirSync(join(work, ".git"), { recursive: true });
  mkdirSync(temporary, { recursive: true });
  for (const file of FILES) writeFileSync(join(work, file), `${edited.from}\n`);
  const script = join(at, "script.json");
  writeFileSync(script, JSON.stringify(scriptOf(task, client.tools)));
  const server = await startServer(script);
  try {
    const { args, env } = client.prepare({ home, work, url: server.url });
    const path = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
    const whole = { HOME: home, TMPDIR: temporary, PATH: path, TERM: "xterm", LANG: "C.UTF-8", ...env, ...extraEnv };
    const timesFile = join(at, "times");
    const ran = await runTimed([...program, ...args], { cwd: work, env: whole, timesFile });
    const asked = await server.end();
    const why = ran.code === 0 ? wrongIn(task, asked, work) : `it ended with ${ran.code}: ${ran.output.slice(-300)}`;
    if (why !== null) return { kind: "failed", why };
    const { wallMs, peakMb } = ran;
    return { kind: "measured", figures: { wallMs, peakMb, cpuMs: cpuMsIn(timesFile), ...spansOf(asked) } };
  } finally {
    server.process.kill("SIGKILL");
    rmSync(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

interface Ran {
  readonly code: number | null;
  readonly wallMs: number;
  readonly peakMb: number;
  readonly output: string;
}

async function runTimed(
  command: readonly string[],
  { cwd, env, timesFile }: { readonly cwd: string; readonly env: Record<string, string>; readonly timesFile: string },
): Promise<Ran> {
  const from = performance.now();
  const child = spawn("bash", ["-c", TIMED, "bash", timesFile, ...command], {
    cwd,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const end = () => killGroup(child);
  const limit = setTimeout(end, runMsMax);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-10_000);
    });
  let peakMb = 0;
  const sampling = setInterval(() => {
    peakMb = Math.max(peakMb, residentMbOf(child.pid ?? -1));
  }, sampleMs);
  const code = await new Promise<number | null>((resolve, reject) => child.on("error", reject).on("exit", resolve));
  const wallMs = performance.now() - from;
  clearInterval(sampling);
  clearTimeout(limit);
  end();
  return { code, wallMs, peakMb, output };
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // All of it has ended.
  }
}

/** Of all that descends from the shell; the shell itself is ours. */
function residentMbOf(shell: number): number {
  const children = childrenOf(shell);
  return children.reduce((sum, pid) => sum + residentMb(pid) + residentMbOf(pid), 0);
}

function childrenOf(pid: number): readonly number[] {
  return contentOf(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
}

const pageMb = 4_096 / 1_048_576;

function residentMb(pid: number): number {
  return Number(contentOf(`/proc/${pid}/statm`).split(" ")[1] ?? 0) * pageMb;
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, "latin1").trim();
  } catch {
    return "";
  }
}

/** The second line of `times`: minutes and seconds of user and system time of what the shell waited for. */
function cpuMsIn(file: string): number {
  const line = readFileSync(file, "utf8").split("\n")[1] ?? "";
  return [...line.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, min, sec]) => sum + Number(min) * 60_000 + Number(sec) * 1_000,
    0,
  );
}

/** What was not done of the task; null where all was. */
function wrongIn(task: Task, asked: readonly Asked[], work: string): string | null {
  const main = asked.filter(({ child, tools }) => child === null && tools);
  if (main.length === 0) return "it asked nothing";
  if (task === "turn") {
    const text = readFileSync(join(work, edited.file), "utf8");
    return text === `${edited.to}\n` ? null : `the file was not edited: ${JSON.stringify(text)}`;
  }
  if (task === "one") return null;
  const done = Array.from({ length: childrenCount }, (_, child) => asked.filter((one) => one.child === child).length);
  return done.every((requests) => requests >= 2) ? null : `its children asked ${done.join(", ")} times`;
}

function spansOf(asked: readonly Asked[]): Pick<Figures, "spanMs" | "longestMs"> {
  const children = asked.filter(({ child }) => child !== null);
  if (children.length === 0) return { spanMs: null, longestMs: null };
  const spans = Array.from({ length: childrenCount }, (_, child) => children.filter((one) => one.child === child)).map(
    spanOf,
  );
  return { spanMs: spanOf(children), longestMs: Math.max(...spans) };
}

function spanOf(asked: readonly Asked[]): number {
  return Math.max(...asked.map(({ toMs }) => toMs)) - Math.min(...asked.map(({ fromMs }) => fromMs));
}

interface RunningServer {
  readonly url: string;
  readonly process: ChildProcess;
  /** Ends it; what it was asked. */
  end(): Promise<readonly Asked[]>;
}

async function startServer(script: string): Promise<RunningServer> {
  const program = join(import.meta.dirname, "server.ts");
  const server = spawn(process.execPath, [program, script], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  const first = Promise.withResolvers<string>();
  server.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    if (said.includes("\n")) first.resolve(said.slice(0, said.indexOf("\n")));
  });
  const over = new Promise<void>((resolve) => server.stdout.once("close", resolve));
  const url = await first.promise;
  return {
    url,
    process: server,
    end: async () => {
      server.kill("SIGTERM");
      await over;
      return JSON.parse(said.slice(said.indexOf("\n") + 1));
    },
  };
}
