// A place of its own for one run of the program: home, state and temporary directory, an environment with nothing else in it,
// and the end of all of them.

import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Sandbox extends Disposable {
  readonly root: string;
  readonly home: string;
  readonly state: string;
  readonly temporary: string;
  /** All that the program finds in its environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Of all sandboxes: the program's compiled form, which holds nothing else and is used by every start. */
const caches = join(tmpdir(), "skein-tests-cache");

/** Whether agents' commands can be held on this machine; where they cannot, tests run them without. */
export const hasSandbox =
  spawnSync("bwrap", ["--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "true"]).status ===
  0;

/** Removed, whole, at the end of the `using` scope. */
export function sandbox(): Sandbox {
  const root = realpathSync(mkdtempSync(join(place(), "skein-cli-")));
  const [home, state, temporary] = [join(root, "home"), join(root, "state"), join(root, "tmp")];
  for (const directory of [home, state, temporary]) mkdirSync(directory);
  mkdirSync(caches, { recursive: true });
  const env = {
    PATH: process.env.PATH ?? "/usr/bin:/bin",
    HOME: home,
    SKEIN_STATE_DIR: state,
    TMPDIR: temporary,
    XDG_CACHE_HOME: caches,
    ...(hasSandbox ? {} : { SKEIN_SANDBOX: "off" }),
  };
  const remove = () => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  return { root, home, state, temporary, env, [Symbol.dispose]: remove };
}

/** Lets commands of agents write into the home, where tests wait for what they leave. */
export function openHome({ home }: Sandbox): void {
  const directory = join(home, ".config", "skein");
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "config.json"), JSON.stringify({ sandbox: { writable: ["~"] } }));
}

/** Memory where there is enough: a busy disk makes thousands of small files and flushes slow. */
function place(): string {
  if (!existsSync("/dev/shm")) return tmpdir();
  const { bavail, bsize } = statfsSync("/dev/shm");
  return bavail * bsize >= memoryBytesMin ? "/dev/shm" : tmpdir();
}

const memoryBytesMin = 2 * 1024 ** 3;

export interface FoundProcess {
  readonly pid: number;
  readonly command: string;
}

/** Living processes that were started in this sandbox: its directories stand in the environment of all that descend from it. */
export function processesIn({ home }: Sandbox): readonly FoundProcess[] {
  return existsSync("/proc/self/environ") ? processesOfProc(home) : processesOfPs(home);
}

function processesOfProc(mark: string): FoundProcess[] {
  const found: FoundProcess[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    // Another user's process cannot be read, and a zombie's environment is empty.
    if (!contentOf(`/proc/${name}/environ`).split("\0").includes(`HOME=${mark}`)) continue;
    found.push({ pid: Number(name), command: contentOf(`/proc/${name}/cmdline`).replaceAll("\0", " ").trim() });
  }
  return found;
}

function processesOfPs(mark: string): FoundProcess[] {
  const lines = execFileSync("ps", ["axeww", "-o", "pid=,command="], { encoding: "utf8" }).split("\n");
  return lines.flatMap((line) => {
    const [, pid, command] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined || command?.includes(`HOME=${mark} `) !== true ? [] : [{ pid: Number(pid), command }];
  });
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
