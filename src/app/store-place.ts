// Which store a command means: a directory that is named, a run's, or that of the newest run of the repository one is in.

import { basename, dirname, join, resolve } from "node:path";
import { err, ok, type Result } from "../base/result.ts";
import type { Files } from "../host/files.ts";
import { logFilePath } from "../log/segments/log-file.ts";
import { segmentsDirectory } from "../log/segments/segment-files.ts";
import { outputLine, runGit } from "../vcs/git/command.ts";
import { type FoundRun, findRun, findRuns, type NoRun, type NotASwarm } from "./find-runs.ts";
import { gitOf } from "./prepare-swarm.ts";
import { repositoryKey, type StateError } from "./state-directory.ts";
import type { Surroundings } from "./surroundings.ts";

export interface StoreWish {
  readonly store?: string;
  readonly run?: string;
}

export interface StorePlace {
  /** The directory that holds the segments. */
  readonly directory: string;
  /** Null for a store that was named by its directory. */
  readonly run: FoundRun | null;
}

export type PlaceError =
  | StateError
  | NoRun
  | NotASwarm
  | { readonly kind: "store-and-run" }
  | { readonly kind: "empty-store" }
  /** Neither a store nor a run was named, and this is no repository. */
  | { readonly kind: "no-store-named"; readonly path: string }
  | { readonly kind: "no-run-here"; readonly repository: string }
  | { readonly kind: "no-store"; readonly directory: string };

/** A store that is there. */
export async function findStore(surroundings: Surroundings, wish: StoreWish): Promise<Result<StorePlace, PlaceError>> {
  const named = await nameStore(surroundings, wish);
  if (!named.ok) return named;
  const { directory } = named.value;
  return (await holdsStore(surroundings.host.files, directory)) ? named : err({ kind: "no-store", directory });
}

/** The place, whether or not a store is there yet. */
export async function nameStore(
  surroundings: Surroundings,
  { store, run }: StoreWish,
): Promise<Result<StorePlace, PlaceError>> {
  if (store !== undefined && run !== undefined) return err({ kind: "store-and-run" });
  if (store === "") return err({ kind: "empty-store" });
  if (store !== undefined) {
    const directory = resolve(surroundings.cwd, store);
    // What `--json` calls a run's store is the run's directory, which holds it.
    const inside = join(directory, "store");
    const isRun =
      !(await holdsStore(surroundings.host.files, directory)) && (await holdsStore(surroundings.host.files, inside));
    return ok({ directory: isRun ? inside : directory, run: null });
  }
  const found = run === undefined ? await newestRun(surroundings) : await findRun(surroundings, run);
  return found.ok ? ok({ directory: found.value.directories.store, run: found.value }) : found;
}

async function newestRun(surroundings: Surroundings): Promise<Result<FoundRun, PlaceError>> {
  const { cwd } = surroundings;
  const top = await runGit(gitOf(surroundings), { cwd, args: ["rev-parse", "--show-toplevel"] });
  if (!top.ok) return err({ kind: "no-store-named", path: cwd });
  const repository = outputLine(top.value);
  const runs = await findRuns(surroundings);
  if (!runs.ok) return runs;
  const key = repositoryKey(repository);
  // Newest first.
  const newest = runs.value.find(
    ({ kind, directories }) => kind === "swarm" && basename(dirname(directories.run)) === key,
  );
  return newest === undefined ? err({ kind: "no-run-here", repository }) : ok(newest);
}

/** One whose segments are gone is a store all the same, and a damaged one. */
async function holdsStore(files: Files, directory: string): Promise<boolean> {
  const [segments, file] = [await files.stat(segmentsDirectory(directory)), await files.stat(logFilePath(directory))];
  return (segments.ok && segments.value.kind === "directory") || (file.ok && file.value.kind === "file");
}
