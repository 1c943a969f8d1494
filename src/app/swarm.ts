// A swarm run from goal to branch: import, coordinator and worker host, export, the project's own check. `skein demo` takes the same way.

import { err, ok, type Result } from "../base/result.ts";
import { capText } from "../base/text.ts";
import type { NewRecord } from "../log/log.ts";
import { rootTask } from "../swarm/defaults.ts";
import { commandCharsMax, type RecordData, swarmRecord } from "../swarm/records.ts";
import { branchProblem } from "../vcs/git/branch.ts";
import { branchOf, importHead } from "./git.ts";
import { checkStateDirectory, checkTemporaryDirectory } from "./places.ts";
import { type Decided, decide, type Inspected, inspect } from "./prepare-swarm.ts";
import { modelNames } from "./role-models.ts";
import { runOptionsRecord } from "./run-options.ts";
import { claimRun, makeParts, newRunId } from "./state-directory.ts";
import { openStore } from "./store.ts";
import type { Surroundings } from "./surroundings.ts";
import { SwarmRun } from "./swarm-run.ts";
import { agreedOn } from "./swarm-sandbox.ts";
import type { SwarmError, SwarmOptions, SwarmResult, SwarmWatcher } from "./swarm-types.ts";

export const goalCharsMax = 50_000;
export const workersMax = 1_000;

export interface CheckedOptions {
  readonly goal: string;
  readonly workers: number | undefined;
  readonly requests: number | undefined;
}

/** What is wrong with a request by itself, before anything is looked at or made. */
export async function checkOptions(
  surroundings: Surroundings,
  options: CheckedOptions,
): Promise<Result<void, SwarmError>> {
  const { goal, workers = 1, requests = 1 } = options;
  if (goal.trim() === "") return err({ kind: "empty-goal" });
  if (goal.length > goalCharsMax) return err({ kind: "goal-too-long", chars: goal.length, charsMax: goalCharsMax });
  if (!Number.isInteger(workers) || workers < 1 || workers > workersMax)
    return err({ kind: "bad-workers", workers, workersMax });
  if (!Number.isInteger(requests) || requests < 1) return err({ kind: "bad-requests", requestsMax: requests });
  const state = await checkStateDirectory(surroundings);
  return state.ok ? checkTemporaryDirectory(surroundings) : state;
}

export async function runSwarm(
  surroundings: Surroundings,
  options: SwarmOptions,
  watcher: SwarmWatcher,
): Promise<Result<SwarmResult, SwarmError>> {
  const { goal, flags, repository, configFiles } = options;
  const known = await checkOptions(surroundings, { goal, workers: flags.workers, requests: flags.requests });
  if (!known.ok) return known;
  const inspected = await inspect(surroundings, repository);
  if (!inspected.ok) return inspected;
  const { git, info } = inspected.value;
  const place = { directory: repository, repositoryRoot: info.root, configFiles };
  const decided = await decide(surroundings, flags, place);
  if (!decided.ok) return decided;
  // The demo's commands are our own script's, and it is to run everywhere.
  const agreed = configFiles ? await agreedOn(decided.value.sandbox, watcher.agreeToNoSandbox) : ok(undefined);
  if (!agreed.ok) return agreed;
  // The id that is claimed is another; what is in a branch's way is in the way of all.
  const problem = await branchProblem(git, info.root, branchOf(newRunId(surroundings.host)));
  if (problem !== null) return err({ kind: "branch", message: problem });
  const claimed = await claimRun(surroundings, info.root);
  if (!claimed.ok) return claimed;
  const { id, directories } = claimed.value;
  const parts = await makeParts(surroundings.host.files, directories);
  if (!parts.ok) return parts;
  watcher.onStart({ runId: id, info, resumed: false, ...startOf(decided.value) });
  const store = await openStore(surroundings.host, directories.store);
  if (!store.ok) return err({ kind: "store", error: store.error, store: directories.run });
  try {
    const imported = await importHead(git, info, store.value.vcs);
    if (!imported.ok) return err({ kind: "import", error: imported.error });
    const run = new SwarmRun(surroundings, {
      ...inspected.value,
      ...decided.value,
      id,
      directories,
      store: store.value,
      goal,
      records: firstRecords(surroundings, options, { id, ...inspected.value, ...decided.value }),
      askedLately: false,
    });
    return await run.toEnd(watcher);
  } finally {
    await store.value.close();
  }
}

/** What is shown of the settings at the start. */
export function startOf({ settings, sandbox, roles, requestsPerMinute, record }: Decided) {
  const { limits, check, notes } = settings;
  return { roles, limits, check, notes, requestsPerMinute, record, sandbox };
}

function firstRecords(
  { host }: Surroundings,
  { goal, flags }: SwarmOptions,
  { id, info, settings, roles }: Pick<Inspected, "info"> & Decided & { readonly id: RecordData<"run_started">["run"] },
): readonly NewRecord[] {
  const atMs = host.clock.now();
  const { check, limits } = settings;
  return [
    swarmRecord(atMs, "run_started", {
      run: id,
      goal: capText(goal, goalCharsMax),
      repository: info.root,
      branch: info.branch,
      head_commit: info.headCommit,
      dirty_paths: info.dirtyPaths,
      workers: limits.workers.value,
      models: modelNames(roles),
      scripted: roles.some(({ scripted }) => scripted),
      check: check === null ? null : capText(check.value, commandCharsMax),
    }),
    runOptionsRecord(atMs, flags, settings),
    swarmRecord(atMs, "task_added", rootTask(goal)),
  ];
}
