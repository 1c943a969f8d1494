// Contents too large for a batch of the log: a file each, `<store>/large/<id>`, beside the segments. A file has its name only once
// all of it is on the disk and its bytes were found to be those of the id, so that a crash leaves it whole or not at all.

import { createHash, type Hash } from "node:crypto";
import { join } from "node:path";
import type { BlobId } from "../base/ids.ts";
import { asBlobId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { FileError, FileHandle, FileResult, Files } from "../host/files.ts";
import { objectFormatOf } from "./blob-id.ts";

export type LargeBlobError =
  | { readonly kind: "missing"; readonly id: BlobId }
  /** The bytes are not those of the id. */
  | { readonly kind: "mismatch"; readonly id: BlobId; readonly message: string }
  | { readonly kind: "disk"; readonly error: FileError };

export interface LargeBlobReader {
  readonly bytes: number;
  /** Fewer than `length` only at the end. Not checked against the id: whoever reads all of it can. */
  read(offset: number, length: number): FileResult<Uint8Array>;
  close(): Promise<void>;
}

const blobsMax = 1_000_000;
const UNFINISHED = ".new-";
/** Read at once when a whole content is checked. */
const chunkBytes = 1024 * 1024;

export const largeDirectory = (directory: string): string => join(directory, "large");

/** For the store's writer, which also removes what a crash left unfinished. */
export async function openLargeBlobs(files: Files, directory: string): FileResult<LargeBlobs> {
  const place = largeDirectory(directory);
  const found = await findLargeBlobs(files, directory);
  if (!found.ok) return found;
  for (const name of found.value.unfinished) {
    const removed = await files.remove(join(place, name));
    if (!removed.ok) return removed;
  }
  return ok(new LargeBlobs(files, directory, found.value.ids));
}

/** For everybody else: as they are now. */
export async function readLargeBlobs(files: Files, directory: string): FileResult<LargeBlobs> {
  const found = await findLargeBlobs(files, directory);
  return found.ok ? ok(new LargeBlobs(files, directory, found.value.ids)) : found;
}

/** Files beside the contents that are none: what a crash left, which the next writer removes, and files that are not the store's. */
export async function otherLargeFiles(files: Files, directory: string) {
  const found = await findLargeBlobs(files, directory);
  const pathOf = (name: string): string => join(largeDirectory(directory), name);
  const { unfinished, strays } = found.ok ? found.value : { unfinished: [], strays: [] };
  return { unfinished: unfinished.map(pathOf), strays: strays.map(pathOf) };
}

async function findLargeBlobs(files: Files, directory: string) {
  const ids = new Set<BlobId>();
  const unfinished: string[] = [];
  const strays: string[] = [];
  const entries = await files.list(largeDirectory(directory), blobsMax);
  if (!entries.ok && entries.error.code !== "not-found") return entries;
  for (const { name } of entries.ok ? entries.value : []) {
    const id = asBlobId(name);
    if (objectFormatOf(id) !== null) ids.add(id);
    else if (name.includes(UNFINISHED)) unfinished.push(name);
    else strays.push(name);
  }
  return ok({ ids, unfinished, strays });
}

export class LargeBlobs {
  readonly #files: Files;
  readonly #store: string;
  readonly #place: string;
  readonly #ids: Set<BlobId>;
  /** Came since the last `collect`. */
  readonly #young = new Set<BlobId>();
  /** What changes names, one after the other. */
  #changing: Promise<unknown> = Promise.resolve();
  #writes = 0;

  constructor(files: Files, directory: string, ids: ReadonlySet<BlobId>) {
    this.#files = files;
    this.#store = directory;
    this.#place = largeDirectory(directory);
    this.#ids = new Set(ids);
  }

  has(id: BlobId): boolean {
    return this.#ids.has(id);
  }

  ids(): Iterable<BlobId> {
    return this.#ids;
  }

  async open(id: BlobId): Promise<Result<LargeBlobReader, LargeBlobError>> {
    if (!this.#ids.has(id)) return err({ kind: "missing", id });
    const handle = await this.#files.open(join(this.#place, id), "read");
    if (!handle.ok) return disk(handle.error);
    const bytes = await handle.value.size();
    if (!bytes.ok) {
      await handle.value.close();
      return disk(bytes.error);
    }
    return ok({
      bytes: bytes.value,
      read: (offset, length) => handle.value.read(offset, length),
      close: async () => void (await handle.value.close()),
    });
  }

  /** The whole content in memory, checked. */
  async read(id: BlobId): Promise<Result<Uint8Array, LargeBlobError>> {
    const parts: Uint8Array[] = [];
    const checked = await this.check(id, (part) => parts.push(part));
    return checked.ok ? ok(new Uint8Array(Buffer.concat(parts))) : checked;
  }

  /** Reads all of it and compares it with its id; answers with its length. */
  async check(id: BlobId, take: (part: Uint8Array) => void = () => undefined): Promise<Result<number, LargeBlobError>> {
    const opened = await this.open(id);
    if (!opened.ok) return opened;
    const reader = opened.value;
    try {
      const hash = hashOf(id, reader.bytes);
      for (let at = 0; at < reader.bytes; at += chunkBytes) {
        const part = await reader.read(at, chunkBytes);
        if (!part.ok) return disk(part.error);
        hash.update(part.value);
        take(part.value);
      }
      if (hash.digest("hex") === id) return ok(reader.bytes);
      return mismatch(id, `${join(this.#place, id)}: the bytes do not match their id`);
    } finally {
      await reader.close();
    }
  }

  /** Begins a content of so many bytes, which then come in parts. */
  async add(id: BlobId, bytes: number): Promise<Result<LargeBlobWrite, LargeBlobError>> {
    const made = await this.#files.makeDirectory(this.#place);
    if (!made.ok) return disk(made.error);
    // The directory's own name, too, must survive a crash.
    const named = await this.#files.syncDirectory(this.#store);
    if (!named.ok) return disk(named.error);
    this.#writes += 1;
    const path = join(this.#place, `${id}${UNFINISHED}${this.#writes}`);
    const handle = await this.#files.open(path, "create");
    if (!handle.ok) return disk(handle.error);
    const finish = () => this.#keep(id, path);
    return ok(new LargeBlobWrite({ files: this.#files, handle: handle.value, path, id, bytes, finish }));
  }

  /**
   * Removes every content of which `isKept` says no, but those that came since the last time: their commit may be on its way.
   * They stop being there when this is called.
   */
  async collect(isKept: (id: BlobId) => boolean): FileResult<{ readonly blobs: number; readonly bytes: number }> {
    const gone = [...this.#ids].filter((id) => !isKept(id) && !this.#young.has(id));
    for (const id of gone) this.#ids.delete(id);
    this.#young.clear();
    const removed = this.#changing.then(() => this.#removeAll(gone));
    this.#changing = removed;
    return removed;
  }

  async #removeAll(ids: readonly BlobId[]): FileResult<{ readonly blobs: number; readonly bytes: number }> {
    let bytes = 0;
    for (const id of ids) {
      const path = join(this.#place, id);
      const stat = await this.#files.stat(path);
      if (stat.ok) bytes += stat.value.size;
      const removed = await this.#files.remove(path);
      if (!removed.ok) return removed;
    }
    return ok({ blobs: ids.length, bytes });
  }

  /** A name that is being removed is not given again before it is gone. */
  async #keep(id: BlobId, path: string): FileResult<void> {
    const kept = this.#changing.then(() => this.#rename(id, path));
    this.#changing = kept;
    return kept;
  }

  async #rename(id: BlobId, path: string): FileResult<void> {
    const renamed = await this.#files.rename(path, join(this.#place, id));
    const synced = renamed.ok ? await this.#files.syncDirectory(this.#place) : renamed;
    if (!synced.ok) return synced;
    this.#ids.add(id);
    this.#young.add(id);
    return synced;
  }
}

interface WriteParts {
  readonly files: Files;
  readonly handle: FileHandle;
  readonly path: string;
  readonly id: BlobId;
  readonly bytes: number;
  finish(): FileResult<void>;
}

/** One content on its way in. After an error, and after `finish` or `abort`, nothing more may be called. */
export class LargeBlobWrite {
  readonly #parts: WriteParts;
  readonly #hash: Hash;
  #written = 0;

  constructor(parts: WriteParts) {
    this.#parts = parts;
    this.#hash = hashOf(parts.id, parts.bytes);
  }

  async write(part: Uint8Array): Promise<Result<void, LargeBlobError>> {
    this.#hash.update(part);
    this.#written += part.byteLength;
    const appended = await this.#parts.handle.append([part]);
    if (appended.ok) return ok(undefined);
    await this.abort();
    return disk(appended.error);
  }

  /** Durable, under its name, when it answers. */
  async finish(): Promise<Result<void, LargeBlobError>> {
    const { id, bytes, handle } = this.#parts;
    if (this.#written !== bytes || this.#hash.digest("hex") !== id) {
      await this.abort();
      return mismatch(id, `the ${this.#written} bytes that came are not those of ${id}`);
    }
    const synced = await handle.sync();
    if (!synced.ok) {
      await this.abort();
      return disk(synced.error);
    }
    await handle.close();
    const kept = await this.#parts.finish();
    return kept.ok ? ok(undefined) : disk(kept.error);
  }

  /** Best effort: what stays is removed when the store is opened next. */
  async abort(): Promise<void> {
    await this.#parts.handle.close();
    await this.#parts.files.remove(this.#parts.path);
  }
}

function hashOf(id: BlobId, bytes: number): Hash {
  return createHash(objectFormatOf(id) ?? "sha1").update(`blob ${bytes}\0`, "latin1");
}

function disk(error: FileError): Result<never, LargeBlobError> {
  return err({ kind: "disk", error });
}

function mismatch(id: BlobId, message: string): Result<never, LargeBlobError> {
  return err({ kind: "mismatch", id, message });
}
