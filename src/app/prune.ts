// Removes runs that nobody needs any more. Invariant: what runs is never removed, and what holds work that is nowhere else only if a
// person named that run.

import { basename, dirname, join } from "node:path";
import type { RunId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { FileError } from "../host/files.ts";
import { runGit } from "../vcs/git/command.ts";
import { type FoundRun, findAnyRun, findRuns, type NoRun } from "./find-runs.ts";
import { gitOf } from "./prepare-swarm.ts";
import { type RunFacts, readRun } from "./run-facts.ts";
import { runLock } from "./run-lock.ts";
import { removeStaleSockets } from "./stale-sockets.ts";
import type { StateError } from "./state-directory.ts";
import type { Surroundings } from "./surroundings.ts";

export interface PruneRequest {
  /** Ids, or beginnings of them; then age does not matter. Empty: all that are old enough. */
  readonly named: readonly string[];
  readonly olderThanDays: number;
}

export interface PrunePlan {
  readonly remove: readonly RunFacts[];
  readonly keep: readonly KeptRun[];
}

export interface KeptRun {
  readonly run: RunFacts;
  /** Why it stays, in a few words. */
  readonly reason: string;
}

const dayMs = 24 * 60 * 60_000;

export async function planPrune(
  surroundings: Surroundings,
  { named, olderThanDays }: PruneRequest,
): Promise<Result<PrunePlan, StateError | NoRun>> {
  const found = await candidates(surroundings, named);
  if (!found.ok) return found;
  const beforeMs = surroundings.host.clock.now() - olderThanDays * dayMs;
  const remove: RunFacts[] = [];
  const keep: KeptRun[] = [];
  for (const run of found.value) {
    const facts = await readRun(surroundings.host, run);
    const all = named.length === 0;
    const reason = keepReason(facts, all ? beforeMs : null) ?? (all ? await branchGone(surroundings, facts) : null);
    if (reason === null) remove.push(facts);
    else keep.push({ run: facts, reason });
  }
  return ok({ remove, keep });
}

async function candidates(
  surroundings: Surroundings,
  named: readonly string[],
): Promise<Result<readonly FoundRun[], StateError | NoRun>> {
  if (named.length === 0) return findRuns(surroundings);
  const found = new Map<RunId, FoundRun>();
  for (const name of named) {
    const run = await findAnyRun(surroundings, name);
    if (!run.ok) return run;
    found.set(run.value.id, run.value);
  }
  return ok([...found.values()]);
}

/** Null if it may be removed. `beforeMs` is null for a run that the person named. */
function keepReason({ state, unreadable, lastMs, left }: RunFacts, beforeMs: number | null): string | null {
  if (state === "running") return "it runs";
  if (beforeMs === null) return null;
  if (unreadable !== null) return "its log cannot be read";
  if (left.unexportedCommits > 0) return `landed commits that are on no branch: ${left.unexportedCommits}`;
  if (left.openConflicts > 0) return `open conflicts that are only in its store: ${left.openConflicts}`;
  if (left.keptWorkspaces > 0) return `workspaces that are kept in it: ${left.keptWorkspaces}`;
  if (lastMs > beforeMs) return "it is not old enough";
  return null;
}

/** What is on no branch any more is nowhere else: the store is its last place. */
async function branchGone(surroundings: Surroundings, { repo, branch }: RunFacts): Promise<string | null> {
  if (repo === null || branch === null) return null;
  const args = ["rev-parse", "--quiet", "--verify", `refs/heads/${branch}`] as const;
  const found = await runGit(gitOf(surroundings), { cwd: repo, args });
  return found.ok ? null : `its branch ${branch} is not in ${repo} any more`;
}

export type PruneError = FileError | { readonly kind: "run-held"; readonly run: RunId; readonly pid: null };

/** Gone from the list in one step; who is killed half-way leaves what the next `finishPruning` removes. */
export async function pruneRun({ host }: Surroundings, run: RunFacts): Promise<Result<void, PruneError>> {
  const { files, locks } = host;
  const { run: directory } = run.directories;
  // Held until the run is out of sight, so that nobody goes on with it meanwhile.
  const lock = await locks.acquire(runLock(run));
  if (!lock.ok && lock.error.code === "held") return err({ kind: "run-held", run: run.runId, pid: null });
  const doomed = join(dirname(directory), `${doomedPrefix}${basename(directory)}`);
  const renamed = await files.rename(directory, doomed);
  if (lock.ok) await lock.value.release();
  return renamed.ok ? files.remove(doomed) : renamed;
}

const doomedPrefix = ".pruned-";
const entriesMax = 100_000;

/** Removes what an earlier pruning that was killed left, and what coordinators that were killed left elsewhere. */
export async function finishPruning(surroundings: Surroundings, runs: readonly RunFacts[]): Promise<void> {
  const { files } = surroundings.host;
  await removeStaleSockets(surroundings);
  for (const parent of new Set(runs.map(({ directories }) => dirname(directories.run)))) {
    const entries = await files.list(parent, entriesMax);
    if (!entries.ok) continue;
    for (const { name } of entries.value) if (name.startsWith(doomedPrefix)) await files.remove(join(parent, name));
  }
}
