// Git in and out for a run: the repository's HEAD into the store, and what landed onto a branch.

import { basename } from "node:path";
import type { BlobId, RepoPath, RunId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import { cleanLine } from "../base/text.ts";
import type { NewBlob } from "../log/log.ts";
import type { SwarmState } from "../swarm/state.ts";
import type { Git } from "../vcs/git/command.ts";
import { type ExportError, type Exported, exportBranch } from "../vcs/git/export.ts";
import { type ImportError as ReadError, readTree, type TreeMismatch, verifyTree } from "../vcs/git/import.ts";
import type { RepositoryInfo } from "../vcs/git/inspect.ts";
import { findOldModes, type OldModes } from "../vcs/git/old-modes.ts";
import { type ReadBlobsError, readBlobs } from "../vcs/git/read-blobs.ts";
import { type GitHistory, type HistoryError, readHistory } from "../vcs/git/read-history.ts";
import { treeId } from "../vcs/tree-id.ts";
import type { LandedCommit, Manifest } from "../vcs/types.ts";
import type { ImportedTree, ImportError as StoreError, Vcs } from "../vcs/vcs.ts";

export type IntoStoreError =
  | ReadError
  | HistoryError
  | TreeMismatch
  | OldModes
  | StoreError
  | (ReadBlobsError & { readonly path: RepoPath | null });

/** The run's branch; where that one is somebody else's, a number is added. */
export function branchOf(run: RunId): string {
  return `skein/${run}`;
}

const batchBytesMax = 8 * 1024 * 1024;
/** A larger file cannot be handed to a worker in one frame. */
const fileBytesMax = 32 * 1024 * 1024;

/** Commits that come along with the tree. */
export type HistoryWish = number | "all" | null;

/** HEAD's tree becomes the store's first snapshot; its id, computed here, equals git's, or nothing is kept. */
export async function importHead(
  git: Git,
  info: RepositoryInfo,
  vcs: Vcs,
  wish: HistoryWish = null,
): Promise<Result<LeftOut, IntoStoreError>> {
  if (wish === null) {
    const imported = await importTree(git, info, vcs);
    return imported.ok ? ok({ merges: 0, isCutShort: false }) : imported;
  }
  return importCommits(git, info, vcs, wish === "all" ? null : wish);
}

/** What of the history that was asked for is not in the store. */
export type LeftOut = Pick<GitHistory, "merges" | "isCutShort">;

async function importTree(git: Git, info: RepositoryInfo, vcs: Vcs): Promise<Result<void, IntoStoreError>> {
  const tree = await readTree(git, info.root, info.headCommit);
  if (!tree.ok) return tree;
  const { manifest, blobs } = tree.value;
  const same = verifyTree(manifest, info.headTree, info.objectFormat);
  if (!same.ok) {
    const old = await findOldModes(git, info.root, info.headTree, info.objectFormat);
    return old.ok && old.value !== null ? err(old.value) : same;
  }
  return intoStore(git, info, vcs, { entries: manifest, blobs, commit: info.headCommit, tree: info.headTree });
}

/** The oldest of the commits begins the store, and every tree up to HEAD's equals git's. */
async function importCommits(
  git: Git,
  info: RepositoryInfo,
  vcs: Vcs,
  commits: number | null,
): Promise<Result<LeftOut, IntoStoreError>> {
  const { root: repository, headCommit: tip, objectFormat: format } = info;
  const read = await readHistory({ git, repository, tip, format, commits });
  if (!read.ok) return read;
  const { first, manifest, commits: history, blobs, merges, isCutShort } = read.value;
  const stored = await intoStore(git, info, vcs, { ...first, entries: manifest, blobs, history: { commits: history } });
  return stored.ok ? ok({ merges, isCutShort }) : stored;
}

interface Read extends Pick<ImportedTree, "entries" | "history"> {
  readonly commit: string;
  readonly tree: string;
  readonly blobs: readonly BlobId[];
}

async function intoStore(
  git: Git,
  { root: repository, branch, objectFormat }: RepositoryInfo,
  vcs: Vcs,
  { commit, tree, entries, blobs: ids, history }: Read,
): Promise<Result<void, IntoStoreError>> {
  const limits = { batchBytesMax, blobBytesMax: fileBytesMax };
  const reading = new Reading(readBlobs({ git, repository, ids, format: objectFormat, ...limits }));
  const imported = await vcs.importTree({
    source: { repository, branch, commit, tree },
    objectFormat,
    entries,
    blobs: reading.blobs(),
    ...(history === undefined ? {} : { history }),
  });
  // A reader that failed has left blobs out, which the store then misses: the reader's error is the cause.
  if (reading.error !== null) return err({ ...reading.error, path: pathOf(entries, history, reading.error) });
  return imported.ok ? ok(undefined) : err(imported.error);
}

class Reading {
  readonly #source: AsyncIterable<Result<readonly NewBlob[], ReadBlobsError>>;
  error: ReadBlobsError | null = null;

  constructor(source: AsyncIterable<Result<readonly NewBlob[], ReadBlobsError>>) {
    this.#source = source;
  }

  async *blobs(): AsyncGenerator<readonly NewBlob[]> {
    for await (const batch of this.#source) {
      if (!batch.ok) {
        this.error = batch.error;
        return;
      }
      yield batch.value;
    }
  }
}

function pathOf(manifest: Manifest, history: ImportedTree["history"], error: ReadBlobsError): RepoPath | null {
  if (error.kind === "git") return null;
  for (const [path, entry] of manifest) if (entry.blob === error.id) return path;
  for (const change of history?.commits.flatMap(({ changes }) => changes) ?? [])
    if (change.kind === "put" && change.blob === error.id) return change.path;
  return null;
}

export interface ExportPlace {
  /** Top directory of the repository, which may have moved since the import. */
  readonly repository: string;
  readonly branch: string;
}

/** All landed commits as one linear history on top of the imported commit. */
export async function exportRun(
  git: Git,
  vcs: Vcs,
  state: SwarmState,
  { repository, branch }: ExportPlace,
): Promise<Result<Exported, ExportError>> {
  const imported = vcs.imported();
  if (imported === null) return err({ kind: "nothing-to-export" });
  const { tip, objectFormat } = imported;
  return exportBranch({
    git,
    repository,
    branch,
    parent: tip.commit,
    commits: () => vcs.history(tip.position),
    blobs: vcs.blobs,
    describe: (commit) => describe(state, commit),
    expectedTree: treeId(vcs.manifest(vcs.head()), objectFormat),
  });
}

/** A script is named without its directory: a machine's paths do not belong into people's history. */
function modelLabel(name: string): string {
  return name.startsWith("script:") ? `script:${basename(name)} (scripted model)` : name;
}

function describe(state: SwarmState, commit: LandedCommit) {
  const { agent, task } = commit.author;
  const model = modelLabel(state.agents.get(agent)?.model ?? "unknown");
  const trailers: (readonly [string, string])[] = [
    ["Skein-Task", task],
    ["Skein-Key", state.tasks.get(task)?.key ?? ""],
    ["Skein-Agent", agent],
    ["Skein-Model", model],
    ["Skein-Position", String(commit.position)],
  ];
  if (commit.resolves !== null) trailers.push(["Skein-Resolves", commit.resolves]);
  for (const { path } of commit.merged) trailers.push(["Skein-Merged", path]);
  for (const { from, to } of commit.moved ?? []) trailers.push(["Skein-Moved", `${from} -> ${to}`]);
  for (const { path, side, task: whose, reason } of commit.discarded ?? [])
    trailers.push(["Skein-Discarded", `${cleanLine(path, 300)} ${side} of ${whose ?? "import"}: ${reason}`]);
  return { authorName: `skein ${agent}`, authorEmail: `${agent}@skein.invalid`, trailers };
}
