// Goes on with a run that was stopped, or whose coordinator died: everything that was acknowledged is in its log.
// Invariant: who is not the store's one writer changes nothing, and a run that is over is shown again and not begun again.

import { basename, dirname } from "node:path";
import { err, ok, type Result } from "../base/result.ts";
import type { Host } from "../host/host.ts";
import type { OpenError } from "../log/log.ts";
import type { RunEnd } from "../swarm/coordinator/contract.ts";
import { resumeRecords } from "../swarm/coordinator/resume.ts";
import { endOf } from "../swarm/coordinator/schedule.ts";
import { type SwarmRole, swarmRecord } from "../swarm/records.ts";
import { type SwarmState, swarmFold } from "../swarm/state.ts";
import { runGit } from "../vcs/git/command.ts";
import { readCoordinatorFile, removeCoordinatorFile } from "./coordinator-file.ts";
import { type FoundSwarm, findRun } from "./find-runs.ts";
import { finishRun, hasWork, resultOf } from "./finish-run.ts";
import { withLateStop } from "./late-stop.ts";
import { loadSettings } from "./load-settings.ts";
import { checkTemporaryDirectory } from "./places.ts";
import { type Decided, decide, gitOf, type Inspected, inspect } from "./prepare-swarm.ts";
import { modelNames, type RoleModel } from "./role-models.ts";
import { runOptionsFold, runOptionsRecord, withOptions } from "./run-options.ts";
import { openSandbox } from "./sandbox.ts";
import { socketDirectoryForm } from "./stale-sockets.ts";
import { makeParts } from "./state-directory.ts";
import { openStore, type Store } from "./store.ts";
import type { Surroundings } from "./surroundings.ts";
import { startOf } from "./swarm.ts";
import { SwarmRun } from "./swarm-run.ts";
import { agreedOn } from "./swarm-sandbox.ts";
import type { ResumeError, ResumeOptions, RunFlags, SwarmResult, SwarmWatcher } from "./swarm-types.ts";

export async function resumeSwarm(
  surroundings: Surroundings,
  options: ResumeOptions,
  watcher: SwarmWatcher,
): Promise<Result<SwarmResult, ResumeError>> {
  const temporary = await checkTemporaryDirectory(surroundings);
  if (!temporary.ok) return temporary;
  const found = await findRun(surroundings, options.run);
  if (!found.ok) return found;
  const run = found.value;
  const store = await openPatiently(surroundings.host, run);
  if (!store.ok) return store;
  try {
    return await goOn(surroundings, { run, store: store.value, options }, watcher);
  } finally {
    await store.value.close();
  }
}

interface Resumed {
  readonly run: FoundSwarm;
  readonly store: Store;
  readonly options: ResumeOptions;
}

async function goOn(
  surroundings: Surroundings,
  resumed: Resumed,
  watcher: SwarmWatcher,
): Promise<Result<SwarmResult, ResumeError>> {
  const { host } = surroundings;
  const { run, store, options } = resumed;
  const state = store.ledger.state(swarmFold);
  if (state.run === null) return err({ kind: "never-began", run });
  await clearCrash(surroundings, run);
  const isOver = state.end !== null && !hasWork(state);
  const inspected = await sameRepository(surroundings, run, state.run, options.repository);
  // A repository that has gone is no hindrance to say how the run ended.
  if (isOver && state.exported !== null && (!inspected.ok || !(await leftToFinish(inspected.value, state, options)))) {
    const { repository } = state.run;
    return ok(resultOf(store, { repository, nowMs: host.clock.now(), store: run.directories.run }));
  }
  if (!inspected.ok) return inspected;
  const flags = flagsOf(options.flags, state, store);
  if (isOver && state.end !== null) {
    const { git, info } = inspected.value;
    const check = options.flags.check ?? state.run.check;
    const settings = { check: check === null ? null : { value: check, origin: thisRun(run) } };
    const place = { directory: info.root, repositoryRoot: info.root, configFiles: true };
    const { sandbox: mode, network, writable } = flags;
    const asked = { ...options.flags, sandbox: mode, network, writable };
    const loaded = await loadSettings(surroundings, { flags: asked, roles: [], ...place });
    if (!loaded.ok) return loaded;
    const sandbox = await openSandbox(surroundings, loaded.value.settings.sandbox, info.root);
    const agreed = check === null ? ok(undefined) : await agreedOn(sandbox, watcher.agreeToNoSandbox);
    if (!agreed.ok) return agreed;
    const parts = { id: run.id, directories: run.directories, store, git, info, settings, sandbox };
    const end = await takenUp(host, store, state.end);
    return withLateStop(surroundings, run.directories, (late) => {
      const stop = AbortSignal.any([watcher.stop, late]);
      return finishRun(surroundings, parts, { end, crashed: false, watcher: { ...watcher, stop } });
    });
  }
  const { info } = inspected.value;
  const place = { directory: info.root, repositoryRoot: info.root, configFiles: true };
  const decided = await decide(surroundings, flags, place);
  if (!decided.ok) return decided;
  const agreed = await agreedOn(decided.value.sandbox, watcher.agreeToNoSandbox);
  if (!agreed.ok) return agreed;
  return stretch(
    surroundings,
    resumed,
    { ...inspected.value, ...withOrigins(decided.value, run, options.flags), flags, state },
    watcher,
  );
}

/** The end that its tasks have come to: one that was stopped in its final check has finished once that is through. */
async function takenUp({ clock }: Host, { ledger }: Store, end: RunEnd): Promise<RunEnd> {
  const [goal] = ledger.state(swarmFold).tasks.values();
  if (end.state !== "stopped" || goal === undefined) return end;
  const { state, reason } = endOf(goal);
  // Where the log takes nothing it goes on saying that the run is stopped, which can be resumed once more.
  await ledger.append({ records: [swarmRecord(clock.now(), "run_ended", { state, reason })], blobs: [] });
  return { state, reason };
}

/** A run that is over has still to be finished where its check was cut off or its branch is not there. */
async function leftToFinish(
  { git, info }: Inspected,
  { run, exported }: SwarmState,
  { flags }: ResumeOptions,
): Promise<boolean> {
  if (exported === null) return true;
  const check = flags.check ?? run?.check ?? null;
  if (check !== null && exported.check_passed === null) return true;
  const args = ["rev-parse", "--quiet", "--verify", `refs/heads/${exported.branch}`] as const;
  return !(await runGit(git, { cwd: info.root, args })).ok;
}

interface Stretch extends Inspected, Decided {
  readonly flags: RunFlags;
  readonly state: SwarmState;
}

async function stretch(
  surroundings: Surroundings,
  { run, store }: Resumed,
  { flags, state, ...prepared }: Stretch,
  watcher: SwarmWatcher,
): Promise<Result<SwarmResult, ResumeError>> {
  const { host } = surroundings;
  const { info, roles, settings } = prepared;
  const parts = await makeParts(host.files, run.directories);
  if (!parts.ok) return parts;
  watcher.onStart({ runId: run.id, info, resumed: true, ...startOf(prepared) });
  const atMs = host.clock.now();
  const records = resumeRecords(state, atMs, {
    models: modelNames(roles),
    scripted: roles.some(({ scripted }) => scripted),
    workers: settings.limits.workers.value,
    repository: info.root,
  });
  const again = new SwarmRun(surroundings, {
    ...prepared,
    id: run.id,
    directories: run.directories,
    store,
    goal: state.run?.goal ?? "",
    records: [...records, runOptionsRecord(atMs, flags, settings)],
    // How long ago the last request was sent, the log of a coordinator that died does not say for certain.
    askedLately: true,
  });
  return again.toEnd(watcher);
}

/** Another command that only looks holds the lock for a moment. */
async function openPatiently(host: Host, run: FoundSwarm): Promise<Result<Store, ResumeError>> {
  const { directories } = run;
  let opened: Result<Store, OpenError> = await openStore(host, directories.store);
  for (let more = 1; more < openAttemptsMax && !opened.ok && opened.error.kind === "held"; more++) {
    await host.clock.sleep(openPauseMs);
    opened = await openStore(host, directories.store);
  }
  if (opened.ok) return opened;
  if (opened.error.kind !== "held") return err({ kind: "store", error: opened.error, store: directories.run });
  const coordinator = await readCoordinatorFile(host.files, directories);
  return err({ kind: "run-held", run: run.id, pid: coordinator?.pid ?? null });
}

const openAttemptsMax = 5;
const openPauseMs = 100;

/** A coordinator that was killed could not clear up after itself. */
async function clearCrash({ host, temporaryDirectory }: Surroundings, { directories }: FoundSwarm): Promise<void> {
  const left = await readCoordinatorFile(host.files, directories);
  if (left === null) return;
  const directory = dirname(left.socket);
  // Only what has the form of our own socket directories is removed, whatever the file says.
  if (dirname(directory) === temporaryDirectory && socketDirectoryForm.test(basename(directory)))
    await host.files.remove(directory);
  await removeCoordinatorFile(host.files, directories);
}

type Started = NonNullable<SwarmState["run"]>;

/** The repository that the run began from, where it is now: it still has the commit on which the branch will stand. */
async function sameRepository(
  surroundings: Surroundings,
  run: FoundSwarm,
  started: Started,
  moved: string | null,
): Promise<Result<Inspected, ResumeError>> {
  const path = moved ?? started.repository;
  const inspected = await inspect(surroundings, path);
  if (!inspected.ok) {
    const { error } = inspected;
    const message = error.kind === "git" ? error.stderr : "message" in error ? error.message : "it has no commit";
    return err({ kind: "repository-gone", run, path, message });
  }
  const commit = started.head_commit;
  const { root } = inspected.value.info;
  const has = await runGit(gitOf(surroundings), { cwd: root, args: ["cat-file", "-e", `${commit}^{commit}`] });
  return has.ok ? inspected : err({ kind: "repository-lacks-commit", run, path: root, commit });
}

/** What is given now, then what the run was started with. */
function flagsOf(given: RunFlags, { run }: SwarmState, { ledger }: Store): RunFlags {
  const flags = withOptions(given, ledger.state(runOptionsFold).options);
  const before = (role: SwarmRole): string | undefined => (given.model === undefined ? run?.models[role] : undefined);
  return {
    ...flags,
    planner: given.planner ?? before("planner"),
    worker: given.worker ?? before("worker"),
    // Whoever names workers another model means arbiters too.
    arbiter: given.arbiter ?? (given.worker === undefined ? before("arbiter") : undefined),
    check: flags.check ?? run?.check ?? undefined,
  };
}

function thisRun({ id }: FoundSwarm): RoleModel["origin"] {
  return { kind: "run", run: id };
}

/** A model that no flag names now is the run's. */
function withOrigins(decided: Decided, run: FoundSwarm, given: RunFlags): Decided {
  const named = (role: RoleModel["role"]): boolean =>
    given.model !== undefined ||
    (role !== "solo" && given[role] !== undefined) ||
    (role === "arbiter" && given.worker !== undefined);
  const roles = decided.roles.map((one) => (named(one.role) ? one : { ...one, origin: thisRun(run) }));
  return { ...decided, roles };
}
