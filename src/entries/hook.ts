// `skein hook <client>`: started by somebody else's agent at each of its events, many times a minute, and over within milliseconds.
// Invariant: it ends with code 0 whatever happens, and prints nothing but what the client passes to its agent.

import { nodeClock } from "../adapters/node/clock.ts";
import { writeDirectly } from "../adapters/node/direct-output.ts";
import { linuxProcessTable } from "../adapters/node/linux-process-table.ts";
import { readInputObject } from "../adapters/node/read-object.ts";
import { startedLook } from "../adapters/node/started-look.ts";
import { syncFiles } from "../adapters/node/sync-files.ts";
import { HOOK_CLIENTS } from "../clients/hook-clients.ts";
import { CHECK } from "../clients/launcher-command.ts";
import { markLook } from "../clients/launcher-mark.ts";
import type { ProcessTable } from "../host/process-table.ts";
import type { ProgramQuestion } from "../host/program-output.ts";
import type { HookClient } from "../sessions/client.ts";
import { memoryAtStart } from "../sessions/memory/at-start.ts";
import { memoryIn } from "../sessions/memory/places.ts";
import { logFault } from "../sessions/presence/faults.ts";
import { repositoryKey } from "../sessions/presence/ids.ts";
import { recordEvent } from "../sessions/presence/record-event.ts";
import { Registry } from "../sessions/presence/registry.ts";
import { fullAnswer, settingsText } from "../sessions/presence/worktree-look.ts";
import { WorktreeMemory } from "../sessions/presence/worktree-memory.ts";
import { configPath, presenceSettings } from "../sessions/settings.ts";
import { stateRoot } from "../sessions/state-root.ts";

/** What a hook waits for altogether. Waiting for a processor is not in it, as far as that can be told apart. */
const waitMsMax = 1_000;
const inputMsMax = 500;
const configBytesMax = 256 * 1024;
const settingsBytesMax = 256 * 1024;

const { env, argv, pid, platform } = process;
// Through the command the first argument is `hook` itself.
const wanted = argv[2] === "hook" ? argv[3] : argv[2];

/** For `hook-start.ts`: what kind of event this was, null for none, and whether it is one that comes again and again. */
export const happened: { kind: string | null; often: boolean } = { kind: null, often: false };
/** Their functions are worth keeping compiled; what else is called at a start would be loaded at each of these. */
const OFTEN: ReadonlySet<string> = new Set(["files-edited", "shell-started", "shell-ended", "prompt"]);

const now = nodeClock.now();
const begunMs = nodeClock.monotonicMs();
/** Git's look at the worktree that runs beside this process. It ends with it, whatever becomes of the event. */
const started = startedLook({ variable: env.SKEIN_LOOK, directory: ownDirectory(), parentPid: process.ppid, now });

// Nobody reads them: the log has messages alone, and files that are not there make exceptions all the time.
Error.stackTraceLimit = 0;

process.on("uncaughtException", (error) => void giveUp(error));
// A status line or an MCP server without its program, which went with the package: nothing is shown, and no server is there.
void (env.SKEIN_HOOKS_OFF === "1" || wanted === "statusline" || wanted === "mcp" ? end() : begin());

function begin(): Promise<void> {
  return (wanted === CHECK ? check() : main()).catch(giveUp);
}

/** For `skein doctor`: on what the launcher has brought it to run, and where it would keep its records. */
async function check(): Promise<void> {
  const root = stateRoot(env, platform);
  const said = { node: process.execPath, version: process.version, hook: argv[1], state: root.ok ? root.value : null };
  await print(`${JSON.stringify(said)}\n`);
  end();
}

async function main(): Promise<void> {
  const client = HOOK_CLIENTS.find(({ name }) => name === wanted);
  if (client === undefined) return giveUp(new Error(`there is no client ${JSON.stringify(wanted ?? "")}`));
  const payload = await readInputObject({ msMax: inputMsMax, platform });
  if (!payload.ok) return giveUp(new Error(payload.error));
  const root = stateRoot(env, platform);
  // Without a place for records there is none for the fault either.
  if (!root.ok) return end();
  const answer = await answerTo(client, payload.value, root.value);
  await print(answer.output);
  await answer.afterwards();
  end();
}

const unique = `${pid}-${Math.trunc(nodeClock.monotonicMs() * 1000)}`;
const programs = {
  files: syncFiles,
  // Loaded only where a program has to be started.
  programOutput: async (question: ProgramQuestion) =>
    (await import("../adapters/node/sync-program-output.ts")).syncProgramOutput(question),
  environment: { PATH: env.PATH ?? "/usr/bin:/bin", HOME: env.HOME ?? "/" },
};

interface Answer {
  readonly output: string | null;
  readonly afterwards: () => Promise<void>;
}

const nothing: Answer = { output: null, afterwards: async () => {} };

async function answerTo(client: HookClient, payload: unknown, root: string): Promise<Answer> {
  const call = { payload, env, cwd: ownDirectory() };
  const event = client.toEvent(call);
  if (!event.ok) throw new Error(event.error.message);
  if (event.value !== null) {
    const { kind } = event.value.action;
    Object.assign(happened, { kind: `${event.value.client}:${kind}`, often: OFTEN.has(kind) });
  }
  if (event.value === null || (await holdOurs(client.toldThrough?.(event.value, call) ?? []))) return nothing;
  if (event.value.action.kind === "session-started") {
    await syncFiles.makeDirectory(root, { private: true });
    await syncFiles.makePrivate(root);
  }
  const registry = new Registry(syncFiles, root);
  const recorded = await recordEvent(
    {
      registry,
      processes: await processTable(),
      tools: { ...programs, known: worktreeMemory(registry) },
      started,
      settings: presenceSettings(await configText()),
      now,
      unique,
      parentPid: process.ppid,
      terminal: { tmux: tmuxPane() },
      startWords: { of: (start) => memoryAtStart(memoryIn(syncFiles, root), start) },
    },
    event.value,
  );
  if (!recorded.ok) throw new Error(`${recorded.error.path}: ${recorded.error.message}`);
  const { context, afterwards } = recorded.value;
  return { output: context === null ? null : client.toOutput(event.value, context), afterwards };
}

function worktreeMemory(registry: Registry): WorktreeMemory {
  const directory = ownDirectory();
  return new WorktreeMemory({
    files: syncFiles,
    directoryOf: ({ repository }) => registry.repositoryDirectory(repositoryKey(repository)),
    answerOf: (worktree, msMax) => fullAnswer(programs, worktree, { msMax, clock: nodeClock }),
    settingsOf: (worktree, msMax) => settingsText(programs, worktree, msMax),
    msLeft: (least) => Math.max(least, waitMsMax - Math.ceil(nodeClock.monotonicMs() - begunMs)),
    home: programs.environment.HOME,
    now,
    unique,
    gitStarted: started !== null,
    mark: (index) => markLook(syncFiles, { env, directory, index, now }),
  });
}

/** Whether one of these files has hooks of ours. */
async function holdOurs(paths: readonly string[]): Promise<boolean> {
  for (const path of paths) {
    const bytes = await syncFiles.read(path, settingsBytesMax);
    if (bytes.ok && Buffer.from(bytes.value).includes("skein-hook")) return true;
  }
  return false;
}

async function processTable(): Promise<ProcessTable> {
  if (platform === "linux") return linuxProcessTable;
  return (await import("../adapters/node/process-table.ts")).nodeProcessTable(platform);
}

async function configText(): Promise<string | null> {
  const path = configPath(env);
  const bytes = path === null ? null : await syncFiles.read(path, configBytesMax);
  return bytes?.ok ? Buffer.from(bytes.value).toString("utf8") : null;
}

function tmuxPane(): string | null {
  const socket = env.TMUX?.split(",")[0] ?? "";
  return env.TMUX_PANE === undefined ? null : `${env.TMUX_PANE} ${socket}`.trim();
}

function print(output: string | null): Promise<void> {
  if (output === null || output === "") return Promise.resolve();
  const rest = writeDirectly(1, Buffer.from(output), platform);
  if (rest.length === 0) return Promise.resolve();
  // Opening it costs several milliseconds.
  return new Promise((resolve) => {
    process.stdout.on("error", () => resolve());
    process.stdout.write(rest, () => resolve());
  });
}

/** Where git was started, too. One that was removed is no worktree's. */
function ownDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return "/";
  }
}

/** The fault goes to our own log, and the agent goes on. */
async function giveUp(cause: unknown): Promise<void> {
  try {
    const root = stateRoot(env, platform);
    const message = cause instanceof Error ? cause.message : String(cause);
    if (root.ok) await logFault(syncFiles, root.value, { at: nodeClock.now(), client: wanted ?? "", message });
  } finally {
    end();
  }
}

function end(): never {
  started?.drop();
  process.exit(0);
}
