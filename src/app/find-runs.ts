// The runs that this machine keeps, of swarms and of lone agents: `<state>/runs/<repository>/<run>`, newest first.

import { join } from "node:path";
import { asRunId, type RunId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { FileError, Files } from "../host/files.ts";
import { type RunDirectories, runDirectories, runsDirectory, type StateError } from "./state-directory.ts";
import type { Surroundings } from "./surroundings.ts";

export interface FoundRun {
  /** `run`: a lone agent's, of `skein run`. */
  readonly kind: "swarm" | "run";
  readonly id: RunId;
  readonly directories: RunDirectories;
}

export interface FoundSwarm extends FoundRun {
  readonly kind: "swarm";
}

/** `interrupted`: without an end and without a process at work, as after a crash; of a lone agent also after Ctrl-C. */
export type RunState = "running" | "interrupted" | "stopped" | "finished" | "failed";

export interface NoRun {
  readonly kind: "no-run";
  readonly wanted: string;
  /** The runs that it may mean: several, or none. */
  readonly candidates: readonly RunId[];
}

export interface NotASwarm {
  readonly kind: "not-a-swarm";
  readonly run: FoundRun;
}

/** Repositories, and runs of one repository. */
const entriesMax = 100_000;

/** What `claimRun` gives: a time and four letters. What is being removed has another form. */
const runIdForm = /^\d{8}-\d{6}-[a-z2-7]{4}$/;

export async function findRuns({
  host,
  env,
  platform,
}: Surroundings): Promise<Result<readonly FoundRun[], StateError>> {
  const parent = runsDirectory({ env, platform });
  if (!parent.ok) return parent;
  const repositories = await directoriesIn(host.files, parent.value);
  if (!repositories.ok) return repositories;
  const found: FoundRun[] = [];
  for (const repository of repositories.value) {
    const runs = await directoriesIn(host.files, join(parent.value, repository));
    if (!runs.ok) return runs;
    for (const name of runs.value.filter((run) => runIdForm.test(run))) {
      const directories = runDirectories(join(parent.value, repository, name));
      found.push({ kind: await kindOf(host.files, directories), id: asRunId(name), directories });
    }
  }
  return ok(found.sort((a, b) => (a.id < b.id ? 1 : -1)));
}

/** A lone agent has no store and a transcript; of what was only claimed nobody can tell. */
async function kindOf(files: Files, { store, agents }: RunDirectories): Promise<FoundRun["kind"]> {
  if ((await files.stat(store)).ok) return "swarm";
  return (await files.stat(agents)).ok ? "run" : "swarm";
}

/** The swarm's run with that id, or the only run whose id begins or ends so. */
export async function findRun(
  surroundings: Surroundings,
  wanted: string,
): Promise<Result<FoundSwarm, StateError | NoRun | NotASwarm>> {
  const found = await findAnyRun(surroundings, wanted);
  if (!found.ok) return found;
  const { kind, ...run } = found.value;
  return kind === "swarm" ? ok({ kind, ...run }) : err({ kind: "not-a-swarm", run: found.value });
}

export async function findAnyRun(
  surroundings: Surroundings,
  wanted: string,
): Promise<Result<FoundRun, StateError | NoRun>> {
  const runs = await findRuns(surroundings);
  if (!runs.ok) return runs;
  const exact = runs.value.find(({ id }) => id === wanted);
  if (exact !== undefined) return ok(exact);
  const alike = wanted === "" ? [] : runs.value.filter(({ id }) => id.startsWith(wanted) || id.endsWith(wanted));
  const [only, ...others] = alike;
  if (only !== undefined && others.length === 0) return ok(only);
  return err({ kind: "no-run", wanted, candidates: alike.map(({ id }) => id) });
}

async function directoriesIn(files: Files, path: string): Promise<Result<readonly string[], FileError>> {
  const entries = await files.list(path, entriesMax);
  if (!entries.ok) return entries.error.code === "not-found" ? ok([]) : entries;
  return ok(entries.value.filter(({ kind }) => kind === "directory").map(({ name }) => name));
}
