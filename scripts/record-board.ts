// `node scripts/bootstrap.mjs --build node scripts/record-board.ts [file]`: a minute of the board as an animated picture (docs/board.svg). The sessions
// are played: processes that only sleep, with the lines that hooks would have written. The board is the real program on a real terminal (tmux).
// `--still` ends after the first pictures; `--sessions 200` plays so many; `--columns`, `--rows`, `--no-color`, `--keys "j Enter"`.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { linuxProcessTable } from "../src/adapters/node/linux-process-table.ts";
import { syncFiles } from "../src/adapters/node/sync-files.ts";
import { unwrap } from "../src/base/result.ts";
import { repositoryKey, sessionKey } from "../src/sessions/presence/ids.ts";
import type { NewLine } from "../src/sessions/presence/line.ts";
import { findPlace } from "../src/sessions/presence/place.ts";
import { Registry } from "../src/sessions/presence/registry.ts";
import { appendLine, nothingRead } from "../src/sessions/presence/session-file.ts";
import { type Frame, svgOf } from "./terminal-svg.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    still: { type: "boolean", default: false },
    "no-color": { type: "boolean", default: false },
    sessions: { type: "string", default: "5" },
    columns: { type: "string", default: "96" },
    rows: { type: "string", default: "20" },
    keys: { type: "string", default: "" },
  },
});
const root = dirname(import.meta.dirname);
const out = positionals[0] ?? join(root, "docs", "board.svg");
const [columns, rows, count] = [Number(values.columns), Number(values.rows), Number(values.sessions)];
const frameMs = 500;
const MINUTE = 60_000;

const place = mkdtempSync(join(tmpdir(), "skein-record-"));
const socket = join(place, "tmux");
const children: ChildProcess[] = [];
const machine = await linuxProcessTable.machine();
const registry = new Registry(syncFiles, join(place, "state"));

const clients = ["claude-code", "codex", "skein"] as const;
const projects = ["web-shop", "parser", "infra"];
const more =
  "atlas beacon cobalt delta ember fjord garnet harbor indigo juniper kestrel lumen meadow nimbus onyx prairie quartz".split(
    " ",
  );
const tasks = [
  ["Make the parser accept comments", "src/lexer.ts", "test/comments.test.ts"],
  ["Fix the flaky login test", "test/login.test.ts", "src/session.ts"],
  ["Move invoices to the new table", "db/0042_invoices.sql", "src/invoice.ts"],
  ["Why does the queue stall at night", "docs/queue.md", "src/queue.ts"],
  ["Add a --json flag to every command", "src/cli/main.ts", "README.md"],
] as const;

interface Played {
  readonly tell: (line: Omit<NewLine, "at">, agoMs?: number) => Promise<void>;
  readonly child: ChildProcess;
}

try {
  const sessions = await Promise.all(Array.from({ length: count }, (_, index) => play(index)));
  await begin(sessions);
  const frames: Frame[] = [];
  const tmux = startBoard();
  await delay(2_500);
  for (const key of values.keys.split(" ").filter((word) => word !== "")) {
    tmux("send-keys", key);
    await delay(400);
  }
  const startedAt = performance.now();
  const story = values.still ? [] : storyOf(sessions);
  for (const lastMs = values.still ? 0 : MINUTE; ; ) {
    const ms = performance.now() - startedAt;
    for (const [atS, step] of story.splice(0, story.filter(([atS]) => atS * 1_000 <= ms).length))
      if (atS >= 0) await step();
    frames.push({ ms, text: tmux("capture-pane", "-p", "-e") });
    if (ms >= lastMs) break;
    await delay(frameMs);
  }
  const svg = svgOf(frames, { columns, rows, title: "skein board, with played sessions" });
  writeFileSync(out, svg);
  console.log(`${out}: ${frames.length} pictures, ${Math.round(svg.length / 1_000)} kB`);
} finally {
  spawnSync("tmux", ["-S", socket, "kill-server"], { stdio: "ignore" });
  for (const child of children) child.kill("SIGKILL");
  rmSync(place, { recursive: true, force: true });
}

function startBoard(): (...args: readonly string[]) => string {
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: place,
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    SKEIN_STATE_DIR: join(place, "state"),
    ...(values["no-color"] ? { NO_COLOR: "1" } : {}),
  };
  const tmux = (...args: readonly string[]): string =>
    execFileSync("tmux", ["-u", "-S", socket, "-f", "/dev/null", ...args], { env, encoding: "utf8" });
  const program = [process.execPath, join(root, "dist", "skein.cjs"), "board"];
  tmux("new-session", "-d", "-x", String(columns), "-y", String(rows), ...program);
  tmux("set-option", "-g", "status", "off");
  return tmux;
}

async function play(index: number): Promise<Played> {
  const names = count > 9 ? [...projects, ...more] : projects;
  const cwd = join(place, names[index % names.length] ?? "app");
  mkdirSync(join(cwd, ".git", "refs"), { recursive: true });
  mkdirSync(join(cwd, ".git", "objects"), { recursive: true });
  writeFileSync(join(cwd, ".git", "HEAD"), "ref: refs/heads/main\n");
  const child = spawn("sleep", ["3600"], { stdio: "ignore" });
  children.push(child);
  const look = (await linuxProcessTable.look([child.pid ?? 0])).get(child.pid ?? 0);
  const { repository } = await findPlace(syncFiles, cwd);
  const client = clients[index % clients.length] ?? "codex";
  const session = ((index + 3) * 2_654_435_761).toString(16).slice(-8);
  const key = sessionKey({ client, session, agent: null, host: machine.host });
  unwrap(await registry.setHome(key, repositoryKey(repository)), "home");
  const facts = {
    client,
    session,
    agent: null,
    repository,
    cwd,
    process: { pid: child.pid ?? 0, start: look?.kind === "running" ? look.start : null },
    shared: false,
    machine,
    terminal: `pts/${index}`,
    tmux: null,
    transcript: null,
  };
  const branch = index % 2 === 0 ? "main" : `feature/${["login", "invoices", "queue"][index % 3]}`;
  const standing = { worktree: cwd, branch, commit: null };
  const directory = registry.directoryOf(repositoryKey(repository), key);
  const tell: Played["tell"] = async (line, agoMs = 0) => {
    const whole = { ...line, at: Date.now() - agoMs, facts, standing };
    unwrap(await appendLine(syncFiles, directory, whole, nothingRead), "append");
  };
  return { tell, child };
}

/** Where they stand when the board is opened: some at work, every sixth waiting. */
async function begin(sessions: readonly Played[]): Promise<void> {
  for (const [index, { tell }] of sessions.entries()) {
    const [intent, ...files] = tasks[index % tasks.length] ?? tasks[0];
    const agoMs = (4 + ((index * 7) % 50)) * MINUTE;
    await tell({ kind: "prompt", person: true, intent, intentBy: "prompt" }, agoMs);
    await tell({ kind: "files-edited", how: "tool", files: files.slice(0, 1 + (index % 2)) }, agoMs - MINUTE);
    if (index % 6 === 2) await tell({ kind: "turn-ended", background: 0 }, 3 * MINUTE);
    if (index % 6 === 5)
      await tell({ kind: "waiting", reason: index % 4 === 1 ? "permission: Bash" : "a question" }, MINUTE);
  }
}

function storyOf([a, b, c, d, e]: readonly Played[]): (readonly [number, () => Promise<void>])[] {
  if (a === undefined || b === undefined || c === undefined || d === undefined || e === undefined) return [];
  return [
    [4, () => b.tell({ kind: "waiting", reason: "permission: Bash" })],
    [12, () => b.tell({ kind: "shell-ended" })],
    [16, () => a.tell({ kind: "turn-ended", background: 2 })],
    [22, () => c.tell({ kind: "prompt", person: true, intent: "Now write the migration's test", intentBy: "prompt" })],
    [28, () => d.tell({ kind: "waiting", reason: "a question" })],
    [34, () => a.tell({ kind: "turn-ended", background: 0 })],
    [40, async () => void e.child.kill("SIGKILL")],
    [46, () => d.tell({ kind: "seen" })],
    [50, () => a.tell({ kind: "prompt", person: true, intent: "Go on with the error messages", intentBy: "prompt" })],
    [55, () => b.tell({ kind: "turn-ended", background: 0 })],
  ];
}
