// A workspace: a directory that holds a snapshot for one agent to change. Invariant: its base is what the store already has of
// every path, so base plus scan is always exactly what is on the disk; one operation runs at a time.

import { dirname, join } from "node:path";
import type { Position, RepoPath } from "../../base/ids.ts";
import { ok, type Result } from "../../base/result.ts";
import type { FileResult, Files } from "../../host/files.ts";
import type { ObjectFormat } from "../../log/blob-id.ts";
import type { BlobSource, Change, Entry, Manifest } from "../types.ts";
import type { BlobCache } from "./blob-cache.ts";
import { fillTree } from "./create.ts";
import type { WorkspaceError } from "./errors.ts";
import type { GitBases } from "./git-bases.ts";
import { openLooks } from "./looks.ts";
import { openPlace } from "./place.ts";
import { loadState, type SavedState, saveState, withOwn } from "./saved-state.ts";
import { type Scan, scan } from "./scan.ts";
import { type SyncReport, sync } from "./sync.ts";
import { makeThrowawayGit, reopenThrowawayGit, type ThrowawayGit } from "./throwaway-git.ts";

export interface Snapshot {
  readonly position: Position;
  readonly manifest: Manifest;
}

export interface WorkspaceOptions {
  readonly files: Files;
  /** Must not exist; gets `tree` (the agent's) and `scratch` (ours). Never inside another workspace or the user's repository. */
  readonly directory: string;
  readonly snapshot: Snapshot;
  readonly blobs: BlobSource;
  /** Shared by the workspaces of one host; best on the same file system, where copies can share blocks. */
  readonly cache: BlobCache;
  /** Ignore rules from outside the tree, in rising precedence (`ignoreSources`). */
  readonly ignoreTexts?: readonly string[];
  /** `empty` and `base` make a throw-away `.git`: see `ThrowawayGitOptions`. Default `empty`. */
  readonly git?:
    | { readonly kind: "none" }
    | { readonly kind: "empty" }
    | { readonly kind: "base"; readonly bases: GitBases };
  readonly limits?: Partial<WorkspaceLimits>;
  /** How new content is named. Default: as the snapshot's own ids are. */
  readonly objectFormat?: ObjectFormat;
}

export interface WorkspaceLimits {
  /** A larger file is named and not taken. */
  readonly fileBytesMax: number;
  /** Contents of all changed files of one scan. */
  readonly scanBytesMax: number;
  /** Files of one scan, tracked and new. */
  readonly filesMax: number;
}

export const workspaceLimits: WorkspaceLimits = {
  fileBytesMax: 10 * 1024 * 1024,
  scanBytesMax: 512 * 1024 * 1024,
  filesMax: 1_000_000,
};

export interface Workspace {
  /** The tree: where tools and shell commands run. */
  readonly root: string;
  /** The snapshot the next commit is made from. It moves only by a `sync` that left nothing alone. */
  readonly position: Position;
  /** Tracked links that this system cannot hold, absent from the tree and unchanged for scans. */
  readonly unsupported: ReadonlySet<RepoPath>;
  /** What differs from the base. Changes nothing. */
  scan(): Promise<Result<Scan, WorkspaceError>>;
  /** Takes note of what the store now has: the changes of a commit that landed or is kept in a conflict. */
  committed(changes: readonly Change[]): void;
  /**
   * Brings the tree to a snapshot, but for the paths in `own`, which stay as the agent has them: those of its commits that are
   * kept in a conflict. Call it after each commit, with a snapshot that holds the commit's outcome: without it the next commit
   * would meet its own predecessor as someone else's. After a crash in the middle the same call goes on where it was.
   */
  sync(snapshot: Snapshot, own?: SavedState["own"]): Promise<Result<SyncReport, WorkspaceError>>;
  /** Removes the whole directory. */
  remove(): FileResult<void>;
}

export interface ReopenOptions extends Omit<WorkspaceOptions, "snapshot"> {
  /** The tree of a snapshot that the workspace was once at. */
  readonly manifestAt: (position: Position) => Promise<Manifest>;
}

/** Makes the directory and fills it; on an error nothing of it is left. */
export async function createWorkspace(options: WorkspaceOptions): Promise<Result<Workspace, WorkspaceError>> {
  const { files, directory } = options;
  const above = await files.makeDirectory(dirname(directory));
  if (!above.ok) return above;
  const claimed = await files.claimDirectory(directory);
  if (!claimed.ok) return claimed;
  const created = await fill(options);
  if (!created.ok) await files.remove(directory);
  return created;
}

/**
 * Opens a workspace that another process left, with all that its agent had done in it; null where there is none, or none that
 * was ever whole. What was committed after the last `sync` must be told again with `committed`. Every file is looked at anew.
 */
export async function reopenWorkspace(options: ReopenOptions): Promise<Result<Workspace | null, WorkspaceError>> {
  const { files, directory, cache, manifestAt } = options;
  const saved = await loadState(files, directory);
  if (!saved.ok) return saved;
  if (saved.value === null) return ok(null);
  const manifest = await manifestAt(saved.value.position);
  const snapshot = { position: saved.value.position, manifest };
  const limits = { ...workspaceLimits, ...options.limits };
  const root = join(directory, "tree");
  const place = openPlace({ files, root, scratch: join(directory, "scratch"), cache });
  const idFormat = options.objectFormat ?? formatOf(manifest);
  const looks = openLooks({ files, root, fileBytesMax: limits.fileBytesMax, idFormat });
  const { position, own, unsupported } = saved.value;
  const state = { position, base: withOwn(manifest, own), unsupported: new Set(unsupported) };
  const scratch = join(directory, "scratch");
  const bases = options.git?.kind === "base" ? options.git.bases : null;
  const repository = bases === null ? null : await reopenThrowawayGit({ files, root, scratch, bases });
  return ok(
    openWorkspace({ options: { ...options, snapshot }, limits, root, place, looks, state, idFormat, repository }),
  );
}

async function fill(options: WorkspaceOptions): Promise<Result<Workspace, WorkspaceError>> {
  const { files, directory, snapshot, cache, blobs } = options;
  const limits = { ...workspaceLimits, ...options.limits };
  const root = join(directory, "tree");
  const scratch = join(directory, "scratch");
  for (const part of [root, scratch]) {
    const made = await files.claimDirectory(part);
    if (!made.ok) return made;
  }
  const place = openPlace({ files, root, scratch, cache });
  const idFormat = options.objectFormat ?? formatOf(snapshot.manifest);
  const looks = openLooks({ files, root, fileBytesMax: limits.fileBytesMax, idFormat });
  const filled = await fillTree({ files, root, scratch, place, looks, cache, blobs, manifest: snapshot.manifest });
  if (!filled.ok) return filled;
  const git = options.git ?? { kind: "empty" };
  const tree = { manifest: snapshot.manifest, format: idFormat, cache, blobs };
  const bases = git.kind === "base" ? git.bases : null;
  const repository = git.kind === "none" ? ok(null) : await makeThrowawayGit({ files, root, scratch, bases }, tree);
  if (!repository.ok) return repository;
  const state = { position: snapshot.position, base: new Map(snapshot.manifest), unsupported: new Set(filled.value) };
  const saved = await saveState(files, directory, {
    position: state.position,
    own: new Map(),
    unsupported: [...filled.value],
  });
  if (!saved.ok) return saved;
  return ok(openWorkspace({ options, limits, root, place, looks, state, idFormat, repository: repository.value }));
}

interface Parts {
  readonly options: WorkspaceOptions;
  readonly limits: WorkspaceLimits;
  readonly root: string;
  readonly place: ReturnType<typeof openPlace>;
  readonly looks: ReturnType<typeof openLooks>;
  readonly idFormat: ObjectFormat;
  readonly repository: ThrowawayGit | null;
  readonly state: { position: Position; readonly base: Map<RepoPath, Entry>; readonly unsupported: Set<RepoPath> };
}

function openWorkspace({ options, limits, root, place, looks, idFormat, repository, state }: Parts): Workspace {
  const { files, directory, cache, blobs } = options;
  const { base, unsupported } = state;
  const ignoreTexts = options.ignoreTexts ?? [];
  let last: Promise<unknown> = Promise.resolve();
  return {
    root,
    get position() {
      return state.position;
    },
    unsupported,
    scan: () => inTurn(scanNow),
    committed(changes) {
      for (const change of changes) {
        if (change.kind === "put") base.set(change.path, { blob: change.blob, mode: change.mode });
        else base.delete(change.path);
      }
    },
    sync: (snapshot, own = new Map()) => inTurn(() => syncNow(snapshot, own)),
    remove: () => inTurn(() => files.remove(directory)),
  };

  /** One at a time: two would see each other's half-done work as the agent's. */
  function inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = last.then(run);
    last = turn.catch(() => undefined);
    return turn;
  }

  async function scanNow(): Promise<Result<Scan, WorkspaceError>> {
    const now = await place.now();
    if (!now.ok) return now;
    return scan({ files, root, base, unsupported, looks, ignoreTexts, atMs: now.value, ...limits });
  }

  async function syncNow(snapshot: Snapshot, own: SavedState["own"]): Promise<Result<SyncReport, WorkspaceError>> {
    const now = await place.now();
    if (!now.ok) return now;
    const report = await sync({
      place,
      looks,
      cache,
      blobs,
      base,
      unsupported,
      target: withOwn(snapshot.manifest, own),
      atMs: now.value,
    });
    if (!report.ok) return report;
    if (report.value.overlaps.length === 0) {
      const { position } = snapshot;
      const saved = await saveState(files, directory, { position, own, unsupported: [...unsupported] });
      if (!saved.ok) return saved;
      state.position = position;
    }
    if (repository === null) return report;
    const moved = await repository.moveTo({ manifest: new Map(base), format: idFormat, cache, blobs });
    return moved.ok ? report : moved;
  }
}

function formatOf(manifest: Manifest): ObjectFormat {
  const [first] = manifest.values();
  return first?.blob.length === 64 ? "sha256" : "sha1";
}
