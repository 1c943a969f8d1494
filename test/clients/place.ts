// One home for all clients of a scenario: a repository, each client's own configuration, and an environment with nothing else in it.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { eventually } from "../support/skein.ts";

/** Set by scripts/test-clients.ts: where the pinned clients and the installed skein are. */
export interface Installed {
  readonly claude: string;
  readonly codex: string;
  readonly skein: string;
  /** Where each other client's commands are, by its name; only in the tests of all clients. */
  readonly others: Readonly<Record<string, string>>;
}

/** What one more client needs in the home. */
export interface Addition {
  /** Among the installed others. */
  readonly folder: string;
  /** By path below home. */
  files(port: number): Readonly<Record<string, string>>;
  env(port: number): Readonly<Record<string, string>>;
}

export function installed(): Installed {
  const text = process.env.SKEIN_CLIENTS;
  if (text === undefined) throw new Error("run these tests with npm run test:clients");
  return JSON.parse(text);
}

export interface Place extends Disposable {
  readonly home: string;
  readonly repository: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs a command in the repository and gives what it printed; throws where it fails. */
  run(program: string, ...args: readonly string[]): string;
  start(program: string, ...args: readonly string[]): Running;
}

export interface Running {
  readonly pid: number;
  /** Resolves with the exit code, null where a signal ended it. */
  readonly ended: Promise<number | null>;
  output(): string;
  /** `kill -9`, of all of it. */
  kill(): Promise<void>;
}

/** The original bytes of the settings: odd on purpose. */
export const claudeSettings =
  '{\r\n\t"unknown" : [ ],\r\n\t"hooks": {"SessionStart": [ {"hooks":[{"type":"command","command":"true"}]} ]}}';
export const codexConfig = (port: number): string => `# a person's own
model = "gpt-5.5"
model_provider = "fake"
check_for_update_on_startup = false
[features]
plugins = false
remote_plugin = false
apps = false
[analytics]
enabled = false
[model_providers.fake]
name = "fake"
base_url = "http://127.0.0.1:${port}/v1"
env_key = "FAKE_API_KEY"
wire_api = "responses"
supports_websockets = false
`;

export function makePlace(
  { claude, codex, skein, others }: Installed,
  port: number,
  more: readonly Addition[] = [],
): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skein-clients-")));
  const [home, repository, temporary] = [join(root, "home"), join(root, "repository"), join(root, "tmp")];
  for (const path of [join(home, ".claude"), join(home, ".codex"), repository, temporary])
    mkdirSync(path, { recursive: true });
  writeFileSync(join(home, ".claude", "settings.json"), claudeSettings);
  writeFileSync(join(home, ".codex", "config.toml"), codexConfig(port));
  for (const [path, text] of more.flatMap((one) => Object.entries(one.files(port)))) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const commands = [...[skein, claude, codex].map(dirname), ...more.map(({ folder }) => commandsOf(others, folder))];
  const server = `http://127.0.0.1:${port}`;
  const env = {
    HOME: home,
    TMPDIR: temporary,
    PATH: [...commands, dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(":"),
    LANG: "C.UTF-8",
    TERM: "xterm",
    HTTPS_PROXY: server,
    HTTP_PROXY: server,
    NO_PROXY: "127.0.0.1,localhost",
    ANTHROPIC_BASE_URL: server,
    ANTHROPIC_API_KEY: "fake",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    FAKE_API_KEY: "fake",
    ...Object.assign({}, ...more.map((one) => one.env(port))),
  };
  const options = { cwd: repository, env, encoding: "utf8" } as const;
  const run = (program: string, ...args: readonly string[]): string => execFileSync(program, args, options);
  run("git", "init", "--quiet", "--initial-branch=main");
  writeFileSync(join(repository, "README.md"), "# sample\n");
  run("git", "add", "--all");
  run("git", "-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "--quiet", "--message", "base");
  const all: Running[] = [];
  const start = (program: string, ...args: readonly string[]): Running => {
    const running = startProcess(program, args, { cwd: repository, env });
    all.push(running);
    return running;
  };
  const end = (): void => {
    for (const { pid } of all) killGroup(pid);
    rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  return { home, repository, env, run, start, [Symbol.dispose]: end };
}

function commandsOf(others: Installed["others"], folder: string): string {
  const commands = others[folder];
  if (commands === undefined) throw new Error(`${folder} is not installed: run these tests with -- all`);
  return commands;
}

/** In a process group of its own, so that all of it can be killed: a client may be a wrapper around its program. */
function startProcess(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Running {
  const child = spawn(program, args, { ...options, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  const pid = child.pid ?? -1;
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => resolve(code));
  });
  const kill = async (): Promise<void> => {
    killGroup(pid);
    await ended;
    await eventually("all of the client is gone", () => (groupMembers(pid).length === 0 ? true : null));
  };
  return { pid, ended, output: () => output, kill };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // All of it has ended.
  }
}

function groupMembers(group: number): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [state, , pgrp] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return Number(pgrp) === group && state !== "Z";
    } catch {
      return false;
    }
  });
}
