// `npm run bench:board`: what the live board costs and how late it is. 200 live sessions in 20 projects, four events a second, the real program on
// a terminal of its own. Prints the board's share of a core and the delay from an event's line on the disk to its text on the terminal.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { linuxProcessTable } from "../src/adapters/node/linux-process-table.ts";
import { syncFiles } from "../src/adapters/node/sync-files.ts";
import { unwrap } from "../src/base/result.ts";
import { repositoryKey, sessionKey } from "../src/sessions/presence/ids.ts";
import type { NewLine } from "../src/sessions/presence/line.ts";
import { findPlace } from "../src/sessions/presence/place.ts";
import { Registry } from "../src/sessions/presence/registry.ts";
import { appendLine, nothingRead } from "../src/sessions/presence/session-file.ts";

const [sessions, projects, eventsPerSecond] = [200, 20, 4];
const seconds = numberAfter("--seconds", 60);
const settleMs = 4_000;
/** The targets. */
const [cpuPercentMax, delayMsMax] = [5, 500];
/** So many of the first projects are on the screen. */
const [columns, rows, projectsSeen] = [200, 60, 5];
const ticksPerSecond = 100;

const program = join(import.meta.dirname, "..", "dist", "skein.cjs");
const place = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "skein-bench-board-"));
const children: ChildProcess[] = [];
try {
  const made = await makeSessions();
  const board = startBoard();
  await delay(settleMs);
  const pid = await boardPid(board.child.pid ?? 0);
  const [before, startedAt] = [cpuMs(pid), performance.now()];
  const delays = await play(made, board);
  const took = performance.now() - startedAt;
  const percent = ((cpuMs(pid) - before) / took) * 100;
  report(percent, delays);
} finally {
  for (const child of children) child.kill("SIGKILL");
  rmSync(place, { recursive: true, force: true });
}

interface Made {
  readonly directory: string;
  readonly visible: boolean;
}

async function makeSessions(): Promise<readonly Made[]> {
  const registry = new Registry(syncFiles, join(place, "state"));
  const machine = await linuxProcessTable.machine();
  const made: Made[] = [];
  for (let index = 0; index < sessions; index++) {
    const project = index % projects;
    const cwd = join(place, "src", `p${String(project).padStart(2, "0")}`);
    mkdirSync(cwd, { recursive: true });
    if (index < projects) spawnSync("git", ["init", "--quiet", "--initial-branch=main", cwd]);
    const agent = spawn("sleep", ["3600"], { stdio: "ignore" });
    children.push(agent);
    const pid = agent.pid ?? 0;
    const look = (await linuxProcessTable.look([pid])).get(pid);
    const { repository } = await findPlace(syncFiles, cwd);
    const session = `bench-${index}`;
    const key = sessionKey({ client: "claude-code", session, agent: null, host: machine.host });
    const home = repositoryKey(repository);
    unwrap(await registry.setHome(key, home), "home");
    const directory = registry.directoryOf(home, key);
    const facts = {
      client: "claude-code",
      session,
      agent: null,
      repository,
      cwd,
      process: { pid, start: look?.kind === "running" ? look.start : null },
      shared: false,
      machine,
      terminal: null,
      tmux: null,
      transcript: null,
    } as const;
    const standing = { worktree: cwd, branch: "main", commit: null };
    await append(directory, {
      at: Date.now(),
      kind: "prompt",
      intent: `Work on part ${index}`,
      intentBy: "prompt",
      facts,
      standing,
    });
    for (let file = 0; file < 20; file++)
      await append(directory, {
        at: Date.now(),
        kind: "files-edited",
        how: "tool",
        files: [`src/part-${index}/file-${file}.ts`],
      });
    made.push({ directory, visible: project < projectsSeen });
  }
  return made;
}

async function append(directory: string, line: NewLine): Promise<void> {
  unwrap(await appendLine(syncFiles, directory, line, nothingRead), "append");
}

interface RunningBoard {
  readonly child: ChildProcess;
  /** Resolves with the time at which the terminal got the text; null if it never did. */
  seen(text: string): Promise<number | null>;
}

/** `script` gives it a terminal, and us what it writes there. */
function startBoard(): RunningBoard {
  const command = `stty cols ${columns} rows ${rows}; exec ${process.execPath} ${program} board`;
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: place,
    TERM: "xterm-256color",
    SKEIN_STATE_DIR: join(place, "state"),
  };
  const child = spawn("script", ["-qfec", command, "/dev/null"], { env, stdio: ["pipe", "pipe", "ignore"] });
  children.push(child);
  const waiting = new Map<string, (at: number) => void>();
  let tail = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    tail = (tail + chunk).slice(-200_000);
    for (const [text, resolve] of waiting) if (tail.includes(text)) resolve(performance.now());
  });
  const seen = async (text: string): Promise<number | null> => {
    const { promise, resolve } = Promise.withResolvers<number>();
    waiting.set(text, resolve);
    const at = await Promise.race([promise, delay(5_000).then(() => null)]);
    waiting.delete(text);
    return at;
  };
  return { child, seen };
}

/** One event every quarter of a second, each third of them a question on a session that can be seen: its words are looked for. */
async function play(made: readonly Made[], board: RunningBoard): Promise<readonly (number | null)[]> {
  const visible = made.filter((one) => one.visible);
  const found: Promise<number | null>[] = [];
  let random = 1;
  const next = (below: number): number => {
    random = (random * 48_271) % 2_147_483_647;
    return random % below;
  };
  for (let event = 0; event < seconds * eventsPerSecond; event++) {
    const startedAt = performance.now();
    if (event % 3 === 0) {
      const one = visible[next(visible.length)];
      const letters = Array.from({ length: 8 }, () => String.fromCharCode(97 + next(26))).join("");
      // The terminal gets only the changed part of a line, which may begin within the word.
      const sought = board.seen(letters.slice(2));
      if (one !== undefined) await append(one.directory, { at: Date.now(), kind: "waiting", reason: letters });
      found.push(sought.then((at) => (at === null ? null : at - startedAt)));
    } else {
      const one = made[next(made.length)];
      if (one !== undefined)
        await append(
          one.directory,
          event % 3 === 1
            ? { at: Date.now(), kind: "seen" }
            : { at: Date.now(), kind: "files-edited", how: "tool", files: [`src/new-${event}.ts`] },
        );
    }
    await delay(1_000 / eventsPerSecond - (performance.now() - startedAt) + next(40) - 20);
  }
  return Promise.all(found);
}

async function boardPid(script: number): Promise<number> {
  const [shell] = (await linuxProcessTable.children(script)) ?? [];
  if (shell === undefined) throw new Error("the board has no process");
  return shell.pid;
}

function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / ticksPerSecond;
}

function report(percent: number, delays: readonly (number | null)[]): void {
  const seen = delays.filter((ms) => ms !== null).toSorted((a, b) => a - b);
  const at = (share: number): number =>
    Math.round(seen[Math.min(seen.length - 1, Math.floor(seen.length * share))] ?? -1);
  const load = readFileSync("/proc/loadavg", "utf8").split(" ").slice(0, 2).join(", ");
  console.log(
    `${sessions} sessions, ${projects} projects, ${eventsPerSecond} events a second for ${seconds} s; ${columns} x ${rows}; Node ${process.version}; load ${load}`,
  );
  console.log(
    `board's processor time   ${percent.toFixed(1)} % of a core   (at most ${cpuPercentMax})   ${percent <= cpuPercentMax ? "ok" : "OVER"}`,
  );
  console.log(
    `event to terminal, ms    p50 ${at(0.5)}  p95 ${at(0.95)}  max ${at(1)}   (p95 at most ${delayMsMax})   ${at(0.95) <= delayMsMax ? "ok" : "OVER"}`,
  );
  console.log(`events looked for ${delays.length}, not seen ${delays.length - seen.length}`);
  if (seen.length < delays.length) process.exitCode = 1;
}

function numberAfter(flag: string, otherwise: number): number {
  const at = process.argv.indexOf(flag);
  const value = at < 0 ? otherwise : Number(process.argv[at + 1]);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${flag} needs a whole number from 1`);
  return value;
}
