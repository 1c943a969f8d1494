// The trees of a run's agents: the person's own directory, and a copy for each child with a workspace. A copy is made from its parent's
// tree as it stands, and what changed in it is merged back; one whose changes are not all there is kept, and its path said.

import { join } from "node:path";
import type { FinishedChanges } from "../agent/child-home.ts";
import type { ChildOutcome } from "../agent/child-outcome.ts";
import type { Claim } from "../agent/claim.ts";
import { type TreeLock, type TreeLocks, treeLocks } from "../agent/tree-locks.ts";
import { type AgentId, asPosition } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import { temporaryPrefix } from "../tools/replace.ts";
import type { Manifest } from "../vcs/types.ts";
import { type BlobCache, openBlobCache } from "../vcs/workspace/blob-cache.ts";
import { workspaceErrorText } from "../vcs/workspace/errors.ts";
import { type GitBases, openGitBases } from "../vcs/workspace/git-bases.ts";
import { type Looks, openLooks } from "../vcs/workspace/looks.ts";
import { mergeBack } from "../vcs/workspace/merge-back.ts";
import type { Scan } from "../vcs/workspace/scan.ts";
import { snapshotTree, type TreeSnapshot } from "../vcs/workspace/snapshot-tree.ts";
import type { SkippedPath } from "../vcs/workspace/walk.ts";
import { createWorkspace, reopenWorkspace, type Workspace, workspaceLimits } from "../vcs/workspace/workspace.ts";
import { type BroughtChanges, readBase, readBrought, writeBase, writeBrought } from "./child-base.ts";
import { broughtText, keptText, withMissing } from "./child-changes.ts";
import { saveSides } from "./conflict-sides.ts";
import { gitOf } from "./prepare-swarm.ts";
import type { RunDirectories } from "./state-directory.ts";
import type { Surroundings } from "./surroundings.ts";
import { type TreeRules, treeRules } from "./tree-rules.ts";

export interface Tree {
  readonly root: string;
  readonly locks: TreeLocks;
  readonly looks: Looks;
  /** Full outputs that the tree's agents may read. */
  readonly spillDirectory: string;
}

export interface ChildTree extends Tree {
  /** After the child is over. Never rejects. */
  bring(outcome: ChildOutcome): Promise<FinishedChanges>;
}

export interface CopyRequest {
  readonly child: AgentId;
  readonly from: Tree;
  readonly spillDirectory: string;
  /** There may be a copy from before a crash. */
  readonly resumed: boolean;
  readonly signal: AbortSignal;
}

/** What is done with a tree after an abort waits this long for a call that does not end. */
const lockMsMax = 5_000;

export class ChildTrees {
  private readonly surroundings: Surroundings;
  private readonly directories: RunDirectories;
  private readonly cache: BlobCache;
  private readonly top: Tree;
  private rules: Promise<TreeRules> | null = null;
  private bases: GitBases | null = null;
  /** One at a time: the next finds every unchanged file known. */
  private lastSnapshot: Promise<unknown> = Promise.resolve();

  constructor(surroundings: Surroundings, directories: RunDirectories, top: Pick<Tree, "root" | "spillDirectory">) {
    this.surroundings = surroundings;
    this.directories = directories;
    this.cache = openBlobCache({ files: surroundings.host.files, directory: directories.blobs });
    this.top = { ...top, locks: treeLocks(), looks: this.looksAt(top.root) };
  }

  /** Where the objects lie that the copies' git borrows. */
  get gitBases(): string {
    return join(this.directories.workspaces, "git-bases");
  }

  get topTree(): Tree {
    return this.top;
  }

  /** The error is a sentence for the parent. */
  async copy(request: CopyRequest): Promise<Result<ChildTree, string>> {
    const { child, from, spillDirectory } = request;
    const made = await this.directoriesMade();
    if (!made.ok) return made;
    const brought = request.resumed ? await readBrought(this.surroundings.host.files, this.broughtPath(child)) : null;
    if (brought !== null) return ok(this.afterwards(request, brought));
    const reopened = request.resumed ? await this.reopen(child) : null;
    const opened = reopened ?? (await this.make(request));
    if (!opened.ok) return err(`its workspace cannot be made: ${opened.error}`);
    const { root } = opened.value.workspace;
    const bring = async (outcome: ChildOutcome): Promise<FinishedChanges> => {
      const copy = { ...opened.value, child, from };
      const brought = await this.bring(copy, outcome);
      const { kind, kept } = brought;
      const changes = { kind, kept, text: withMissing(brought.text, opened.value.missing) };
      // A crash from here on finds what was said, and does not look for the copy.
      await writeBrought(this.surroundings.host.files, this.broughtPath(child), changes);
      if (!kept) await this.remove(child);
      return { kind, text: changes.text };
    };
    return ok({ root, spillDirectory, locks: treeLocks(), looks: this.looksAt(root), bring });
  }

  /** The copy of a child whose changes were brought before a crash: nothing works in it any more. */
  private afterwards({ child, spillDirectory }: CopyRequest, { kind, text, kept }: BroughtChanges): ChildTree {
    const root = join(this.directories.workspaces, child, "tree");
    const bring = async (): Promise<FinishedChanges> => {
      if (!kept) await this.remove(child);
      return { kind, text };
    };
    return { root, spillDirectory, locks: treeLocks(), looks: this.looksAt(root), bring };
  }

  async close(): Promise<void> {
    await this.bases?.close();
  }

  private async make({ child, from, signal }: CopyRequest): Promise<Result<Copied, string>> {
    const { files } = this.surroundings.host;
    const rules = await this.treeRules();
    const lock = await from.locks.acquire({ kind: "read", what: "tree" }, signal);
    if (lock === null) return err("it was aborted before");
    const snapshot = await this.inTurn(() => this.snapshot(from, rules)).finally(() => lock.release());
    if (!snapshot.ok) return snapshot;
    const { manifest, skipped: missing } = snapshot.value;
    // Without it a copy that a crash left could not be opened again; the copy itself needs it not.
    await writeBase(files, this.basePath(child), manifest);
    const position = asPosition(1);
    const options = { ...this.workspaceOptions(child, rules), snapshot: { position, manifest } };
    // What a resumed child's first process had begun to copy is whole or worth nothing.
    await files.remove(options.directory);
    const workspace = await createWorkspace(options);
    return workspace.ok
      ? ok({ workspace: workspace.value, base: manifest, missing })
      : err(workspaceErrorText(workspace.error));
  }

  private async reopen(child: AgentId): Promise<Result<Copied, string> | null> {
    const { files } = this.surroundings.host;
    const base = await readBase(files, this.basePath(child));
    if (base === null) return null;
    const options = this.workspaceOptions(child, await this.treeRules());
    const reopened = await reopenWorkspace({ ...options, manifestAt: async () => base });
    if (!reopened.ok) return err(workspaceErrorText(reopened.error));
    return reopened.value === null ? null : ok({ workspace: reopened.value, base, missing: [] });
  }

  private workspaceOptions(child: AgentId, { ignoreTexts, hasGit }: TreeRules) {
    const { cache, surroundings, directories } = this;
    const { files } = surroundings.host;
    const git = gitOf(surroundings);
    const kept = hasGit ? (this.bases ?? openGitBases({ files, git, directory: this.gitBases })) : null;
    this.bases = kept;
    return {
      files,
      directory: join(directories.workspaces, child),
      // Whatever a copy begins from is in the cache.
      blobs: { get: async () => [] },
      cache,
      ignoreTexts,
      git: kept === null ? ({ kind: "none" } as const) : ({ kind: "base", bases: kept } as const),
    };
  }

  private async snapshot(
    { root, looks }: Tree,
    { ignoreTexts, tracked }: TreeRules,
  ): Promise<Result<TreeSnapshot, string>> {
    const { files } = this.surroundings.host;
    const atMs = await this.fileTime();
    if (!atMs.ok) return atMs;
    const { filesMax } = workspaceLimits;
    const options = { files, root, looks, cache: this.cache, ignoreTexts, tracked, filesMax, atMs: atMs.value };
    const taken = await snapshotTree(options);
    return taken.ok ? taken : err(workspaceErrorText(taken.error));
  }

  private async bring(copy: Brought, outcome: ChildOutcome): Promise<BroughtChanges> {
    const { root } = copy.workspace;
    const scan = await copy.workspace.scan();
    if (!scan.ok) return failed(root, `what it changed cannot be read: ${workspaceErrorText(scan.error)}`);
    const { changes, skipped } = scan.value;
    if (changes.length === 0 && skipped.length === 0)
      return { kind: "brought", text: outcome === "done" ? "It changed no file." : "", kept: false };
    if (outcome === "done") return this.merge(copy, scan.value);
    const text = keptText(
      root,
      `it changed ${changes.length} ${changes.length === 1 ? "file" : "files"}, and was not done`,
    );
    return { kind: "brought", text, kept: true };
  }

  private async merge({ child, from, workspace, base }: Brought, scan: Scan): Promise<BroughtChanges> {
    const { changes, blobs, skipped } = scan;
    const { files } = this.surroundings.host;
    const { root, looks, spillDirectory } = from;
    const lock = await this.lockSoon(from.locks, { kind: "exclusive" });
    if (lock === null) return failed(workspace.root, "the tree was busy, nothing was merged");
    const scratch = join(root, `${temporaryPrefix}${child}`);
    try {
      const made = await files.makeDirectory(scratch);
      if (!made.ok) return failed(workspace.root, `nothing was merged: ${made.error.message}`);
      const report = await mergeBack({ files, root, scratch, looks, cache: this.cache, base, changes, blobs });
      if (!report.ok) return failed(workspace.root, `merging stopped half-way: ${workspaceErrorText(report.error)}`);
      const { conflicts } = report.value;
      const directory = join(spillDirectory, child);
      const sides = await saveSides({ files, cache: this.cache, blobs, conflicts, directory });
      const kept = conflicts.length > 0 || skipped.length > 0;
      const text = broughtText(report.value, { sides, skipped, kept: kept ? workspace.root : null });
      return { kind: "brought", text, kept };
    } finally {
      await files.remove(scratch);
      lock.release();
    }
  }

  private async remove(child: AgentId): Promise<void> {
    const { files } = this.surroundings.host;
    await files.remove(join(this.directories.workspaces, child));
    await files.remove(this.basePath(child));
  }

  /** Also after an abort: what is finished is kept. */
  private async lockSoon(locks: TreeLocks, claim: Claim): Promise<TreeLock | null> {
    const late = new AbortController();
    const timer = this.surroundings.host.clock.after(lockMsMax, () => late.abort());
    try {
      return await locks.acquire(claim, late.signal);
    } finally {
      timer.cancel();
    }
  }

  private treeRules(): Promise<TreeRules> {
    this.rules ??= treeRules(this.surroundings, this.top.root);
    return this.rules;
  }

  private async directoriesMade(): Promise<Result<void, string>> {
    const { workspaces, blobs } = this.directories;
    for (const directory of [workspaces, blobs, this.copies]) {
      const made = await this.surroundings.host.files.makeDirectory(directory, { private: true });
      if (!made.ok) return err(made.error.message);
    }
    return ok(undefined);
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.lastSnapshot.then(work);
    this.lastSnapshot = turn.catch(() => undefined);
    return turn;
  }

  private async fileTime(): Promise<Result<number, string>> {
    const { files } = this.surroundings.host;
    const stamp = join(this.copies, "now");
    const written = await files.write(stamp, Buffer.from("."));
    const stat = written.ok ? await files.stat(stamp) : written;
    return stat.ok ? ok(stat.value.changedMs) : err(stat.error.message);
  }

  private looksAt(root: string): Looks {
    const { files } = this.surroundings.host;
    return openLooks({ files, root, fileBytesMax: workspaceLimits.fileBytesMax, idFormat: "sha1" });
  }

  /** What is kept of the copies, beside them. */
  private get copies(): string {
    return join(this.directories.run, "copies");
  }

  private broughtPath(child: AgentId): string {
    return join(this.copies, `${child}.brought.json`);
  }

  private basePath(child: AgentId): string {
    return join(this.copies, `${child}.base.json`);
  }
}

interface Copied {
  readonly workspace: Workspace;
  readonly base: Manifest;
  /** What could not be copied. */
  readonly missing: readonly SkippedPath[];
}

function failed(root: string, why: string): BroughtChanges {
  return { kind: "failed", text: keptText(root, why), kept: true };
}

interface Brought extends Copied {
  readonly child: AgentId;
  readonly from: Tree;
}
