// The layers that overlays of one run share: a whole tree, and over it what later snapshots changed. Invariant: a layer is never
// changed once it has a record, and a record is written when the layer is whole; each holds exactly the tree of its snapshot.

import { join } from "node:path";
import type { Position, RepoPath } from "../../../base/ids.ts";
import { list, natural, object, oneOf, parse, text } from "../../../base/parse.ts";
import { ok, type Result } from "../../../base/result.ts";
import type { Files } from "../../../host/files.ts";
import type { BlobSource, Manifest } from "../../types.ts";
import type { BlobCache } from "../blob-cache.ts";
import type { WorkspaceError } from "../errors.ts";
import type { GitBases } from "../git-bases.ts";
import { bringUp, bringUpGit, fillHome, type HomeOptions, openHome } from "../home.ts";
import { sameEntry } from "../scan.ts";
import type { Mounter } from "./mounter.ts";
import { atName, readJson, replaceFile, upperName, workName } from "./overlay-state.ts";

export interface LayersOptions {
  readonly files: Files;
  /** Holds the layers beside the workspaces. */
  readonly directory: string;
  readonly mounter: Mounter;
  readonly cache: BlobCache;
  readonly bases: GitBases;
  readonly blobs: BlobSource;
  readonly manifestAt: (position: Position) => Promise<Manifest>;
  /** Changes with the machine's start: layers of another one may not have reached the disk. */
  readonly epoch: string;
  readonly fileBytesMax: number;
}

export interface Snapshot {
  readonly position: Position;
  readonly manifest: Manifest;
}

export interface Layer {
  /** Directories relative to that of the layers, topmost first. */
  readonly layers: readonly string[];
  readonly manifest: Manifest;
  /** Links that this system cannot hold: absent from the layer. */
  readonly unsupported: readonly RepoPath[];
}

/** A snapshot that differs in no more paths is brought up in each workspace's own upper layer. */
export const ownPathsMax = 100;
/** Each layer is one more look for a name that is nowhere. */
const layersMax = 12;
const entriesMax = 1_000_000;
const recordBytesMax = 16 * 1024 * 1024;
const layerRecord = object({
  version: oneOf(1),
  epoch: text(1_000),
  position: natural<Position>(),
  layers: list(text(200), layersMax),
  unsupported: list(text<RepoPath>(4_096), entriesMax),
});

type Near = Promise<Result<Layer, WorkspaceError>>;

export function isLayerName(name: string): boolean {
  return /^layer-\d{1,9}$/.test(name);
}

export class Layers {
  readonly #options: LayersOptions;
  #top: Promise<Layer | null> | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: LayersOptions) {
    this.#options = options;
  }

  /** The newest layer where it is near enough to the snapshot, else a new one that holds it. */
  near(snapshot: Snapshot): Near {
    // One after the other: hundreds that begin together share the first one's.
    const found = this.#last.then(() => this.#near(snapshot));
    this.#last = found.catch(() => undefined);
    return found;
  }

  /** Resolves when none is being made any more. */
  async idle(): Promise<void> {
    await this.#last;
  }

  async #near(snapshot: Snapshot): Near {
    this.#top ??= this.#kept();
    const top = await this.#top;
    const differing = top === null ? Number.POSITIVE_INFINITY : differences(top.manifest, snapshot.manifest);
    if (top !== null && differing <= ownPathsMax) return ok(top);
    const isOver = top !== null && top.layers.length < layersMax && differing <= snapshot.manifest.size / 2;
    const made = isOver ? await this.#over(top, snapshot) : await this.#bottom(snapshot);
    if (made.ok) this.#top = Promise.resolve(made.value);
    return made;
  }

  /** The newest of a host before this one. */
  async #kept(): Promise<Layer | null> {
    const { files, directory, epoch, manifestAt } = this.#options;
    const listed = await files.list(directory, entriesMax);
    const names = listed.ok ? listed.value.map(({ name }) => name).filter(isLayerName) : [];
    for (const name of names.sort((a, b) => numberOf(b) - numberOf(a))) {
      const bytes = await files.read(join(directory, name, recordName), recordBytesMax);
      const parsed = bytes.ok ? parse(layerRecord, readJson(bytes.value), "layer") : null;
      if (parsed === null || !parsed.ok || parsed.value.epoch !== epoch) continue;
      const { position, layers, unsupported } = parsed.value;
      return { layers, manifest: await manifestAt(position), unsupported };
    }
    return null;
  }

  async #bottom(snapshot: Snapshot): Near {
    const named = await this.#claim();
    if (!named.ok) return named;
    const name = named.value;
    const at = join(this.#options.directory, name, atName);
    const made = await this.#options.files.claimDirectory(at);
    const filled = made.ok ? await fillHome(this.#home(at, snapshot.manifest), snapshot.manifest) : made;
    if (!filled.ok) return this.#undone(name, filled);
    const unsupported = [...filled.value.unsupported];
    return this.#record(name, snapshot, { layers: [`${name}/${atName}`], manifest: snapshot.manifest, unsupported });
  }

  /** What differs from the layer below is written through a mount, so that the kernel itself notes what is gone. */
  async #over(top: Layer, snapshot: Snapshot): Near {
    const { files, directory, mounter } = this.#options;
    const named = await this.#claim();
    if (!named.ok) return named;
    const name = named.value;
    const at = join(directory, name, atName);
    for (const part of [at, join(directory, name, upperName)]) {
      const made = await files.claimDirectory(part);
      if (!made.ok) return this.#undone(name, made);
    }
    const mounted = await mounter.mount(name, top.layers);
    if (!mounted.ok) return this.#undone(name, mounted);
    const options = this.#home(at, snapshot.manifest);
    const held = { base: new Map(top.manifest), unsupported: new Set(top.unsupported) };
    const home = await openHome(options);
    const synced = await bringUp(options, home, held, snapshot.manifest);
    const brought = synced.ok ? await bringUpGit(options, home, held) : synced;
    const unmounted = await mounter.unmount(name);
    if (!brought.ok) return this.#undone(name, brought);
    if (!unmounted.ok) return this.#undone(name, unmounted);
    await files.remove(join(directory, name, workName));
    const layers = [`${name}/${upperName}`, ...top.layers];
    return this.#record(name, snapshot, { layers, manifest: held.base, unsupported: [...held.unsupported] });
  }

  #home(directory: string, manifest: Manifest): HomeOptions {
    const { files, cache, blobs, bases, fileBytesMax } = this.#options;
    const [first] = manifest.values();
    const idFormat = first?.blob.length === 64 ? "sha256" : "sha1";
    return { files, directory, cache, blobs, git: { kind: "base", bases }, fileBytesMax, idFormat };
  }

  async #record(name: string, { position }: Snapshot, layer: Layer): Near {
    const { files, directory, epoch } = this.#options;
    const { layers, unsupported } = layer;
    const record = JSON.stringify({ version: 1, epoch, position, layers, unsupported });
    const written = await replaceFile(files, join(directory, name, recordName), record);
    return written.ok ? ok(layer) : this.#undone(name, written);
  }

  async #claim(): Promise<Result<string, WorkspaceError>> {
    const { files, directory } = this.#options;
    const made = await files.makeDirectory(directory);
    if (!made.ok) return made;
    for (let number = 1; ; number += 1) {
      const claimed = await files.claimDirectory(join(directory, `layer-${number}`));
      if (claimed.ok) return ok(`layer-${number}`);
      if (claimed.error.code !== "exists") return claimed;
    }
  }

  async #undone<T>(name: string, failed: T): Promise<T> {
    await this.#options.files.remove(join(this.#options.directory, name));
    return failed;
  }
}

const recordName = "layer.json";

function numberOf(name: string): number {
  return Number(name.slice("layer-".length));
}

/** Paths at which the two are not the same, counted no further than is of use. */
export function differences(from: Manifest, to: Manifest): number {
  if (from === to) return 0;
  let count = 0;
  for (const [path, entry] of to) if (!sameEntry(entry, from.get(path))) count += 1;
  for (const path of from.keys()) if (!to.has(path)) count += 1;
  return count;
}
