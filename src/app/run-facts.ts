// What is known of a run without being its coordinator: its log, read and never changed, and whether a process is at work on it.

import type { RunId } from "../base/ids.ts";
import { cleanText } from "../base/text.ts";
import type { Host } from "../host/host.ts";
import { listSegments } from "../log/segments/segment-files.ts";
import { type SwarmState, swarmFold } from "../swarm/state.ts";
import { isFinal } from "../swarm/tasks.ts";
import { type RunSummary, summarize, type TaskLine, taskLines } from "../swarm/view.ts";
import { basesName } from "../swarm/workspace-name.ts";
import type { Vcs } from "../vcs/engine.ts";
import { isLayerName } from "../vcs/workspace/overlay/layers.ts";
import { finalCheckName } from "./final-check.ts";
import type { FoundRun, RunState } from "./find-runs.ts";
import { isResumable } from "./finish-run.ts";
import { isRunning } from "./live-run.ts";
import { readRunFile } from "./run-file.ts";
import { goalCharsMax, type SoloPlace, soloFacts } from "./solo-facts.ts";
import { type Spending, spendingOf } from "./spending.ts";
import type { RunDirectories } from "./state-directory.ts";
import { lastMsFold, type StoreView, withStoreView } from "./store.ts";

export interface RunFacts {
  readonly kind: FoundRun["kind"];
  readonly runId: RunId;
  readonly directories: RunDirectories;
  readonly state: RunState;
  /** Why it ended; empty if it did not. */
  readonly reason: string;
  readonly goal: string;
  /** Null where nothing of the run was recorded, or its log cannot be read. */
  readonly repo: string | null;
  /** Its last export; null before the first. */
  readonly branch: string | null;
  /** Of its last record, or of its directory without one: milliseconds since the epoch. */
  readonly lastMs: number;
  readonly left: WhatIsLeft;
  readonly summary: RunSummary | null;
  readonly spending: Spending | null;
  readonly tasks: readonly TaskLine[];
  /** Why the log cannot be read; null if it can. */
  readonly unreadable: string | null;
}

export interface WhatIsLeft {
  /** Tasks that are not through, planners' included. */
  readonly openTasks: number;
  /** Conflicts whose both sides are only in the store. */
  readonly openConflicts: number;
  /** Landed, and not known to be on a branch. */
  readonly unexportedCommits: number;
  /** Directories with work that may not have landed. */
  readonly keptWorkspaces: number;
  readonly resumable: boolean;
}

export async function readRun(host: Host, found: FoundRun): Promise<RunFacts> {
  const { id, kind, directories } = found;
  const running = await isRunning(host, found);
  const keptWorkspaces = await countWorkspaces(host, directories);
  const madeMs = await changedMs(host, directories);
  const bare = { kind, runId: id, directories, lastMs: madeMs, left: { ...nothingLeft, keptWorkspaces } };
  if (kind === "run") return loneRun(host, { ...emptyRun, ...bare }, { directories, running, madeMs });
  if (await isBare(host, directories)) return { ...emptyRun, ...bare, state: running ? "running" : "interrupted" };
  const read = await withStoreView(host, directories.store, async (view) => {
    const lastMs = view.ledger.state(lastMsFold).lastMs ?? madeMs;
    const nowMs = running ? host.clock.now() : lastMs;
    return factsOf(view, { id, directories, running, keptWorkspaces, lastMs, nowMs });
  });
  if (read.ok) return read.value;
  return { ...emptyRun, ...bare, state: "failed", reason: read.error, unreadable: read.error };
}

/** One that is over can be told what to do next; to go on with, there is something only in one that is not. */
async function loneRun(host: Host, bare: RunFacts, place: SoloPlace): Promise<RunFacts> {
  const facts = await soloFacts(host, place);
  const started = await readRunFile(host.files, place.directories);
  const resumable = started !== null && (facts.state === "interrupted" || facts.state === "failed");
  const goal = facts.goal === "" && started !== null ? cleanText(started.task, goalCharsMax) : facts.goal;
  return { ...bare, ...facts, goal, repo: started?.directory ?? null, left: { ...bare.left, resumable } };
}

const nothingLeft = { openTasks: 0, openConflicts: 0, unexportedCommits: 0, resumable: false };

const emptyRun: Pick<
  RunFacts,
  "state" | "reason" | "goal" | "repo" | "branch" | "summary" | "spending" | "tasks" | "unreadable"
> = {
  state: "interrupted",
  reason: "",
  goal: "",
  repo: null,
  branch: null,
  summary: null,
  spending: null,
  tasks: [],
  unreadable: null,
};

/** Its coordinator died before it had written anything: there is no log to read. */
async function isBare({ files }: Host, { store }: RunDirectories): Promise<boolean> {
  const segments = await listSegments(files, store);
  return segments.ok ? segments.value.segments.length === 0 : segments.error.code === "not-found";
}

interface Known {
  readonly id: RunId;
  readonly directories: RunDirectories;
  readonly running: boolean;
  readonly keptWorkspaces: number;
  readonly lastMs: number;
  readonly nowMs: number;
}

function factsOf({ ledger, vcs }: StoreView, known: Known): RunFacts {
  const { id, directories, running, keptWorkspaces, lastMs, nowMs } = known;
  const state = ledger.state(swarmFold);
  const { run, end, exported } = state;
  return {
    kind: "swarm",
    runId: id,
    directories,
    state: running ? "running" : (end?.state ?? "interrupted"),
    reason: end?.reason ?? "",
    goal: run?.goal ?? "",
    repo: run?.repository ?? null,
    branch: exported?.branch ?? null,
    lastMs,
    left: { ...leftOf(state, vcs), keptWorkspaces },
    summary: run === null ? null : summarize(state, vcs.figures(), nowMs),
    spending: run === null ? null : spendingOf(ledger),
    tasks: taskLines(state, new Map(), nowMs),
    unreadable: null,
  };
}

async function changedMs({ files, clock }: Host, { run }: RunDirectories): Promise<number> {
  const stat = await files.stat(run);
  return stat.ok ? stat.value.changedMs : clock.now();
}

function leftOf(state: SwarmState, vcs: Vcs): Omit<WhatIsLeft, "keptWorkspaces"> {
  const landed = vcs.figures().commits;
  return {
    openTasks: [...state.tasks.values()].filter((task) => !isFinal(task)).length,
    openConflicts: vcs.conflicts().filter((conflict) => conflict.state === "open").length,
    unexportedCommits: Math.max(0, landed - (state.exported?.commits ?? 0)),
    resumable: isResumable(state),
  };
}

const workspacesMax = 1_000_000;

/** The git objects that workspaces share, as are their layers, and the tree of a check that was killed. */
const nobodysWork = new Set([basesName, finalCheckName]);

async function countWorkspaces({ files }: Host, { workspaces }: RunDirectories): Promise<number> {
  const entries = await files.list(workspaces, workspacesMax);
  // What cannot be looked at counts as something that is there.
  if (!entries.ok) return entries.error.code === "not-found" ? 0 : 1;
  return entries.value.filter(({ kind, name }) => kind === "directory" && !nobodysWork.has(name) && !isLayerName(name))
    .length;
}
