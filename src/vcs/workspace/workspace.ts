// A workspace: a directory that holds a snapshot for one agent to change. Invariant: its base is what the store already has of
// every path, so base plus scan is always exactly what is on the disk; one operation runs at a time.

import { dirname, join } from "node:path";
import type { Position, RepoPath } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Files } from "../../host/files.ts";
import type { ObjectFormat } from "../../log/blob-id.ts";
import type { BlobSource, Change, Entry, Manifest } from "../types.ts";
import type { BlobCache } from "./blob-cache.ts";
import type { WorkspaceError } from "./errors.ts";
import {
  bringUp,
  bringUpGit,
  fillHome,
  type GitForm,
  type Home,
  type HomeOptions,
  noteCutOff,
  openHome,
  overlapsOf,
} from "./home.ts";
import { differences, type Snapshot } from "./overlay/layers.ts";
import { atName, loadOverlay } from "./overlay/overlay-state.ts";
import type { OpenedOverlay, Overlays } from "./overlay/overlays.ts";
import { loadState, type SavedState, saveState, withOwn } from "./saved-state.ts";
import { type Scan, scan } from "./scan.ts";
import type { SyncReport } from "./sync.ts";

export type { Snapshot } from "./overlay/layers.ts";

export interface WorkspaceOptions {
  readonly files: Files;
  /** Must not exist; gets `tree` (the agent's) and `scratch` (ours), an overlay's in `at`. Never inside another workspace or the user's repository. */
  readonly directory: string;
  readonly snapshot: Snapshot;
  readonly blobs: BlobSource;
  /** Shared by the workspaces of one host; best on the same file system, where copies can share blocks. */
  readonly cache: BlobCache;
  /** Ignore rules from outside the tree, in rising precedence (`ignoreSources`). */
  readonly ignoreTexts?: readonly string[];
  /** `empty` and `base` make a throw-away `.git`: see `ThrowawayGitOptions`. Default `empty`. */
  readonly git?: GitForm;
  /**
   * With them the tree is mounted over layers that workspaces share. Null, the default: its files are copied, each sharing its blocks
   * where the file system can.
   */
  readonly overlays?: Overlays | null;
  /** The snapshot that layers are made of, where the one that is wanted is in no store. Default: the same. */
  readonly layersOf?: Snapshot;
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
  /** What the store has of every path, as far as the workspace knows. */
  readonly base: Manifest;
  /** A `syncWhole` was cut off in the middle: until the next one, files of two snapshots are in it. */
  readonly isCutOff: boolean;
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
  /**
   * As `sync`, for whoever commits from one snapshot: all of it or, where the agent's own work is in the way, nothing. So what others
   * did between two snapshots is never taken for the agent's. Every overlap that is certain is named, or at least one.
   */
  syncWhole(snapshot: Snapshot): Promise<Result<SyncReport, WorkspaceError>>;
  /** As `committed`, and remembered. `at`: a snapshot that is the base with the changes; null: none is. */
  keepCommitted(changes: readonly Change[], at: Position | null): Promise<Result<void, WorkspaceError>>;
  /** Removes the whole directory. */
  remove(): Promise<Result<void, WorkspaceError>>;
}

export interface ReopenOptions extends Omit<WorkspaceOptions, "snapshot" | "layersOf"> {
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
  if (!created.ok) {
    await options.overlays?.release(directory);
    await files.remove(directory);
  }
  return created;
}

/**
 * Opens a workspace that another process left, with all that its agent had done in it; null where there is none, or none that
 * was ever whole. What was committed after the last `sync` must be told again with `committed`. Every file is looked at anew.
 */
export async function reopenWorkspace(options: ReopenOptions): Promise<Result<Workspace | null, WorkspaceError>> {
  const { files, directory, manifestAt } = options;
  const saved = await loadState(files, directory);
  if (!saved.ok) return saved;
  if (saved.value === null) return ok(null);
  const opened = await openedHome(options);
  if (!opened.ok) return opened;
  const { home, upper } = opened.value;
  const { position, own, unsupported, toward } = saved.value;
  const manifest = await manifestAt(position);
  const parts = homeParts(options, home, manifest);
  const base = withOwn(manifest, own);
  const whole = new Map(base);
  const looked = await openHome(parts.homeOptions);
  if (toward !== null) {
    const noted = await noteCutOff(looked, { base }, await manifestAt(toward));
    if (!noted.ok) return noted;
  }
  const cutOff = toward === null ? null : { toward, whole };
  const state = { position, base, own, cutOff, unsupported: new Set(unsupported) };
  return ok(openWorkspace({ options, ...parts, home: looked, upper, state }));
}

/** An overlay's layers are mounted again, or copied together where nothing can be mounted. */
async function openedHome({
  files,
  directory,
  overlays,
}: ReopenOptions): Promise<Result<OpenedOverlay, WorkspaceError>> {
  if (overlays !== undefined && overlays !== null) {
    const opened = await overlays.reopen(directory);
    return opened.ok ? ok(opened.value ?? { home: directory, upper: null }) : opened;
  }
  const state = await loadOverlay(files, directory);
  if (!state.ok) return state;
  if (state.value === null) return ok({ home: directory, upper: null });
  if (state.value.whole) return ok({ home: join(directory, atName), upper: null });
  return err({ kind: "mount", message: "its files are in layers, which nothing here can mount" });
}

async function fill(options: WorkspaceOptions): Promise<Result<Workspace, WorkspaceError>> {
  const { directory, snapshot, overlays } = options;
  const laid =
    overlays === undefined || overlays === null
      ? ok(null)
      : await overlays.lay(directory, options.layersOf ?? snapshot);
  if (!laid.ok) return laid;
  const parts = homeParts(options, laid.value?.home ?? directory, snapshot.manifest);
  if (laid.value === null) {
    const filled = await fillHome(parts.homeOptions, snapshot.manifest);
    if (!filled.ok) return filled;
    const { home, unsupported } = filled.value;
    return begun(options, {
      ...parts,
      home,
      upper: null,
      base: new Map(snapshot.manifest),
      unsupported: new Set(unsupported),
    });
  }
  const home = await openHome(parts.homeOptions);
  const base = new Map(laid.value.base);
  const unsupported = new Set(laid.value.unsupported);
  if (differences(base, snapshot.manifest) > 0) {
    const brought = await bringUp(parts.homeOptions, home, { base, unsupported }, snapshot.manifest);
    const moved = brought.ok ? await bringUpGit(parts.homeOptions, home, { base, unsupported }) : brought;
    if (!moved.ok) return moved;
  }
  return begun(options, { ...parts, home, upper: laid.value.upper, base, unsupported });
}

type Begun = Omit<Parts, "options" | "state"> & Pick<Parts["state"], "base" | "unsupported">;

async function begun(
  options: WorkspaceOptions,
  { base, unsupported, ...parts }: Begun,
): Promise<Result<Workspace, WorkspaceError>> {
  const { files, directory, snapshot } = options;
  const { position } = snapshot;
  const own = new Map();
  const saved = await saveState(files, directory, { position, own, unsupported: [...unsupported], toward: null });
  if (!saved.ok) return saved;
  return ok(openWorkspace({ options, ...parts, state: { position, base, own, cutOff: null, unsupported } }));
}

function homeParts(options: ReopenOptions | WorkspaceOptions, directory: string, manifest: Manifest) {
  const { files, cache, blobs } = options;
  const limits = { ...workspaceLimits, ...options.limits };
  const idFormat = options.objectFormat ?? formatOf(manifest);
  const git = options.git ?? { kind: "empty" };
  const { fileBytesMax } = limits;
  const homeOptions: HomeOptions = { files, directory, cache, blobs, git, fileBytesMax, idFormat };
  return { limits, homeOptions };
}

interface Parts {
  readonly options: Omit<WorkspaceOptions, "snapshot">;
  readonly limits: WorkspaceLimits;
  readonly home: Home;
  readonly homeOptions: HomeOptions;
  /** The tree in the upper layer; null without one. */
  readonly upper: string | null;
  readonly state: {
    position: Position;
    readonly base: Map<RepoPath, Entry>;
    /** Where the base is not the snapshot's, but for what `committed` was told. */
    own: SavedState["own"];
    /** `whole`: the base as it was before the sync that was cut off. */
    cutOff: { readonly toward: Position; readonly whole: Manifest } | null;
    readonly unsupported: Set<RepoPath>;
  };
}

function openWorkspace({ options, limits, home, homeOptions, upper, state }: Parts): Workspace {
  const { files, directory, overlays } = options;
  const { root, place, looks } = home;
  const { base, unsupported } = state;
  const ignoreTexts = options.ignoreTexts ?? [];
  let last: Promise<unknown> = Promise.resolve();
  return {
    root,
    get position() {
      return state.position;
    },
    base,
    get isCutOff() {
      return state.cutOff !== null;
    },
    unsupported,
    scan: () => inTurn(scanNow),
    committed(changes) {
      take(changes);
    },
    sync: (snapshot, own = new Map()) => inTurn(() => syncNow(snapshot, own)),
    syncWhole: (snapshot) => inTurn(() => syncWholeNow(snapshot)),
    keepCommitted: (changes, at) => inTurn(() => keepNow(changes, at)),
    remove: () => inTurn(removeNow),
  };

  function take(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.kind === "put") base.set(change.path, { blob: change.blob, mode: change.mode });
      else base.delete(change.path);
    }
  }

  /** One at a time: two would see each other's half-done work as the agent's. */
  function inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = last.then(run);
    last = turn.catch(() => undefined);
    return turn;
  }

  async function scanNow(): Promise<Result<Scan, WorkspaceError>> {
    const now = await place.now();
    if (!now.ok) return now;
    return scan({ files, root, base, unsupported, looks, ignoreTexts, upper, atMs: now.value, ...limits });
  }

  async function removeNow(): Promise<Result<void, WorkspaceError>> {
    const released = await overlays?.release(directory);
    return released?.ok === false ? released : files.remove(directory);
  }

  async function syncNow(snapshot: Snapshot, own: SavedState["own"]): Promise<Result<SyncReport, WorkspaceError>> {
    const report = await bringUp(homeOptions, home, state, withOwn(snapshot.manifest, own));
    if (!report.ok) return report;
    if (report.value.overlaps.length === 0) {
      const saved = await save(snapshot.position, own);
      if (!saved.ok) return saved;
    }
    const moved = await bringUpGit(homeOptions, home, state);
    return moved.ok ? report : moved;
  }

  async function syncWholeNow({ position, manifest }: Snapshot): Promise<Result<SyncReport, WorkspaceError>> {
    const whole = state.cutOff?.whole ?? new Map(base);
    const certain = await overlapsOf(home, state, manifest);
    if (!certain.ok) return certain;
    let overlaps = certain.value;
    if (overlaps.length === 0) {
      // A process that is killed from here on leaves files of both snapshots: the next one must be able to tell them apart.
      const begun = await saveState(files, directory, {
        position: state.position,
        own: state.own,
        unsupported: [...unsupported],
        toward: position,
      });
      if (!begun.ok) return begun;
      state.cutOff = { toward: position, whole };
      const report = await bringUp(homeOptions, home, state, manifest);
      if (!report.ok) return report;
      overlaps = report.value.overlaps;
      if (overlaps.length === 0) {
        const saved = await save(position, new Map());
        const moved = saved.ok ? await bringUpGit(homeOptions, home, state) : saved;
        return moved.ok ? report : moved;
      }
    }
    if (state.cutOff !== null) {
      const back = await bringUp(homeOptions, home, state, whole);
      const saved = back.ok ? await save(state.position, state.own) : back;
      if (!saved.ok) return saved;
    }
    return ok({ updated: [], overlaps });
  }

  async function keepNow(changes: readonly Change[], at: Position | null): Promise<Result<void, WorkspaceError>> {
    take(changes);
    const own = new Map(state.own);
    for (const { path } of changes) own.set(path, base.get(path) ?? null);
    const saved = at === null ? await save(state.position, own) : await save(at, new Map());
    return saved.ok ? bringUpGit(homeOptions, home, state) : saved;
  }

  async function save(position: Position, own: SavedState["own"]): Promise<Result<void, WorkspaceError>> {
    const saved = await saveState(files, directory, { position, own, unsupported: [...unsupported], toward: null });
    if (!saved.ok) return saved;
    state.position = position;
    state.own = own;
    state.cutOff = null;
    return ok(undefined);
  }
}

function formatOf(manifest: Manifest): ObjectFormat {
  const [first] = manifest.values();
  return first?.blob.length === 64 ? "sha256" : "sha1";
}
