// One stretch of a run, from its first record to the branch: the same for a new run and for one that is resumed.

import { join } from "node:path";
import type { AgentId, RunId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import { cleanLine, cleanText } from "../base/text.ts";
import type { NewRecord } from "../log/log.ts";
import { describeAppendError } from "../swarm/coordinator/append-error.ts";
import type { Coordinator, RunEnd } from "../swarm/coordinator/contract.ts";
import { startCoordinator } from "../swarm/coordinator/coordinator.ts";
import { type SwarmState, swarmFold } from "../swarm/state.ts";
import { summarize, taskLines } from "../swarm/view.ts";
import { removeCoordinatorFile, writeCoordinatorFile } from "./coordinator-file.ts";
import { coordinatorOptions } from "./coordinator-options.ts";
import { DurableView } from "./durable-view.ts";
import { finishRun } from "./finish-run.ts";
import type { HostSettingsLine } from "./host-settings.ts";
import { knownKeys } from "./known-keys.ts";
import { listenForStop, whyStopped } from "./late-stop.ts";
import { toWire } from "./model-wire.ts";
import type { Decided, Inspected } from "./prepare-swarm.ts";
import { takeReserve } from "./reserve.ts";
import { distinctModels, modelNames } from "./role-models.ts";
import { spendingOf } from "./spending.ts";
import { removeStaleSockets, socketName } from "./stale-sockets.ts";
import type { RunDirectories } from "./state-directory.ts";
import type { Store } from "./store.ts";
import { startStoreServer } from "./store-server.ts";
import type { Surroundings } from "./surroundings.ts";
import { openSwarmSession, type SwarmSession } from "./swarm-session.ts";
import type { RunView, SwarmError, SwarmResult, SwarmWatcher } from "./swarm-types.ts";
import { startWorkerProcess, type WorkerProcess } from "./worker-process.ts";
import { workspaceForm } from "./workspace-form.ts";

export interface RunParts extends Inspected, Decided {
  readonly id: RunId;
  readonly directories: RunDirectories;
  readonly store: Store;
  readonly goal: string;
  /** What this stretch begins with in the log. */
  readonly records: readonly NewRecord[];
  /** The stretch before may have asked models within the last minute. */
  readonly askedLately: boolean;
}

/** How the agents' part of a stretch ended. */
interface Ended {
  readonly end: RunEnd;
  /** A bug of ours ended it: what is in memory is not to be trusted. */
  readonly crashed: boolean;
  /** Aborts where the run was told to stop between that end and the coordinator's. */
  readonly stoppedLate: AbortSignal;
}

export class SwarmRun {
  readonly #surroundings: Surroundings;
  readonly #parts: RunParts;
  readonly #state: SwarmState;

  constructor(surroundings: Surroundings, parts: RunParts) {
    this.#surroundings = surroundings;
    this.#parts = parts;
    this.#state = parts.store.ledger.state(swarmFold);
  }

  async toEnd(watcher: SwarmWatcher): Promise<Result<SwarmResult, SwarmError>> {
    const { host, temporaryDirectory } = this.#surroundings;
    const { store, directories, records } = this.#parts;
    const reserved = await takeReserve(host.files, directories);
    if (!reserved.ok && reserved.error.code === "no-space") return reserved;
    const started = await store.ledger.append({ records, blobs: [] });
    if (!started.ok) return this.#cannotStart(describeAppendError(started.error));
    await removeStaleSockets(this.#surroundings);
    // A socket's path may have 107 bytes, a state directory more.
    const socketDirectory = join(temporaryDirectory, `skein-${host.random.letters(12)}`);
    const claimed = await host.files.claimDirectory(socketDirectory, { private: true });
    if (!claimed.ok) return claimed;
    try {
      const end = await this.#coordinate(join(socketDirectory, socketName), watcher);
      if (!end.ok) return end;
      return ok(await this.#finish(join(socketDirectory, socketName), end.value, watcher));
    } finally {
      await removeCoordinatorFile(host.files, directories);
      await host.files.remove(socketDirectory);
    }
  }

  /** Whoever asks a run to stop is heard until its check is through. */
  async #finish(socketPath: string, { stoppedLate, ...end }: Ended, watcher: SwarmWatcher): Promise<SwarmResult> {
    const late = await listenForStop(this.#surroundings.host.net, socketPath);
    const stop = AbortSignal.any([watcher.stop, stoppedLate, ...(late.ok ? [late.value.signal] : [])]);
    try {
      const parts = { ...this.#parts, secrets: this.#keys() };
      return await finishRun(this.#surroundings, parts, { ...end, watcher: { ...watcher, stop } });
    } finally {
      if (late.ok) await late.value.close();
    }
  }

  async #coordinate(socketPath: string, watcher: SwarmWatcher): Promise<Result<Ended, SwarmError>> {
    const { host, processId } = this.#surroundings;
    const { store, directories, settings, roles } = this.#parts;
    const { ledger, vcs, guards } = store;
    if (settings.caseOnlyNames === "allow") store.allowCaseOnlyNames();
    let howEnded: WorkerProcess["howEnded"] = async () => "other";
    const coordinator = await startCoordinator(
      { ledger, vcs, guards, net: host.net, clock: host.clock, howEnded: async (id) => howEnded(id) },
      { ...coordinatorOptions(settings.limits, roles), socketPath, models: modelNames(roles) },
    );
    if (!coordinator.ok) return this.#cannotStart(coordinator.error.message);
    const known = await writeCoordinatorFile(host.files, directories, { pid: processId, socket: socketPath });
    if (!known.ok) watcher.onNote(`other commands will not find this run: ${known.error.path}: ${known.error.message}`);
    const seen = await this.#session(watcher);
    const view = new DurableView({
      ledger,
      look: () => this.#view(coordinator.value.activity),
      show: (shown) => {
        seen.changed(shown);
        watcher.onChange(shown);
      },
    });
    coordinator.value.onChange(() => view.changed());
    const { onNote } = watcher;
    const form = await workspaceForm(this.#surroundings, {
      directory: directories.workspaces,
      wish: settings.workspaces,
    });
    const workers = await startWorkerProcess(this.#surroundings, {
      socketPath,
      form,
      settings: this.#hostSettings(),
      hasJoined: (host) => coordinator.value.hasJoined(host),
      onNote,
    });
    if (!workers.ok) {
      await coordinator.value.close();
      await seen.end("it could not start");
      return this.#cannotStart(workers.error);
    }
    howEnded = workers.value.howEnded;
    coordinator.value.onHostLost((host) => workers.value.lost(host));
    // So that `skein vcs` can ask while the run has its store open.
    const server = await startStoreServer(this.#surroundings, { store, directory: directories.store });
    if (!server.ok) watcher.onNote(`skein vcs cannot ask this run: ${server.error.path}: ${server.error.message}`);
    try {
      const ended = await this.#supervise(coordinator.value, workers.value, watcher);
      await view.settled();
      await seen.end(ended.end.state);
      return ok(ended);
    } finally {
      if (server.ok) await server.value.close("the run is at its end");
    }
  }

  #session(watcher: SwarmWatcher): Promise<SwarmSession> {
    const { id: run, goal, info, askedLately } = this.#parts;
    return openSwarmSession(this.#surroundings, { run, goal, repository: info.root, resumed: askedLately, watcher });
  }

  async #supervise(coordinator: Coordinator, workers: WorkerProcess, watcher: SwarmWatcher): Promise<Ended> {
    const { stop, stopNow } = watcher;
    const { stoppedLate } = coordinator;
    const forget = [
      onAbort(stop, () => void coordinator.stop(whyStopped(stop), "graceful")),
      onAbort(stopNow, () => void coordinator.stop(whyStopped(stop), "now")),
    ];
    void workers.failed.then((reason) => coordinator.stop(`no worker host could be kept running: ${reason}`, "now"));
    try {
      return { end: await coordinator.done, crashed: false, stoppedLate };
    } catch (error) {
      watcher.onNote(cleanText(`internal error: ${error instanceof Error ? error.stack : String(error)}`, 4_000));
      const reason = `internal error: ${cleanLine(error instanceof Error ? error.message : String(error), 500)}`;
      return { end: { state: "failed", reason }, crashed: true, stoppedLate };
    } finally {
      for (const end of forget) end();
      await workers.stop();
      await coordinator.close();
    }
  }

  #cannotStart(message: string): Result<never, SwarmError> {
    return err({ kind: "start", message: cleanLine(message, 2_000), store: this.#parts.directories.run });
  }

  #keys(): readonly string[] {
    const { roles, settings } = this.#parts;
    return knownKeys(this.#surroundings, distinctModels(roles), settings);
  }

  #hostSettings(): Omit<HostSettingsLine, "overlay"> {
    const { directories, ignoreTexts, settings, sandbox, roles, requestsPerMinute, record, askedLately } = this.#parts;
    const { run, agents, workspaces, blobs } = directories;
    const { planner, worker, arbiter } = coordinatorOptions(settings.limits, roles).caps;
    return {
      directories: { run, agents, workspaces, blobs },
      ignoreTexts,
      models: distinctModels(roles).map(toWire),
      secrets: this.#keys(),
      limits: { requestsPerMinute, agentsMax: planner + worker + arbiter, askedLately },
      sandbox: sandbox.kind === "held" ? sandbox.plan : null,
      record,
    };
  }

  #view(activity: ReadonlyMap<AgentId, string>): RunView {
    const nowMs = this.#surroundings.host.clock.now();
    return {
      summary: summarize(this.#state, this.#parts.store.vcs.figures(), nowMs),
      spending: spendingOf(this.#parts.store.ledger),
      goal: this.#parts.goal,
      lines: taskLines(this.#state, activity, nowMs),
    };
  }
}

/** Also if it has happened already; answers how to forget it. */
function onAbort(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) act();
  else signal.addEventListener("abort", act, { once: true });
  return () => signal.removeEventListener("abort", act);
}
