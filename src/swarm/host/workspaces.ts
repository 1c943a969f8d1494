// Workspaces of this host's agents: made from the coordinator's snapshots, sharing one cache of blobs.

import { dirname, join } from "node:path";
import type { AgentId, BlobId, Position } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { SandboxBox } from "../../host/sandbox.ts";
import type { NewBlob } from "../../log/log.ts";
import type { Job } from "../../protocol/messages.ts";
import type { ToolEnv } from "../../tools/env.ts";
import { temporaryPrefix } from "../../tools/replace.ts";
import type { BlobSource, Change } from "../../vcs/types.ts";
import { workspaceErrorText } from "../../vcs/workspace/errors.ts";
import {
  createWorkspace,
  reopenWorkspace,
  type Snapshot,
  type Workspace,
  type WorkspaceOptions,
} from "../../vcs/workspace/workspace.ts";
import { basesName, workspaceName } from "../workspace-name.ts";
import { demoted } from "./demoted.ts";
import type { HostEnvironment } from "./environment.ts";
import { removeTree, settleWorkspace } from "./overlays.ts";

/** A new tree at the job's snapshot. */
export async function openWorkspace(environment: HostEnvironment, job: Job): Promise<Workspace> {
  const manifest = await environment.client.manifest(job.snapshot);
  const git = job.role === "worker" ? workspaceGit(environment) : plainGit(environment);
  return make(environment, workspaceName(job.lease, job.role), { position: job.snapshot, manifest }, git);
}

/** The tree that this agent had before it was interrupted; null where what is left of it is not whole. */
export async function reopen(environment: HostEnvironment, job: Job): Promise<Result<Workspace | null, string>> {
  const { client, host, cache, overlays } = environment;
  const directory = workspaceDirectory(environment, job);
  // A host before this one could mount, and this one cannot.
  const settled = overlays === null ? await settleWorkspace(environment, directory) : ok(undefined);
  if (!settled.ok) return err(workspaceErrorText(settled.error));
  const reopened = await reopenWorkspace({
    files: host.files,
    directory,
    blobs: client,
    cache,
    overlays,
    ignoreTexts: ignoreTexts(environment),
    git: workspaceGit(environment),
    manifestAt: (position) => client.manifest(position),
  });
  return reopened.ok ? reopened : err(workspaceErrorText(reopened.error));
}

export function workspaceDirectory({ directories }: HostEnvironment, { lease, role }: Job): string {
  return join(directories.workspaces, workspaceName(lease, role));
}

/** Trees that are made anew for each lease and that a host which died has left: planners' and arbiters', which hold no work. */
export async function removeOldTrees(environment: HostEnvironment, { lease, role, resume }: Job): Promise<void> {
  const { host, directories } = environment;
  if (role === "worker" || resume === "new") return;
  const left = await host.files.list(directories.workspaces, treesMax);
  if (!left.ok) return;
  const old = left.value.filter(({ name }) => name.startsWith(`${lease.agent}-`));
  for (const { name } of old) await removeTree(environment, join(directories.workspaces, name));
}

const treesMax = 100_000;

/** A write that was killed may have left a file of its own. */
function ignoreTexts(environment: HostEnvironment): readonly string[] {
  return [...environment.ignoreTexts, `${temporaryPrefix}*\n`];
}

export interface Trial {
  readonly head: Position;
  readonly number: number;
  /** Put on the head in this order. */
  readonly parts: readonly { readonly changes: readonly Change[]; readonly blobs: readonly NewBlob[] }[];
}

/** The head with a conflict's answer in place, for the checks of both sides. */
export async function openTrial(environment: HostEnvironment, job: Job, trial: Trial): Promise<Workspace> {
  const { head, number, parts } = trial;
  const layersOf = { position: head, manifest: await environment.client.manifest(head) };
  const manifest = new Map(layersOf.manifest);
  for (const change of parts.flatMap((part) => part.changes)) {
    if (change.kind === "put") manifest.set(change.path, { blob: change.blob, mode: change.mode });
    else manifest.delete(change.path);
  }
  const own = new Map(parts.flatMap((part) => part.blobs).map((blob) => [blob.id, blob.bytes]));
  const blobs: BlobSource = {
    get: async (ids: readonly BlobId[]) => {
      const others = ids.filter((id) => !own.has(id));
      const fetched = others.length === 0 ? [] : await environment.client.get(others);
      return ids.map((id) => own.get(id) ?? fetched[others.indexOf(id)] ?? new Uint8Array());
    },
  };
  return make(
    environment,
    `${workspaceName(job.lease, job.role)}-trial-${number}`,
    { position: head, manifest },
    workspaceGit(environment),
    { blobs, layersOf },
  );
}

type GitForm = NonNullable<WorkspaceOptions["git"]>;

/** Where commands run: an agent's or a check's `git ls-files`, `status` and `diff` find the tree they began from. */
function workspaceGit({ bases }: HostEnvironment): GitForm {
  return bases === null ? { kind: "none" } : { kind: "base", bases };
}

/** Where nobody runs a command: enough for the tools that look for a repository's edge. */
function plainGit({ bases }: HostEnvironment): GitForm {
  return bases === null ? { kind: "none" } : { kind: "empty" };
}

async function make(
  environment: HostEnvironment,
  name: string,
  snapshot: Snapshot,
  git: GitForm,
  { blobs, layersOf }: { readonly blobs: BlobSource; readonly layersOf?: Snapshot } = { blobs: environment.client },
): Promise<Workspace> {
  const { host, directories, cache, making, overlays } = environment;
  const made = await making.through(() =>
    createWorkspace({
      files: host.files,
      directory: join(directories.workspaces, name),
      snapshot,
      blobs,
      cache,
      ignoreTexts: ignoreTexts(environment),
      git,
      overlays,
      ...(layersOf === undefined ? {} : { layersOf }),
    }),
  );
  if (!made.ok) throw new Error(`the workspace ${name} cannot be made: ${workspaceErrorText(made.error)}`);
  return made.value;
}

export function toolEnvironment(environment: HostEnvironment, agent: AgentId, root: string): ToolEnv {
  const { host, rgPath, shellEnvironment, directories, overlay, sandbox, secrets = [] } = environment;
  const { files, processes, clock } = host;
  return {
    files,
    processes: demoted(processes, overlay?.demote ?? []),
    clock,
    root,
    rgPath,
    environment: { ...shellEnvironment, ...sandbox?.environment },
    ...(sandbox === undefined ? {} : { commands: sandbox.processesIn(boxOf(root, directories.workspaces)) }),
    spillDirectory: spillDirectory(directories.agents, agent),
    secrets,
  };
}

/** A tree's temporary files lie beside it, and go with it. */
export function boxOf(root: string, workspaces: string): SandboxBox {
  return {
    root,
    writable: true,
    guarded: [],
    temporary: join(dirname(root), "tmp"),
    shown: [join(workspaces, basesName)],
  };
}

export function transcriptPath({ directories }: HostEnvironment, agent: AgentId): string {
  return join(directories.agents, `${agent}.jsonl`);
}

/** Full texts of capped results stay beside the transcript that names them. */
export function spillDirectory(agents: string, agent: AgentId): string {
  return join(agents, `${agent}.outputs`);
}
