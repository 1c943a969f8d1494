// A swarm run from goal to branch: import, coordinator and worker host, export, the project's own check. `skein demo` takes the same way.

import { join } from "node:path";
import type { AgentId, ConflictId, RunId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import { cleanLine, cleanText } from "../base/text.ts";
import type { OpenError } from "../log/log.ts";
import type { Provider } from "../model/provider.ts";
import { type Coordinator, startCoordinator } from "../swarm/coordinator/coordinator.ts";
import { defaultLimits, rootTask } from "../swarm/defaults.ts";
import { commandCharsMax, type SwarmRole, swarmRecord } from "../swarm/records.ts";
import { type SwarmState, swarmFold } from "../swarm/state.ts";
import { type RunSummary, summarize, type TaskLine, taskLines } from "../swarm/view.ts";
import type { Git } from "../vcs/git/command.ts";
import type { ExportError, Exported } from "../vcs/git/export.ts";
import { ignoreSources } from "../vcs/git/ignore-sources.ts";
import { type InspectError, inspectRepository, type RepositoryInfo } from "../vcs/git/inspect.ts";
import { runFinalCheck } from "./final-check.ts";
import { exportRun, type IntoStoreError, importHead } from "./git.ts";
import { absoluteModelName, openModel } from "./models.ts";
import { claimRun, type RunDirectories, type StateError, stateDirectory } from "./state-directory.ts";
import { openStore, type Store } from "./store.ts";
import { type Surroundings, variable } from "./surroundings.ts";
import { startWorkerProcess, type WorkerProcess } from "./worker-process.ts";

export const goalCharsMax = 50_000;
export const workersMax = 256;

export interface SwarmOptions {
  readonly goal: string;
  /** Any directory of the repository. */
  readonly repository: string;
  /** By role; null where the person named none. */
  readonly models: Readonly<Record<SwarmRole, string | null>>;
  readonly workers: number;
  /** The project's own test command, run on the branch at the end; null if none was named. */
  readonly check: string | null;
  readonly requestsMax: number;
}

export interface RunView {
  readonly summary: RunSummary;
  readonly goal: string;
  readonly lines: readonly TaskLine[];
}

export interface SwarmWatcher {
  /** Said once before anything is sent: which repository, models and limits. */
  onStart(start: { readonly runId: RunId; readonly info: RepositoryInfo; readonly models: readonly Provider[] }): void;
  /** Something changed; `view` is computed when asked for. */
  onChange(view: () => RunView): void;
  /** What is done after the swarm's end, each of which may take a while, in a few words. */
  onStep(step: string): void;
  /** Aborts when the person wants the run to stop: what landed is exported. */
  readonly signal: AbortSignal;
}

export interface SwarmResult {
  readonly summary: RunSummary;
  readonly repository: string;
  /** The commit the run began from. */
  readonly base: string;
  readonly exported: Exported | null;
  readonly exportError: ExportError | null;
  readonly check: string | null;
  readonly checkPassed: boolean | null;
  readonly checkOutput: string;
  readonly openConflicts: readonly OpenConflict[];
  readonly discarded: readonly Discarded[];
  readonly store: string;
}

/** A side of a conflict that its arbiter left out: on no branch, and still in the store. */
export interface Discarded {
  readonly path: string;
  readonly side: "ours" | "theirs";
  /** Key of the task whose change it was; null where it came with the import. */
  readonly task: string | null;
  /** Its content in the store; null where the side had deleted the file. */
  readonly blob: string | null;
  readonly reason: string;
}

/** Work that did not land: both sides are in the store. */
export interface OpenConflict {
  readonly id: ConflictId;
  /** Key of the task whose commits are kept in it. */
  readonly task: string;
  readonly paths: readonly string[];
}

export type SwarmError =
  | { readonly kind: "empty-goal" }
  | { readonly kind: "goal-too-long"; readonly chars: number; readonly charsMax: number }
  | { readonly kind: "bad-workers"; readonly workers: number; readonly workersMax: number }
  | { readonly kind: "bad-requests"; readonly requestsMax: number }
  | { readonly kind: "no-model"; readonly roles: readonly SwarmRole[] }
  | { readonly kind: "bad-model"; readonly name: string; readonly message: string }
  | { readonly kind: "no-program"; readonly program: string }
  | { readonly kind: "store"; readonly error: OpenError }
  | { readonly kind: "import"; readonly error: IntoStoreError }
  | { readonly kind: "start"; readonly message: string; readonly store: string }
  | StateError
  | InspectError;

/** What is wrong with a request by itself, before anything is looked at or made. */
export function checkOptions(
  { env }: Surroundings,
  { goal, workers, requestsMax }: Pick<SwarmOptions, "goal" | "workers" | "requestsMax">,
): Result<void, SwarmError> {
  if (goal.trim() === "") return err({ kind: "empty-goal" });
  if (goal.length > goalCharsMax) return err({ kind: "goal-too-long", chars: goal.length, charsMax: goalCharsMax });
  if (!Number.isInteger(workers) || workers < 1 || workers > workersMax)
    return err({ kind: "bad-workers", workers, workersMax });
  if (!Number.isInteger(requestsMax) || requestsMax < 1) return err({ kind: "bad-requests", requestsMax });
  const state = stateDirectory(env);
  return state.ok ? ok(undefined) : state;
}

export async function runSwarm(
  surroundings: Surroundings,
  options: SwarmOptions,
  watcher: SwarmWatcher,
): Promise<Result<SwarmResult, SwarmError>> {
  const prepared = await prepare(surroundings, options);
  if (!prepared.ok) return prepared;
  const { git, info } = prepared.value;
  const claimed = await claimRun(surroundings, info.root);
  if (!claimed.ok) return claimed;
  const { id, directories } = claimed.value;
  watcher.onStart({ runId: id, info, models: prepared.value.providers });
  const store = await openStore(surroundings.host, directories.store);
  if (!store.ok) return err({ kind: "store", error: store.error });
  try {
    const imported = await importHead(git, info, store.value.vcs);
    if (!imported.ok) return err({ kind: "import", error: imported.error });
    const run = new Run(surroundings, options, prepared.value, { id, directories, store: store.value });
    return await run.toEnd(watcher);
  } finally {
    await store.value.close();
  }
}

interface Prepared {
  readonly git: Git;
  readonly info: RepositoryInfo;
  readonly models: Readonly<Record<SwarmRole, string>>;
  readonly providers: readonly Provider[];
  readonly ignoreTexts: readonly string[];
}

/** Everything that can be wrong is found here, before a directory is made or a model asked. */
async function prepare(surroundings: Surroundings, options: SwarmOptions): Promise<Result<Prepared, SwarmError>> {
  const known = checkOptions(surroundings, options);
  if (!known.ok) return known;
  const path = variable(surroundings.env, "PATH") ?? "/usr/bin:/bin";
  const git: Git = { processes: surroundings.host.processes, path };
  const user = userHome(surroundings);
  const first = await inspectRepository({ git, files: surroundings.host.files, path: options.repository });
  if (!first.ok) return first;
  const sources = await ignoreSources({ git, files: surroundings.host.files, root: first.value.root, user });
  if (!sources.ok) return sources;
  const info = await inspectRepository({
    git,
    files: surroundings.host.files,
    path: options.repository,
    excludesFile: sources.value.excludesFile,
  });
  if (!info.ok) return info;
  const models = await openModels(surroundings, options);
  if (!models.ok) return models;
  return ok({ git, info: info.value, ignoreTexts: sources.value.texts, ...models.value });
}

function userHome({ env }: Surroundings): { readonly home: string; readonly xdgConfigHome?: string } {
  const home = variable(env, "HOME") ?? "/nonexistent";
  const xdgConfigHome = variable(env, "XDG_CONFIG_HOME");
  return xdgConfigHome === null ? { home } : { home, xdgConfigHome };
}

async function openModels(
  surroundings: Surroundings,
  options: SwarmOptions,
): Promise<Result<Pick<Prepared, "models" | "providers">, SwarmError>> {
  const { planner, worker, arbiter } = options.models;
  // Whoever names a worker's model alone means it for arbiters too: they are a worker's kind of work.
  const names = { planner, worker, arbiter: arbiter ?? worker };
  const missing = (["planner", "worker", "arbiter"] as const).filter((role) => names[role] === null);
  if (names.planner === null || names.worker === null || names.arbiter === null)
    return err({ kind: "no-model", roles: missing });
  const { cwd } = surroundings;
  const models = {
    planner: absoluteModelName(names.planner, cwd),
    worker: absoluteModelName(names.worker, cwd),
    arbiter: absoluteModelName(names.arbiter, cwd),
  };
  const providers: Provider[] = [];
  for (const name of new Set(Object.values(models))) {
    const provider = await openModel(surroundings, name);
    if (!provider.ok) return err({ kind: "bad-model", name, message: provider.error });
    providers.push(provider.value);
  }
  return ok({ models, providers });
}

interface RunParts {
  readonly id: RunId;
  readonly directories: RunDirectories;
  readonly store: Store;
}

class Run {
  readonly #surroundings: Surroundings;
  readonly #options: SwarmOptions;
  readonly #prepared: Prepared;
  readonly #parts: RunParts;
  readonly #state: SwarmState;

  constructor(surroundings: Surroundings, options: SwarmOptions, prepared: Prepared, parts: RunParts) {
    this.#surroundings = surroundings;
    this.#options = options;
    this.#prepared = prepared;
    this.#parts = parts;
    this.#state = parts.store.ledger.state(swarmFold);
  }

  async toEnd(watcher: SwarmWatcher): Promise<Result<SwarmResult, SwarmError>> {
    const { host, temporaryDirectory } = this.#surroundings;
    const { store, directories } = this.#parts;
    const started = await this.#recordStart();
    if (!started.ok) return err({ kind: "start", message: started.error, store: directories.run });
    // A socket's path may have 107 bytes, a state directory more.
    const socketDirectory = join(temporaryDirectory, `skein-${host.random.letters(12)}`);
    const claimed = await host.files.claimDirectory(socketDirectory);
    if (!claimed.ok) return claimed;
    const socketPath = join(socketDirectory, "coordinator");
    try {
      const { ledger, vcs, guards } = store;
      const limits = defaultLimits({ workers: this.#options.workers, requestsMax: this.#options.requestsMax });
      const coordinator = await startCoordinator(
        { ledger, vcs, guards, net: host.net, clock: host.clock },
        { ...limits, socketPath, models: this.#prepared.models },
      );
      if (!coordinator.ok) return err({ kind: "start", message: coordinator.error.message, store: directories.run });
      coordinator.value.onChange(() => watcher.onChange(() => this.#view(coordinator.value.activity)));
      const workers = await startWorkerProcess(this.#surroundings, { socketPath, settings: this.#hostSettings() });
      if (!workers.ok) {
        await coordinator.value.close();
        return err({ kind: "start", message: workers.error, store: directories.run });
      }
      await this.#supervise(coordinator.value, workers.value, watcher.signal);
      return ok(await this.#finish(watcher));
    } finally {
      await host.files.remove(socketDirectory);
    }
  }

  async #recordStart(): Promise<Result<void, string>> {
    const { goal, workers, check } = this.#options;
    const { info, models, providers } = this.#prepared;
    const { store, id } = this.#parts;
    const atMs = this.#surroundings.host.clock.now();
    const appended = await store.ledger.append({
      records: [
        swarmRecord(atMs, "run_started", {
          run: id,
          goal: cleanText(goal, goalCharsMax),
          repository: info.root,
          branch: info.branch,
          head_commit: info.headCommit,
          dirty_paths: info.dirtyPaths,
          workers,
          models,
          scripted: providers.some((provider) => provider.scripted),
          check: check === null ? null : cleanLine(check, commandCharsMax),
        }),
        swarmRecord(atMs, "task_added", rootTask(goal)),
      ],
      blobs: [],
    });
    return appended.ok ? ok(undefined) : err(JSON.stringify(appended.error));
  }

  #hostSettings(): object {
    const { directories } = this.#parts;
    const { agents, workspaces, blobs } = directories;
    return {
      directories: { agents, workspaces, blobs },
      ignoreTexts: this.#prepared.ignoreTexts,
      objectFormat: this.#prepared.info.objectFormat,
    };
  }

  async #supervise(coordinator: Coordinator, workers: WorkerProcess, signal: AbortSignal): Promise<void> {
    const onAbort = (): void => void coordinator.stop("stopped by the person who started it");
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    void workers.failed.then((reason) => coordinator.stop(`no worker host could be kept running: ${reason}`));
    try {
      await coordinator.done;
    } finally {
      signal.removeEventListener("abort", onAbort);
      await workers.stop();
      await coordinator.close();
    }
  }

  async #finish({ signal, onStep }: SwarmWatcher): Promise<SwarmResult> {
    const { host } = this.#surroundings;
    const { store, id, directories } = this.#parts;
    const { check } = this.#options;
    const { vcs, ledger } = store;
    onStep("makes the branch");
    const exported = await exportRun(this.#prepared.git, vcs, this.#state, `skein/${id}`);
    const checks = check !== null && !signal.aborted;
    if (checks) onStep(`checks: ${cleanLine(check, commandCharsMax)}`);
    const final = checks ? await runFinalCheck(this.#surroundings, { vcs, directories, command: check, signal }) : null;
    if (exported.ok) {
      const { branch, commit, commits } = exported.value;
      const record = swarmRecord(host.clock.now(), "exported", {
        branch,
        commit,
        commits,
        check_passed: final?.passed ?? null,
      });
      await ledger.append({ records: [record], blobs: [] });
    }
    // The store has every blob; the workers' cache is of no more use.
    await host.files.remove(directories.blobs);
    return {
      summary: summarize(this.#state, vcs.figures(), host.clock.now()),
      repository: this.#prepared.info.root,
      base: this.#prepared.info.headCommit,
      exported: exported.ok ? exported.value : null,
      exportError: exported.ok || exported.error.kind === "nothing-to-export" ? null : exported.error,
      check,
      checkPassed: final?.passed ?? null,
      checkOutput: final?.output ?? "",
      openConflicts: this.#openConflicts(),
      discarded: this.#discarded(),
      store: directories.run,
    };
  }

  #openConflicts(): readonly OpenConflict[] {
    const open = this.#parts.store.vcs.conflicts().filter((conflict) => conflict.state === "open");
    return open.map(({ id, author, paths }) => ({
      id,
      task: this.#state.tasks.get(author.task)?.key ?? author.task,
      paths: paths.map(({ path }) => path),
    }));
  }

  #discarded(): readonly Discarded[] {
    const sides = this.#parts.store.vcs.commits().flatMap((commit) => commit.discarded ?? []);
    return sides.map(({ path, side, task, entry, reason }) => ({
      path,
      side,
      task: task === null ? null : (this.#state.tasks.get(task)?.key ?? task),
      blob: entry?.blob ?? null,
      reason,
    }));
  }

  #view(activity: ReadonlyMap<AgentId, string>): RunView {
    const nowMs = this.#surroundings.host.clock.now();
    return {
      summary: summarize(this.#state, this.#parts.store.vcs.figures(), nowMs),
      goal: this.#options.goal,
      lines: taskLines(this.#state, activity, nowMs),
    };
  }
}
