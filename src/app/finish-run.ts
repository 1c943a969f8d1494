// What follows the end of a run's agents, however it came: the branch, the project's own check, what is kept, as one result.

import type { RunId } from "../base/ids.ts";
import type { Result } from "../base/result.ts";
import { cleanLine } from "../base/text.ts";
import type { Host } from "../host/host.ts";
import { describeAppendError } from "../swarm/coordinator/append-error.ts";
import type { RunEnd } from "../swarm/coordinator/contract.ts";
import { endedLeases } from "../swarm/coordinator/resume.ts";
import { commandCharsMax, swarmRecord } from "../swarm/records.ts";
import { type SwarmState, swarmFold } from "../swarm/state.ts";
import { isFinal } from "../swarm/tasks.ts";
import { type RunSummary, summarize } from "../swarm/view.ts";
import type { Vcs } from "../vcs/engine.ts";
import type { ExportError, Exported } from "../vcs/git/export.ts";
import { runFinalCheck } from "./final-check.ts";
import { branchOf, exportRun } from "./git.ts";
import { whyStopped } from "./late-stop.ts";
import type { Decided, Inspected } from "./prepare-swarm.ts";
import { makeRoom } from "./reserve.ts";
import type { OpenedSandbox } from "./sandbox.ts";
import { spendingOf } from "./spending.ts";
import type { RunDirectories } from "./state-directory.ts";
import { openStore, type Store, type StoreView, withStoreView } from "./store.ts";
import type { Surroundings } from "./surroundings.ts";
import type { Discarded, OpenConflict, SwarmResult, SwarmWatcher } from "./swarm-types.ts";

export interface FinishedParts extends Pick<Inspected, "git"> {
  /** Where its check runs. */
  readonly sandbox: OpenedSandbox;
  readonly id: RunId;
  readonly directories: RunDirectories;
  readonly store: Store;
  /** Top directory of the repository. */
  readonly info: Pick<Inspected["info"], "root">;
  readonly settings: Pick<Decided["settings"], "check">;
  /** Keys that the check's kept output must not hold. */
  readonly secrets?: readonly string[];
}

export interface Ending {
  readonly end: RunEnd;
  /** What is in memory is not to be trusted: only the log counts. */
  readonly crashed: boolean;
  readonly watcher: Pick<SwarmWatcher, "onStep" | "onNote" | "stop">;
}

export async function finishRun(
  surroundings: Surroundings,
  parts: FinishedParts,
  ending: Ending,
): Promise<SwarmResult> {
  const { store, directories } = parts;
  const { host } = surroundings;
  await makeRoom(host.files, directories);
  if (store.ledger.stopped === null && !ending.crashed) return finish(surroundings, parts, store, ending);
  // The folds have seen what the disk may not have taken: only what is on the disk is said and exported.
  await store.close();
  const again = await recordEnd(host, directories, ending.end);
  if (again !== null) return finish(surroundings, parts, again, ending).finally(() => again.close());
  const read = await withStoreView(host, directories.store, (view) => finish(surroundings, parts, view, ending));
  if (read.ok) return read.value;
  const { info } = parts;
  const shown = resultOf(store, { repository: info.root, nowMs: host.clock.now(), store: directories.run });
  const reason = `${ending.end.reason}; the log cannot be read again, so that the figures may be ahead of it, and nothing was exported: ${cleanLine(read.error, 500)}`;
  return { ...shown, summary: { ...shown.summary, state: "interrupted", reason } };
}

/** A store that has stopped takes more once it is opened anew, where there is room; null where it does not. */
async function recordEnd(host: Host, { store, workspaces }: RunDirectories, end: RunEnd): Promise<Store | null> {
  const opened = await openStore(host, store);
  if (!opened.ok) return null;
  const { ledger } = opened.value;
  const atMs = host.clock.now();
  const leases = endedLeases(ledger.state(swarmFold), atMs, { reason: end.reason, workspaces });
  const kept = await ledger.append({ records: [...leases, swarmRecord(atMs, "run_ended", end)], blobs: [] });
  if (kept.ok) return opened.value;
  await opened.value.close();
  return null;
}

async function finish(
  surroundings: Surroundings,
  parts: FinishedParts,
  { ledger, vcs }: StoreView,
  { end, watcher }: Ending,
): Promise<SwarmResult> {
  const { host } = surroundings;
  const { id, directories, info, settings, secrets = [] } = parts;
  const { stop } = watcher;
  const state = ledger.state(swarmFold);
  if (vcs.figures().commits > 0) watcher.onStep("makes the branch");
  const exported = await exportSomewhere(parts, { vcs, state, branch: branchOf(id) });
  const check = settings.check?.value ?? null;
  // Whoever stops a run does not want to wait for a check.
  const checks = check !== null && end.state !== "stopped" && !stop.aborted;
  const keep = async (passed: boolean | null): Promise<void> => {
    if (exported.ok) await keepExported(host, ledger, { exported: exported.value, passed, onNote: watcher.onNote });
  };
  if (checks) {
    // Before the check: whoever ends the program in the middle of it has the branch all the same.
    await keep(null);
    watcher.onStep(`checks: ${cleanLine(check, commandCharsMax)}`);
  }
  const final = checks
    ? await runFinalCheck(surroundings, {
        vcs,
        directories,
        command: check,
        signal: stop,
        secrets,
        sandbox: parts.sandbox,
      })
    : null;
  const stopped = check !== null && end.state === "finished" && stop.aborted && (final?.passed ?? null) === null;
  const last: RunEnd = stopped
    ? { state: "stopped", reason: `${whyStopped(stop)}, before its final check was through` }
    : end;
  if (stopped) await ledger.append({ records: [swarmRecord(host.clock.now(), "run_ended", last)], blobs: [] });
  const passed = final?.passed ?? null;
  if (!checks || passed !== null) await keep(passed);
  return {
    ...resultOf({ ledger, vcs }, { repository: info.root, nowMs: host.clock.now(), store: directories.run }),
    summary: endedSummary(summarize(state, vcs.figures(), host.clock.now()), last),
    exported: exported.ok ? exported.value : null,
    exportError: exported.ok || exported.error.kind === "nothing-to-export" ? null : exported.error,
    check,
    checkPassed: passed,
    checkOutput: final?.output ?? "",
  };
}

interface KeptExport {
  readonly exported: Exported;
  /** Null where its check did not run, or has not yet. */
  readonly passed: boolean | null;
  readonly onNote: (text: string) => void;
}

async function keepExported(
  { clock }: Host,
  ledger: StoreView["ledger"],
  { exported, passed, onNote }: KeptExport,
): Promise<void> {
  const { branch, commit, commits } = exported;
  const record = swarmRecord(clock.now(), "exported", { branch, commit, commits, check_passed: passed });
  const kept = await ledger.append({ records: [record], blobs: [] });
  if (!kept.ok)
    onNote(`the run's log cannot take that the branch ${branch} was made: ${describeAppendError(kept.error)}`);
}

/** Onto the run's branch; where the person is on it, or has made something of it, it stays theirs and the work gets another. */
async function exportSomewhere(
  { git, info }: FinishedParts,
  { vcs, state, branch }: { readonly vcs: Vcs; readonly state: SwarmState; readonly branch: string },
): Promise<Result<Exported, ExportError>> {
  const first = await exportRun(git, vcs, state, { repository: info.root, branch });
  for (let n = 2, last = first; n <= branchesMax && !last.ok && branchTaken.has(last.error.kind); n++) {
    last = await exportRun(git, vcs, state, { repository: info.root, branch: `${branch}-${n}` });
    if (last.ok) return last;
  }
  return first;
}

const branchesMax = 20;
const branchTaken = new Set<ExportError["kind"]>(["branch-exists", "branch-checked-out", "branch-symbolic"]);

/** A store that takes nothing more could not record the end: nobody who looks at it later will know of one. */
function endedSummary(summary: RunSummary, end: RunEnd): RunSummary {
  return summary.state === "running" ? { ...summary, state: "interrupted", reason: end.reason } : summary;
}

export interface ResultPlace {
  readonly repository: string;
  readonly nowMs: number;
  /** The run's directory. */
  readonly store: string;
}

/** The result as the log alone tells it. */
export function resultOf({ ledger, vcs }: StoreView, place: ResultPlace): SwarmResult {
  const state = ledger.state(swarmFold);
  const { exported, run } = state;
  return {
    summary: summarize(state, vcs.figures(), place.nowMs),
    spending: spendingOf(ledger),
    repository: place.repository,
    base: run?.head_commit ?? "",
    exported:
      exported === null ? null : { branch: exported.branch, commit: exported.commit, commits: exported.commits },
    exportError: null,
    check: run?.check ?? null,
    checkPassed: exported?.check_passed ?? null,
    checkOutput: "",
    openConflicts: openConflicts(vcs, state),
    discarded: discarded(vcs, state),
    store: place.store,
    resumable: isResumable(state),
  };
}

/** There is something left that another stretch could do: work, or a final check that was stopped. */
export function isResumable(state: SwarmState): boolean {
  return hasWork(state) || state.end?.state === "stopped";
}

export function hasWork(state: SwarmState): boolean {
  const [goal] = state.tasks.values();
  return goal !== undefined && !isFinal(goal);
}

function discarded(vcs: Vcs, state: SwarmState): readonly Discarded[] {
  return vcs.discarded().map(({ path, side, task, entry, reason }) => ({
    path,
    side,
    task: task === null ? null : (state.tasks.get(task)?.key ?? task),
    blob: entry?.blob ?? null,
    reason,
  }));
}

function openConflicts(vcs: Vcs, state: SwarmState): readonly OpenConflict[] {
  const open = vcs.conflicts().filter((conflict) => conflict.state === "open");
  return open.map(({ id, author, paths }) => ({
    id,
    task: state.tasks.get(author.task)?.key ?? author.task,
    paths: paths.map(({ path }) => path),
  }));
}
