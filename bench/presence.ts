// `npm run bench:presence`: what a hook and `skein who` cost beyond a bare start of Node, each paired with one in the same round, medians.
// Everything is real: the bundle, the launcher that clients call, the files, a process for each session.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { linuxProcessTable } from "../src/adapters/node/linux-process-table.ts";
import { syncFiles } from "../src/adapters/node/sync-files.ts";
import { unwrap } from "../src/base/result.ts";
import { LAUNCHER_NAMES, launcherText } from "../src/clients/launcher-text.ts";
import { repositoryKey, sessionKey } from "../src/sessions/presence/ids.ts";
import type { NewLine } from "../src/sessions/presence/line.ts";
import { findPlace } from "../src/sessions/presence/place.ts";
import { Registry } from "../src/sessions/presence/registry.ts";
import { appendLine, isLagging, nothingRead, writeSummary } from "../src/sessions/presence/session-file.ts";

const root = dirname(import.meta.dirname);
const [hookProgram, skeinProgram] = [join(root, "dist", "hook.cjs"), join(root, "dist", "skein.cjs")];
const json = process.argv.includes("--json");
const rounds = numberAfter("--rounds", 31);
/** Measures only the cases whose names hold this text. */
const only = process.argv.includes("--only") ? (process.argv[process.argv.indexOf("--only") + 1] ?? "") : "";

const eventsBetweenReads = 8;
const filesOfDirectory = 10;

interface Case {
  readonly name: string;
  /** Milliseconds more than bare Node that it may take. */
  readonly limitMs: number;
  run(round: number): void;
}

interface Measured {
  readonly name: string;
  readonly bareMs: number;
  readonly medianMs: number;
  /** The median of the differences of each round. */
  readonly moreMs: number;
  readonly limitMs: number;
  readonly ok: boolean;
}

if (!existsSync(hookProgram)) throw new Error(`${hookProgram} is missing: npm run build makes it`);
const place = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "skein-bench-"));
const agents: ChildProcess[] = [];
const launcher = join(place, "skein-hook");
writeFileSync(launcher, launcherText({ hook: hookProgram, node: process.execPath }), { mode: 0o755 });
writeFileSync(join(place, LAUNCHER_NAMES.node), `${process.execPath}\n`);
try {
  const few = await world("few", { sessions: 50, events: 1_000, files: 100 });
  const many = await world("many", { sessions: 500, events: 40, files: 0 });
  const large = await world("large", { sessions: 2, events: 40, files: 3_000 });
  const results = measure([
    {
      name: "tool event (edit) among 50 sessions",
      limitMs: 20,
      run: (round) => few.hook("PostToolUse", `tool`, edit(round)),
    },
    {
      name: "before a shell command, 100 files",
      limitMs: 20,
      run: (round) => few.hook("PreToolUse", "tool", shell(round), ["shell"]),
    },
    {
      name: "after a shell command, 100 files",
      limitMs: 20,
      run: (round) => few.hook("PostToolUse", "tool", shell(round), ["shell"]),
    },
    {
      name: "before a shell command, 3,000 files: git",
      limitMs: 20,
      run: (round) => large.hook("PreToolUse", "tool", shell(round), ["shell"]),
    },
    {
      name: "after a shell command, 3,000 files: git",
      limitMs: 20,
      run: (round) => large.hook("PostToolUse", "tool", shell(round), ["shell"]),
    },
    {
      name: "prompt",
      limitMs: 20,
      run: () => few.hook("UserPromptSubmit", "tool", { prompt: "Go on with the parser" }),
    },
    {
      name: "session start among 50 sessions of 1,000 events",
      limitMs: 50,
      run: (round) => few.hook("SessionStart", `start-${round}`, { source: "startup" }),
    },
    { name: "skein who with 500 sessions", limitMs: 150, run: () => many.who() },
  ]);
  if (json) console.log(JSON.stringify({ rounds, node: process.version, results }));
  else print(results);
} finally {
  for (const agent of agents) agent.kill("SIGKILL");
  rmSync(place, { recursive: true, force: true });
}

interface Size {
  readonly sessions: number;
  /** Of each session. */
  readonly events: number;
  /** Committed ones. */
  readonly files: number;
}

/** A state directory with live sessions in one repository, as their own hooks would have left it. */
async function world(name: string, { sessions, events, files }: Size) {
  const [state, cwd] = [join(place, name, "state"), join(place, name, "repository")];
  mkdirSync(cwd, { recursive: true });
  // Git's own settings of this machine must not count.
  const env = { PATH: process.env.PATH ?? "", HOME: place, SKEIN_STATE_DIR: state };
  const git = (...args: readonly string[]): void => {
    const { status, stderr } = spawnSync("git", ["-C", cwd, "-c", "user.name=b", "-c", "user.email=b@b", ...args], {
      env,
    });
    if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  };
  git("init", "-q");
  for (let file = 0; file < files; file++) {
    const directory = join(cwd, "src", `part-${Math.floor(file / filesOfDirectory)}`);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `module-${file % filesOfDirectory}.ts`), `export const number = ${file};\n`);
  }
  git("add", "-A");
  git("commit", "-q", "-m", "All", "--allow-empty");
  const registry = new Registry(syncFiles, state);
  const machine = await linuxProcessTable.machine();
  const found = await findPlace(syncFiles, cwd);
  for (let index = 0; index < sessions; index++) {
    const agent = spawn("sleep", ["3600"], { stdio: "ignore" });
    agents.push(agent);
    const pid = agent.pid ?? 0;
    const look = (await linuxProcessTable.look([pid])).get(pid);
    const session = `${name}-${index}`;
    const key = sessionKey({ client: "claude-code", session, agent: null, host: machine.host });
    const repository = repositoryKey(found.repository);
    unwrap(await registry.setHome(key, repository), "home");
    const directory = registry.directoryOf(repository, key);
    let before = nothingRead;
    for (let event = 0; event < events; event++) {
      // As often as hooks of such a session would renew its summary.
      if (event % eventsBetweenReads === 0) before = unwrap(await registry.read(repository, key), "read");
      const facts = {
        client: "claude-code",
        session,
        agent: null,
        repository: found.repository,
        cwd,
        process: { pid, start: look?.kind === "running" ? look.start : null },
        shared: false,
        machine,
        terminal: null,
        tmux: null,
        transcript: null,
      } as const;
      unwrap(
        await appendLine(syncFiles, directory, line(event, index, event === 0 ? { facts } : {}), before),
        "append",
      );
      if (isLagging(before)) unwrap(await writeSummary(syncFiles, directory, before, "bench"), "summary");
    }
  }
  const run = (program: readonly string[], input: string): void => start(program, { cwd, env, input });
  return {
    hook: (event: string, session: string, more: object, words: readonly string[] = []): void =>
      run(
        [launcher, "claude-code", ...words],
        JSON.stringify({ hook_event_name: event, session_id: session, cwd, transcript_path: "/t", ...more }),
      ),
    who: (): void => run([process.execPath, skeinProgram, "who"], ""),
  };
}

/** A day's work: mostly edits of some files, commands, now and then a prompt. */
function line(event: number, session: number, more: Partial<NewLine>): NewLine {
  const at = Date.now() - 1_000_000 + event * 900;
  if (event % 20 === 0)
    return { at, kind: "prompt", intent: `Work on part ${session} of the parser`, intentBy: "prompt", ...more };
  if (event % 5 === 1) return { at, kind: "shell-started", call: `c${event}`, ...more };
  if (event % 5 === 2) return { at, kind: "shell-ended", call: `c${event - 1}`, from: at - 900, ...more };
  return { at, kind: "files-edited", how: "tool", files: [`src/part-${session}/module-${event % 60}.ts`], ...more };
}

function edit(round: number): object {
  return { tool_name: "Write", tool_input: { file_path: `src/part-${round}/module-3.ts` }, tool_use_id: `e${round}` };
}

function shell(round: number): object {
  return { tool_name: "Bash", tool_input: { command: "true" }, tool_use_id: `b${round}`, tool_response: {} };
}

/** Round by round, so that what else the machine does meets all of them alike. */
function measure(all: readonly Case[]): readonly Measured[] {
  const cases = all.filter(({ name }) => name.includes(only));
  const times = cases.map(() => ({ bare: [] as number[], own: [] as number[], more: [] as number[] }));
  for (let round = -2; round < rounds; round++) {
    for (const [index, one] of cases.entries()) {
      const bare = timed(() => start([process.execPath, "-e", ""], { cwd: place, env: {}, input: "" }));
      const own = timed(() => one.run(round));
      // The first rounds only warm the disk's cache.
      if (round < 0) continue;
      times[index]?.bare.push(bare);
      times[index]?.own.push(own);
      times[index]?.more.push(own - bare);
    }
  }
  return cases.map(({ name, limitMs }, index) => {
    const { bare = [], own = [], more = [] } = times[index] ?? {};
    const moreMs = median(more);
    return { name, bareMs: median(bare), medianMs: median(own), moreMs, limitMs, ok: moreMs <= limitMs };
  });
}

interface Start {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
}

/** Through a shell and a pipe, as clients start hooks; bare Node, too. */
function start(program: readonly string[], { cwd, env, input }: Start): void {
  const argv = ["-c", 'printf %s "$0" | "$@"', input, ...program];
  const options = {
    cwd,
    env: { PATH: process.env.PATH ?? "", ...env },
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  } as const;
  const { status, stderr } = spawnSync("/bin/sh", argv, options);
  if (status !== 0) throw new Error(`${program.join(" ")}: ${stderr}`);
}

function timed(work: () => void): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

function median(values: readonly number[]): number {
  return Math.round((values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0) * 10) / 10;
}

function print(results: readonly Measured[]): void {
  console.log(`Milliseconds, medians of ${rounds} rounds, Node ${process.version}; load ${loadAverage()}`);
  console.log(`${"".padEnd(50)}   bare    with    more   limit`);
  for (const { name, bareMs, medianMs, moreMs, limitMs, ok } of results)
    console.log(
      `${name.padEnd(50)} ${cell(bareMs)} ${cell(medianMs)} ${cell(moreMs)} ${cell(limitMs)}  ${ok ? "ok" : "OVER"}`,
    );
}

function cell(ms: number): string {
  return ms.toFixed(1).padStart(7);
}

function loadAverage(): string {
  return existsSync("/proc/loadavg")
    ? readFileSync("/proc/loadavg", "utf8").split(" ").slice(0, 2).join(", ")
    : "unknown";
}

function numberAfter(flag: string, otherwise: number): number {
  const at = process.argv.indexOf(flag);
  const value = at < 0 ? otherwise : Number(process.argv[at + 1]);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${flag} needs a whole number from 1`);
  return value;
}
