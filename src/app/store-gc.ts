// Removes contents that a store needs no more. Invariant: nothing that a run still needs goes: one that is not at its end, or whose
// commits or workspaces are not through, keeps everything.

import { basename, dirname } from "node:path";
import { asRunId } from "../base/ids.ts";
import { err, type Result } from "../base/result.ts";
import type { Host } from "../host/host.ts";
import { collectGarbage, type GcError, type GcReport } from "../vcs/gc.ts";
import { readRun } from "./run-facts.ts";
import { runDirectories } from "./state-directory.ts";
import type { VcsStore } from "./vcs-store.ts";

export type StoreGcError = GcError | { readonly kind: "run-needs-all"; readonly message: string };

export interface StoreGcOptions {
  readonly store: VcsStore;
  readonly directory: string;
  /** Snapshots before the head whose contents stay; null: all. */
  readonly keep: number | null;
}

export async function collectStore(
  host: Host,
  { store, directory, keep }: StoreGcOptions,
): Promise<Result<GcReport, StoreGcError>> {
  const needed = keep === null ? null : await neededByRun(host, directory);
  if (needed !== null) return err({ kind: "run-needs-all", message: needed });
  const { ledger, large, log } = store;
  return collectGarbage({
    ledger,
    clock: host.clock,
    keepPositions: keep,
    async collect(isKept) {
      // In the step of the call, as for the log's own: what a commit names from now on is kept or comes anew.
      const removing = large.collect(isKept);
      const collected = await log.collect(isKept);
      const gone = await removing;
      if (!collected.ok) return collected;
      if (!gone.ok) return err({ kind: "failed", message: `${gone.error.path}: ${gone.error.message}` });
      const { blobsRemoved, bytesRemoved, segmentsRewritten } = collected.value;
      return {
        ok: true,
        value: {
          blobsRemoved: blobsRemoved + gone.value.blobs,
          bytesRemoved: bytesRemoved + gone.value.bytes,
          segmentsRewritten,
        },
      };
    },
  });
}

/** Why a run's store keeps all of it, a sentence; null for a store that is no run's, or a run's that is through. */
async function neededByRun(host: Host, directory: string): Promise<string | null> {
  const run = dirname(directory);
  const directories = runDirectories(run);
  if (directories.store !== directory || !(await host.files.stat(directories.agents)).ok) return null;
  const { left } = await readRun(host, { kind: "swarm", id: asRunId(basename(run)), directories });
  if (left.openTasks > 0) return "tasks of its run are open, and stand on older positions";
  if (left.unexportedCommits > 0) return "its run has commits that are on no branch yet";
  return left.keptWorkspaces > 0 ? "its run keeps workspaces that were made from older positions" : null;
}

/** One line, for people. */
export function gcErrorText(error: StoreGcError): string {
  switch (error.kind) {
    case "nothing-imported":
      return "the store has no tree yet";
    case "moved":
    case "batch-too-large":
      return error.kind;
    case "run-needs-all":
    case "failed":
    case "no-space":
    case "stopped":
      return error.message;
  }
}
