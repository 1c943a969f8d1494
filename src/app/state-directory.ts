// Where runs are kept: `<state>/runs/<repository>/<run>/`. Nothing of a run is written into the repository but its branch.

import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { asRunId, type RunId } from "../base/ids.ts";
import { ok, type Result } from "../base/result.ts";
import type { FileError, Files } from "../host/files.ts";
import type { Host } from "../host/host.ts";
import { type NoStateRoot, stateRoot } from "../sessions/state-root.ts";
import type { Surroundings } from "./surroundings.ts";

export interface RunDirectories {
  readonly run: string;
  readonly store: string;
  readonly agents: string;
  readonly workspaces: string;
  readonly blobs: string;
}

export type StateError = FileError | NoStateRoot | PlaceError;

export interface PlaceError {
  readonly kind: "no-temporary-directory";
  readonly path: string;
  readonly message: string;
}

export type StatePlace = Pick<Surroundings, "env" | "platform">;

/** One place for runs and for sessions: see `stateRoot`. */
export function stateDirectory({ env, platform }: StatePlace): Result<string, StateError> {
  return stateRoot(env, platform);
}

/** Holds a directory for each repository, and in it one for each run. */
export function runsDirectory(place: StatePlace): Result<string, StateError> {
  const state = stateDirectory(place);
  return state.ok ? ok(join(state.value, "runs")) : state;
}

export function runDirectories(run: string): RunDirectories {
  const at = (name: string): string => join(run, name);
  return { run, store: at("store"), agents: at("agents"), workspaces: at("workspaces"), blobs: at("blobs") };
}

export function newRunId({ clock, random }: Pick<Host, "clock" | "random">): RunId {
  return asRunId(`${stamp(clock.now())}-${random.letters(4)}`);
}

/** All that Skein puts into its state directory. */
const OURS: ReadonlySet<string> = new Set(["runs", "presence", "hook-faults.jsonl", "workspaces"]);

/** Claims a new run's directory, empty; two runs started at once get different ids. */
export async function claimRun(
  surroundings: Surroundings,
  repository: string,
): Promise<Result<{ readonly id: RunId; readonly directories: RunDirectories }, StateError>> {
  const { files, clock, random } = surroundings.host;
  const runs = runsDirectory(surroundings);
  if (!runs.ok) return runs;
  const parent = join(runs.value, repositoryKey(repository));
  const made = await makePrivatePlace(files, { runs: runs.value, parent });
  if (!made.ok) return made;
  for (;;) {
    const id = newRunId({ clock, random });
    const run = join(parent, id);
    const claimed = await files.claimDirectory(run, { private: true });
    if (claimed.ok) return ok({ id, directories: runDirectories(run) });
    if (claimed.error.code !== "exists") return claimed;
  }
}

/**
 * Goals, prompts, file contents and command outputs are nobody else's business. Directories that an earlier version left open are
 * closed; the state directory itself only if it holds nothing but ours: it may be one that a person uses for other things too.
 */
async function makePrivatePlace(
  files: Files,
  { runs, parent }: { readonly runs: string; readonly parent: string },
): Promise<Result<void, FileError>> {
  const made = await files.makeDirectory(parent, { private: true });
  if (!made.ok) return made;
  const state = dirname(runs);
  const inState = await files.list(state, OURS.size);
  const ours = inState.ok && inState.value.every(({ name }) => OURS.has(name));
  // What is somebody else's cannot be closed, and is used as it is.
  for (const directory of ours ? [state, runs, parent] : [runs, parent]) await files.makePrivate(directory);
  return ok(undefined);
}

/** Makes what is missing of a swarm run's directory. One without a store is a lone agent's. */
export async function makeParts(files: Files, directories: RunDirectories): Promise<Result<void, FileError>> {
  const { run, store, agents, workspaces, blobs } = directories;
  for (const directory of [store, agents, workspaces, blobs]) {
    const made = await files.makeDirectory(directory, { private: true });
    if (!made.ok) return made;
  }
  // Of a run that an earlier version has begun.
  for (const directory of [run, store, agents, workspaces, blobs]) await files.makePrivate(directory);
  return ok(undefined);
}

/** A name a person recognises, and a hash that tells two repositories of that name apart. */
export function repositoryKey(repository: string): string {
  const name = basename(repository)
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[.-]+/, "")
    .slice(0, 40);
  const hash = createHash("sha256").update(repository).digest("hex").slice(0, 12);
  return name === "" ? hash : `${name}-${hash}`;
}

function stamp(ms: number): string {
  return new Date(ms).toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
}
