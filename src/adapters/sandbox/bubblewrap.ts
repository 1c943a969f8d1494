// The Sandbox port on bubblewrap (bwrap(1)), for Linux: namespaces of its own for users, processes, mounts and network, no rights, a
// read-only machine. Works for root and for a plain user. The command stays in the process group that it is started in, and its processes
// keep their environment, so that whoever ends groups and marks ends it too; with its first process all others of its namespace end.

import { delimiter, isAbsolute, join } from "node:path";
import { err, ok, type Result } from "../../base/result.ts";
import { cleanLine } from "../../base/text.ts";
import type { Clock } from "../../host/clock.ts";
import type { Files } from "../../host/files.ts";
import { beginDescriptor, type ChildProcess, type Processes, type SpawnSpec } from "../../host/processes.ts";
import type { Sandbox, SandboxBox } from "../../host/sandbox.ts";
import { mountArguments } from "./mounts.ts";
import { type Survey, survey } from "./survey.ts";

export interface BubblewrapOptions {
  readonly files: Files;
  readonly processes: Processes;
  readonly clock: Clock;
  /** As Node names the system. */
  readonly platform: string;
  /** Of the commands: its PATH is also where bubblewrap is looked for. */
  readonly env: Readonly<Record<string, string>>;
  /** Directories that appear empty, beside the home: where runs are kept, where sockets lie. */
  readonly hidden: readonly string[];
  /** More places that may be written, absolute and without symlinks. */
  readonly open: readonly string[];
  readonly network: boolean;
}

export interface NoSandbox {
  /** Why there is none, for people. */
  readonly reason: string;
  readonly remedy: string | null;
}

const ALONE = [
  ...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
  ...["--cap-drop", "ALL"],
] as const;

/** Caches in the home cannot be written, and many tools do not work without one. */
const ENVIRONMENT = { TMPDIR: "/tmp", XDG_CACHE_HOME: "/tmp/.cache", npm_config_cache: "/tmp/.cache/npm" };

const saidBytesMax = 4_096;

/** Tries it: a program that is there may still be refused what it needs. */
export async function openBubblewrap(options: BubblewrapOptions): Promise<Result<Sandbox, NoSandbox>> {
  const { files, platform, env, network } = options;
  if (platform !== "linux") return err({ reason: `there is none for this system (${platform})`, remedy: null });
  const program = await findProgram(files, "bwrap", env.PATH ?? "");
  if (program === null) return err({ reason: "bubblewrap (bwrap) is not installed", remedy: "install bubblewrap" });
  const around = [program, ...ALONE, ...(network ? [] : ["--unshare-net"])] as const;
  const [surveyed, failure] = await Promise.all([
    survey({ files, env, hidden: options.hidden }),
    probe(options, around),
  ]);
  if (failure !== null) return err({ reason: `bubblewrap does not work here: ${failure}`, remedy: remedyFor(failure) });
  return ok({
    name: "bubblewrap",
    environment: ENVIRONMENT,
    processesIn: (box) => confined(options, { around, surveyed }, box),
  });
}

interface Known {
  readonly around: readonly [string, ...string[]];
  readonly surveyed: Survey;
}

function confined(
  { files, processes, clock, open }: BubblewrapOptions,
  { around, surveyed }: Known,
  box: SandboxBox,
): Processes {
  let made: ReturnType<Files["makeDirectory"]> | null = null;
  const mounts = mountArguments(surveyed, { ...box, open });
  return {
    async spawn(spec) {
      // What is missing is told as it would be without a sandbox.
      if ((await findProgram(files, spec.argv[0], spec.env.PATH ?? "")) === null) return processes.spawn(spec);
      made ??= files.makeDirectory(box.temporary, { private: true });
      const temporary = await made;
      if (!temporary.ok) {
        made = null;
        return err({ kind: "spawn", code: "other", program: spec.argv[0], message: temporary.error.message });
      }
      const started = await begin({ processes, clock }, within(spec, [...around, ...mounts]));
      if (started.ok) return started;
      const message = `its sandbox could not be made: ${started.error.message}`;
      return err({ ...started.error, program: spec.argv[0], message });
    },
  };
}

/** Said where the sandbox is whole; the program takes the shell's place. */
const BEGIN = `echo >&${beginDescriptor}; exec 3>&- ${beginDescriptor}>&-; exec "$@"`;

function within(spec: SpawnSpec, around: readonly string[]): SpawnSpec {
  const [program = "", ...rest] = around;
  const inside = ["/bin/sh", "-c", BEGIN, "sh", ...spec.argv];
  return { ...spec, tellsBegin: true, argv: [program, ...rest, "--chdir", spec.cwd, "--", ...inside] };
}

/**
 * bubblewrap reads which mounts there are and then changes each: it ends where one has gone meanwhile (`bind_mount` in its
 * bind-mount.c), as trees of other agents and containers of others do. What it was to start has not begun then, and is tried again.
 */
const triesMax = 6;
const pauseMs = 30;

async function begin({ processes, clock }: Pick<BubblewrapOptions, "processes" | "clock">, spec: SpawnSpec) {
  for (let tries = 1; ; tries++) {
    const started = await processes.spawn(spec);
    if (!started.ok || (await hasBegun(started.value, clock))) return started;
    const failure = await failureOf(started.value);
    started.value.kill("SIGKILL");
    if (tries === triesMax || remedyFor(failure) !== null)
      return err({ kind: "spawn", code: "other", program: spec.argv[0], message: failure } as const);
    await clock.sleep(pauseMs * tries);
  }
}

/** One that takes long is handed over as it is: whoever started it has a limit, and may stop it. */
const beginMsMax = 3_000;

async function hasBegun({ begun }: ChildProcess, clock: Clock): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = clock.after(beginMsMax, () => resolve(true));
  try {
    return await Promise.race([begun ?? true, late]);
  } finally {
    timer.cancel();
  }
}

/** Null where a program runs inside, else what kept it from it. */
async function probe(
  { processes, clock }: Pick<BubblewrapOptions, "processes" | "clock">,
  around: readonly string[],
): Promise<string | null> {
  const mounts = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run"];
  const spec: SpawnSpec = { argv: ["true"], cwd: "/", env: { PATH: "/usr/bin:/bin" } };
  const tried = await begin({ processes, clock }, within(spec, [...around, ...mounts]));
  if (!tried.ok) return tried.error.message;
  tried.value.endInput();
  const [failure, ended] = await Promise.all([failureOf(tried.value), tried.value.exit]);
  return ended.kind === "code" && ended.code === 0 ? null : failure;
}

async function failureOf({ stdout, stderr, exit }: ChildProcess): Promise<string> {
  const [, said, ended] = await Promise.all([textOf(stdout), textOf(stderr), exit]);
  const how = ended.kind === "code" ? `exit code ${ended.code}` : `ended by ${ended.signal}`;
  return cleanLine(said.replace(/^bwrap: /, ""), 300) || how;
}

async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream) if (text.length < saidBytesMax) text += Buffer.from(chunk).toString("utf8");
  return text;
}

/** The usual reasons: https://github.com/containers/bubblewrap, and AppArmor's restriction in Ubuntu since 23.10. */
function remedyFor(failure: string): string | null {
  if (/uid map|user namespace|Operation not permitted|Permission denied|No permissions/i.test(failure))
    return "let it make user namespaces: a profile for bwrap where AppArmor restricts them, or kernel.unprivileged_userns_clone=1";
  if (/capabilities/i.test(failure)) return "start skein without ambient capabilities";
  return null;
}

/** By an absolute name, or by the absolute parts of the PATH: a relative one would lead into the agent's tree. */
async function findProgram(files: Files, name: string, path: string): Promise<string | null> {
  const places = name.includes("/")
    ? [name]
    : path
        .split(delimiter)
        .filter((part) => isAbsolute(part))
        .map((part) => join(part, name));
  for (const place of places) {
    const real = await files.realPath(place);
    const stat = real.ok ? await files.stat(real.value) : real;
    if (stat.ok && stat.value.kind === "file" && stat.value.executable) return place;
  }
  return null;
}
