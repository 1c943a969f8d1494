// The overlays of one worker host: workspaces that cost milliseconds and no bytes, mounted inside the host's own namespaces. Invariant:
// where one cannot be mounted the caller copies instead, and whatever a host leaves is an upper layer with a record of its layers.

import { basename, join } from "node:path";
import type { RepoPath } from "../../../base/ids.ts";
import { ok, type Result } from "../../../base/result.ts";
import type { Processes } from "../../../host/processes.ts";
import type { Manifest } from "../../types.ts";
import type { WorkspaceError } from "../errors.ts";
import { isLayerName, Layers, type LayersOptions, type Snapshot } from "./layers.ts";
import { type Mounter, openMounter } from "./mounter.ts";
import { atName, loadOverlay, saveOverlay, upperName } from "./overlay-state.ts";
import { settleOverlay } from "./settle.ts";

export interface OverlaysOptions extends Omit<LayersOptions, "mounter" | "fileBytesMax"> {
  readonly processes: Processes;
  /** The PATH in which `mount` and `cp` are looked up. */
  readonly path: string;
  readonly fileBytesMax: number;
  /** Told once, when the first mount fails: from then on workspaces are copies. */
  readonly onUnavailable: (reason: string) => void;
}

export interface LaidOverlay {
  /** Holds `tree` and `scratch`. */
  readonly home: string;
  /** The tree in the upper layer. */
  readonly upper: string;
  /** What the layers hold. */
  readonly base: Manifest;
  readonly unsupported: readonly RepoPath[];
}

/** Where a workspace that is there keeps its tree; `upper` null for one without layers. */
export interface OpenedOverlay {
  readonly home: string;
  readonly upper: string | null;
}

const siblingsMax = 1_000_000;

export class Overlays {
  readonly #options: OverlaysOptions;
  readonly #mounter: Mounter;
  readonly #layers: Layers;
  /** Names of the workspaces that are mounted. */
  readonly #mounted = new Set<string>();
  #isAvailable = true;

  constructor(options: OverlaysOptions) {
    this.#options = options;
    this.#mounter = openMounter(options);
    this.#layers = new Layers({ ...options, mounter: this.#mounter });
  }

  /** Over the layers nearest to the snapshot; null where this host cannot mount. The directory is claimed, and empty. */
  async lay(directory: string, near: Snapshot): Promise<Result<LaidOverlay | null, WorkspaceError>> {
    if (!this.#isAvailable) return ok(null);
    const { files } = this.#options;
    const layer = await this.#layers.near(near);
    if (!layer.ok) return this.#orCopy(layer);
    const { layers, manifest: base, unsupported } = layer.value;
    for (const name of [atName, upperName]) {
      const made = await files.claimDirectory(join(directory, name));
      if (!made.ok) return made;
    }
    const saved = await saveOverlay(files, directory, { layers, whole: false });
    if (!saved.ok) return saved;
    const mounted = await this.#mount(directory, layers);
    if (mounted.ok) return ok({ ...mounted.value, base, unsupported });
    const emptied = await this.#empty(directory);
    return emptied.ok ? this.#orCopy(mounted) : emptied;
  }

  /** Mounts again what a host has left; null for a plain directory. */
  async reopen(directory: string): Promise<Result<OpenedOverlay | null, WorkspaceError>> {
    const state = await loadOverlay(this.#options.files, directory);
    if (!state.ok) return state;
    if (state.value === null) return ok(null);
    const home = join(directory, atName);
    if (state.value.whole) return ok({ home, upper: null });
    if (this.#isAvailable) {
      const made = await this.#options.files.makeDirectory(home);
      const mounted = made.ok ? await this.#mount(directory, state.value.layers) : made;
      if (mounted.ok) return mounted;
    }
    const settled = await this.settle(directory);
    return settled.ok ? ok({ home, upper: null }) : settled;
  }

  /** Before the directory is removed; its upper layer is then in nobody's use. */
  async release(directory: string): Promise<Result<void, WorkspaceError>> {
    const name = basename(directory);
    if (!this.#mounted.has(name)) return ok(undefined);
    const unmounted = await this.#mounter.unmount(name);
    if (unmounted.ok) this.#mounted.delete(name);
    return unmounted;
  }

  /** Makes it a directory that everybody sees. Nobody may be at work in it. */
  async settle(directory: string): Promise<Result<void, WorkspaceError>> {
    const released = await this.release(directory);
    return released.ok ? settleOverlay({ ...this.#options, directory }) : released;
  }

  /** Unmounts all, and removes the layers unless a workspace was kept: it needs them until it is whole. */
  async close(): Promise<void> {
    const { files, directory, bases } = this.#options;
    await this.#layers.idle();
    for (const name of [...this.#mounted]) await this.release(join(directory, name));
    const listed = await files.list(directory, siblingsMax);
    if (!listed.ok) return;
    const names = listed.value.map(({ name }) => name);
    if (names.some((name) => !isLayerName(name) && name !== bases.name)) return;
    for (const name of names.filter(isLayerName)) await files.remove(join(directory, name));
  }

  async #mount(
    directory: string,
    layers: readonly string[],
  ): Promise<Result<{ readonly home: string; readonly upper: string }, WorkspaceError>> {
    const name = basename(directory);
    const mounted = this.#mounted.has(name) ? ok(undefined) : await this.#mounter.mount(name, layers);
    if (!mounted.ok) return mounted;
    this.#mounted.add(name);
    return ok({ home: join(directory, atName), upper: join(directory, upperName, "tree") });
  }

  async #empty(directory: string): Promise<Result<void, WorkspaceError>> {
    const { files } = this.#options;
    const removed = await files.remove(directory);
    return removed.ok ? files.claimDirectory(directory) : removed;
  }

  /** A kernel, or a module of its security, may refuse: a copy does the same, slower. A disk that refuses would refuse a copy too. */
  #orCopy(failed: Result<never, WorkspaceError>): Result<null, WorkspaceError> {
    if (failed.ok || failed.error.kind !== "mount") return failed;
    this.#isAvailable = false;
    this.#options.onUnavailable(failed.error.message);
    return ok(null);
  }
}
