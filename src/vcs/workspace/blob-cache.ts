// Blob contents on this host's disk, one file a blob, shared by its workspaces: each blob is fetched once.
// Invariant: a file is handed out only after its bytes hashed to its name; files are copied from, never linked to. For its owner alone.

import { join } from "node:path";
import type { BlobId } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { FileHandle, FileStat, Files } from "../../host/files.ts";
import { blobId } from "../blob-id.ts";
import type { BlobSource } from "../types.ts";
import type { WorkspaceError } from "./errors.ts";

export interface BlobCache {
  /** Makes the blobs' files stand at `path(id)`. Blobs that another caller is fetching are waited for. */
  fill(ids: Iterable<BlobId>, source: BlobSource): Promise<Result<void, WorkspaceError>>;
  /** Where a filled blob's bytes are; only for reading and copying. */
  path(id: BlobId): string;
}

export interface BlobCacheOptions {
  readonly files: Files;
  /** Of this cache alone; may be shared by processes of one host, and deleted when none runs. */
  readonly directory: string;
}

const blobsPerFetchMax = 32;
const cachedBlobBytesMax = 2 ** 31 - 1;

type Outcome = Promise<Result<void, WorkspaceError>>;

export function openBlobCache(options: BlobCacheOptions): BlobCache {
  return new DiskBlobCache(options);
}

class DiskBlobCache implements BlobCache {
  private readonly files: Files;
  private readonly directory: string;
  private readonly verified = new Map<BlobId, FileStat>();
  private readonly inFlight = new Map<BlobId, Outcome>();
  private temporaries = 0;

  constructor({ files, directory }: BlobCacheOptions) {
    this.files = files;
    this.directory = directory;
  }

  // Flat: today's file systems index large directories, and 256 small ones are slower to make.
  path(id: BlobId): string {
    return join(this.directory, id);
  }

  async fill(ids: Iterable<BlobId>, source: BlobSource): Outcome {
    const waits: Outcome[] = [];
    const missing: BlobId[] = [];
    for (const id of new Set(ids)) {
      const running = this.inFlight.get(id);
      if (running !== undefined) waits.push(running);
      else if (!(await this.isCached(id))) missing.push(id);
    }
    for (let start = 0; start < missing.length; start += blobsPerFetchMax) {
      // Someone else may have begun with one of them while this caller was looking.
      const batch: BlobId[] = [];
      for (const id of missing.slice(start, start + blobsPerFetchMax)) {
        const running = this.inFlight.get(id);
        if (running === undefined) batch.push(id);
        else waits.push(running);
      }
      const fetched = await this.fetchShared(batch, source);
      if (!fetched.ok) return fetched;
    }
    for (const outcome of await Promise.all(waits)) if (!outcome.ok) return outcome;
    return ok(undefined);
  }

  private async isCached(id: BlobId): Promise<boolean> {
    const stat = await this.files.stat(this.path(id));
    if (!stat.ok || stat.value.kind !== "file") return false;
    const known = this.verified.get(id);
    if (known !== undefined && known.size === stat.value.size && known.changedMs === stat.value.changedMs) return true;
    const bytes = await this.files.read(this.path(id), cachedBlobBytesMax);
    if (!bytes.ok || !hashesTo(bytes.value, id)) return false;
    this.verified.set(id, stat.value);
    return true;
  }

  private async fetchShared(ids: readonly BlobId[], source: BlobSource): Outcome {
    if (ids.length === 0) return ok(undefined);
    const outcome = this.fetchBatch(ids, source);
    for (const id of ids) this.inFlight.set(id, outcome);
    const result = await outcome;
    for (const id of ids) this.inFlight.delete(id);
    return result;
  }

  private async fetchBatch(ids: readonly BlobId[], source: BlobSource): Outcome {
    let contents: readonly Uint8Array[];
    try {
      contents = await source.get(ids);
    } catch (cause) {
      return err({ kind: "blob", id: null, message: cause instanceof Error ? cause.message : String(cause) });
    }
    const made = await this.files.makeDirectory(this.directory, { private: true });
    if (!made.ok) return made;
    const stored = await Promise.all(ids.map((id, index) => this.store(id, contents[index])));
    return stored.find((outcome) => !outcome.ok) ?? ok(undefined);
  }

  /** Whole or absent: written under a name of its own, then renamed. */
  private async store(id: BlobId, bytes: Uint8Array | undefined): Outcome {
    if (bytes === undefined) return err({ kind: "blob", id, message: "the source has no such blob" });
    if (!hashesTo(bytes, id)) return err({ kind: "blob", id, message: "the bytes do not hash to this id" });
    const temporary = await this.claimTemporary();
    if (!temporary.ok) return temporary;
    const { name, handle } = temporary.value;
    const written = await handle.append([bytes]);
    const closed = await handle.close();
    const whole = written.ok ? closed : written;
    const renamed = whole.ok ? await this.files.rename(name, this.path(id)) : whole;
    if (!renamed.ok) {
      await this.files.remove(name);
      return renamed;
    }
    const stat = await this.files.stat(this.path(id));
    if (!stat.ok) return stat;
    this.verified.set(id, stat.value);
    return ok(undefined);
  }

  private async claimTemporary(): Promise<Result<{ name: string; handle: FileHandle }, WorkspaceError>> {
    for (;;) {
      this.temporaries += 1;
      const name = join(this.directory, `new-${this.temporaries}`);
      const opened = await this.files.open(name, "create", { private: true });
      if (opened.ok) return ok({ name, handle: opened.value });
      // Another process of this host uses the same numbers.
      if (opened.error.code !== "exists") return opened;
    }
  }
}

function hashesTo(bytes: Uint8Array, id: BlobId): boolean {
  return blobId(bytes, id.length === 64 ? "sha256" : "sha1") === id;
}
