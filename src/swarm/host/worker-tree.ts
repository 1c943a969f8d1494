// The tree that a worker works in: made at its first lease, and the same one as long as its conversation goes on. One that may not
// be whole is not worked in, and never removed: it may hold the only copy of what its agent did.

import { join } from "node:path";
import type { Files } from "../../host/files.ts";
import type { Job } from "../../protocol/messages.ts";
import type { Workspace } from "../../vcs/workspace/workspace.ts";
import type { HostEnvironment } from "./environment.ts";
import { removeTree } from "./overlays.ts";
import { openWorkspace, reopen, transcriptPath, workspaceDirectory } from "./workspaces.ts";

export type WorkerTree =
  /** `kept`: with all that the agent had done in it. */
  | { readonly kind: "open"; readonly workspace: Workspace; readonly kept: boolean }
  /** The conversation cannot go on in it. `workspace` is what is left; null for nothing. */
  | { readonly kind: "lost"; readonly reason: string; readonly workspace: string | null };

export async function openWorkerTree(environment: HostEnvironment, job: Job): Promise<WorkerTree> {
  if (job.resume === "new") return create(environment, job);
  const { files } = environment.host;
  const directory = workspaceDirectory(environment, job);
  const isThere = (await files.stat(directory)).ok;
  const transcript = await files.stat(transcriptPath(environment, job.lease.agent));
  if (!transcript.ok || transcript.value.size === 0) {
    // Interrupted before its first word: what is there was made by a host that did not live to fill it.
    if (isThere) await removeTree(environment, directory);
    return create(environment, job);
  }
  if (!isThere) return { kind: "lost", reason: "its workspace is gone", workspace: null };
  const lost = (reason: string): WorkerTree => ({ kind: "lost", reason, workspace: directory });
  if ((await readBoot(files, bootPath(directory))) !== (await currentBoot(files)))
    return lost("the machine was started anew since: what had not reached the disk is not in its workspace");
  const workspace = await reopen(environment, job);
  if (!workspace.ok) return lost(`its workspace cannot be opened again: ${workspace.error}`);
  if (workspace.value === null) return lost("its workspace is not whole");
  return { kind: "open", workspace: workspace.value, kept: true };
}

async function create(environment: HostEnvironment, job: Job): Promise<WorkerTree> {
  const { files } = environment.host;
  const workspace = await openWorkspace(environment, job);
  const path = bootPath(workspaceDirectory(environment, job));
  const written = await files.write(path, Buffer.from(await currentBoot(files)));
  if (!written.ok) throw new Error(`${path} cannot be written: ${written.error.message}`);
  return { kind: "open", workspace, kept: false };
}

/** Changes with each start of the machine: https://docs.kernel.org/admin-guide/sysctl/kernel.html#random. */
const currentBootPath = "/proc/sys/kernel/random/boot_id";
const bootBytesMax = 1_000;

/** Empty on a system that does not tell: there the tree is taken as it is. */
export function currentBoot(files: Files): Promise<string> {
  return readBoot(files, currentBootPath);
}

async function readBoot(files: Files, path: string): Promise<string> {
  const read = await files.read(path, bootBytesMax);
  return read.ok ? Buffer.from(read.value).toString("utf8").trim() : "";
}

function bootPath(directory: string): string {
  return join(directory, "boot");
}
