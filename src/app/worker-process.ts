// The worker host's process: started beside the coordinator, started again when it dies, ended with the run.

import { asHostId, type HostId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import { cleanLine, cleanText } from "../base/text.ts";
import type { ChildProcess } from "../host/processes.ts";
import type { HostEnd } from "../swarm/coordinator/contract.ts";
import { encodeHostSettings, type HostSettingsLine } from "./host-settings.ts";
import { type Surroundings, shellEnvironment, variable } from "./surroundings.ts";
import type { WorkspaceForm } from "./workspace-form.ts";

export interface WorkerProcessOptions {
  readonly socketPath: string;
  readonly settings: Omit<HostSettingsLine, "overlay">;
  readonly form: WorkspaceForm;
  /** Whether the coordinator has heard of this host. */
  readonly hasJoined: (host: HostId) => boolean;
  /** What a host has to tell the person. */
  readonly onNote: (text: string) => void;
}

export interface WorkerProcess {
  /** Settles when no host could be kept running: with what the last one said. */
  readonly failed: Promise<string>;
  /** The coordinator has given this host up: a process that hangs would neither work nor end. */
  lost(host: HostId): void;
  /** How a host that the coordinator has lost came to its end. */
  howEnded(host: HostId): Promise<HostEnd>;
  stop(): Promise<void>;
}

/** A host that dies is replaced; its tasks are leased again. Hosts that never come so far as to say hello are a fault to be told. */
const startsUnheardMax = 4;
/** Of hosts in a row none of which lived for long. */
const startsShortMax = 40;
const longLifeMsMin = 10 * 60_000;
/** From its start to its hello: a machine may be busy, but a host that says nothing for longer hangs. */
const helloMsMax = 60_000;
/** The connection may end a moment before its process. */
const endedMsMax = 2_000;
/** What a person, the system or its out-of-memory killer sends; a fault of the program ends it otherwise. */
const killSignals: ReadonlySet<string> = new Set(["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"]);
const lastWordsBytesMax = 16 * 1024;

interface Started {
  readonly id: HostId;
  /** Of the run's hosts, from 1. */
  readonly number: number;
  readonly startedMs: number;
}

export async function startWorkerProcess(
  surroundings: Surroundings,
  options: WorkerProcessOptions,
): Promise<Result<WorkerProcess, string>> {
  const { promise: failed, resolve: fail } = Promise.withResolvers<string>();
  let stopping = false;
  let child: ChildProcess | null = null;
  let childId: HostId | null = null;
  let unheard = 0;
  let short = 0;
  const { clock } = surroundings.host;
  const exits = new Map<HostId, ChildProcess["exit"]>();
  const killedByUs = new Set<HostId>();
  const kill = (host: HostId): void => {
    if (stopping || host !== childId) return;
    killedByUs.add(host);
    // The next one is started when this one has ended.
    child?.kill("SIGKILL");
  };

  const start = async (number: number): Promise<Result<void, string>> => {
    const id = asHostId(`host-${number}`);
    // A host that never spoke may have been kept from it by its namespaces.
    const form = unheard === 0 && options.form.kind === "overlay" ? options.form : null;
    const enter = form?.enter ?? [];
    const spawned = await surroundings.host.processes.spawn({
      argv: [...enter, surroundings.nodePath, ...surroundings.workerHost, options.socketPath, id],
      cwd: surroundings.cwd,
      env: hostEnvironment(surroundings.env),
      // Its agents' commands lead groups of their own: only it can end them.
      atExit: "SIGTERM",
    });
    if (!spawned.ok) return err(spawned.error.message);
    child = spawned.value;
    childId = id;
    exits.set(id, spawned.value.exit);
    const patience = clock.after(helloMsMax, () => {
      if (!options.hasJoined(id)) kill(id);
    });
    void spawned.value.exit.then(() => patience.cancel());
    void watch(spawned.value, { id, number, startedMs: clock.monotonicMs() });
    await spawned.value.write(encodeHostSettings(settingsOf({ ...options.settings, overlay: form }, number)));
    spawned.value.endInput();
    return ok(undefined);
  };

  const watch = async (host: ChildProcess, { id, number, startedMs }: Started): Promise<void> => {
    const [words] = await Promise.all([lastWords(host.stderr, options.onNote), lastWords(host.stdout, () => {})]);
    const exit = await host.exit;
    if (stopping) return;
    const heard = options.hasJoined(id);
    const how =
      !heard && killedByUs.has(id)
        ? `said nothing for ${helloMsMax / 1_000} s after its start`
        : exit.kind === "code"
          ? `ended with code ${exit.code}`
          : `was ended by ${exit.signal}`;
    const told = `the worker host ${how}${words === "" ? "" : `: ${words}`}`;
    unheard = heard ? 0 : unheard + 1;
    short = clock.monotonicMs() - startedMs >= longLifeMsMin ? 0 : short + 1;
    if (unheard >= startsUnheardMax || short >= startsShortMax) return fail(told);
    const again = await start(number + 1);
    if (!again.ok) fail(again.error);
  };

  const first = await start(1);
  if (!first.ok) return first;
  return ok({
    failed,
    lost: kill,
    async howEnded(host) {
      const patience = new AbortController();
      const exit = await Promise.race([exits.get(host) ?? null, clock.sleep(endedMsMax, patience.signal)]);
      patience.abort();
      const isOurs = killedByUs.has(host);
      return exit?.kind === "signal" && killSignals.has(exit.signal) && !isOurs ? "killed" : "other";
    },
    async stop() {
      stopping = true;
      if (child === null) return;
      const host = child;
      const ends = async (graceMs: number): Promise<void> => {
        const patience = new AbortController();
        await Promise.race([host.exit, clock.sleep(graceMs, patience.signal)]);
        patience.abort();
      };
      await ends(stopGraceMs);
      // It ends its agents' commands first; one that hangs cannot.
      host.kill("SIGTERM");
      await ends(termGraceMs);
      host.kill("SIGKILL");
      await host.exit;
    },
  });
}

/** For its agents' commands to end after the run's end was announced. */
const stopGraceMs = 3_000;
const termGraceMs = 1_000;

/** The requests of the host before may be less than a minute old. */
/** A host's commands get less: see `shellEnvironment`. Its own compiled form is kept where ours is. */
function hostEnvironment(env: Surroundings["env"]): Readonly<Record<string, string>> {
  const caches = variable(env, "XDG_CACHE_HOME");
  return { ...shellEnvironment(env), ...(caches === null ? {} : { XDG_CACHE_HOME: caches }) };
}

function settingsOf(settings: HostSettingsLine, number: number): HostSettingsLine {
  return number === 1 ? settings : { ...settings, limits: { ...settings.limits, askedLately: true } };
}

const notePrefix = "note: ";

/** The line on a host's standard error that is for the person. */
export function workerNote(text: string): string {
  return `${notePrefix}${cleanLine(text, noteCharsMax)}`;
}

const noteCharsMax = 1_000;

/** Hands the notes on as they come; answers the end of the rest. */
async function lastWords(stream: AsyncIterable<Uint8Array>, onNote: (text: string) => void): Promise<string> {
  let kept = "";
  let line = "";
  const decoder = new TextDecoder();
  const take = (whole: string): void => {
    if (whole.startsWith(notePrefix)) onNote(cleanLine(whole.slice(notePrefix.length), noteCharsMax));
    else kept = `${kept}${whole}\n`.slice(-lastWordsBytesMax);
  };
  for await (const chunk of stream) {
    const lines = `${line}${decoder.decode(chunk, { stream: true })}`.split("\n");
    line = (lines.pop() ?? "").slice(-lastWordsBytesMax);
    for (const whole of lines) take(whole);
  }
  if (line !== "") take(line);
  return cleanText(kept.trim(), 4_000);
}
