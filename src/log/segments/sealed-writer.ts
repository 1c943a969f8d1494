// Writes one file of sealed blobs, block by block, under a temporary name: nobody sees it before it is whole.

import type { BlobId } from "../../base/ids.ts";
import { ok } from "../../base/result.ts";
import type { FileHandle, FileResult, Files } from "../../host/files.ts";
import {
  type Block,
  blockBytesGoal,
  encodeBlock,
  encodeDirectory,
  encodeSealedHeader,
  type SealedBlob,
  type SealedIdentity,
  sealedHeaderBytes,
} from "./sealed-blobs.ts";
import type { SegmentExtent } from "./segment.ts";

export class SealedWriter {
  readonly #files: Files;
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #blocks: Block[] = [];
  readonly blobs: SealedBlob[] = [];
  #gathered: Uint8Array[] = [];
  #gatheredBytes = 0;
  #offset = 0;
  #fileOffset = sealedHeaderBytes;

  private constructor(files: Files, path: string, handle: FileHandle) {
    this.#files = files;
    this.#path = path;
    this.#handle = handle;
  }

  /** `path`: the file's name once it is finished; until then `.tmp` is behind it. */
  static async create(files: Files, path: string, identity: SealedIdentity): FileResult<SealedWriter> {
    const temporary = `${path}.tmp`;
    const removed = await files.remove(temporary);
    if (!removed.ok) return removed;
    const opened = await files.open(temporary, "create");
    if (!opened.ok) return opened;
    const written = await opened.value.append([encodeSealedHeader(identity)]);
    if (written.ok) return ok(new SealedWriter(files, temporary, opened.value));
    await opened.value.close();
    return written;
  }

  /** The bytes may be a view that does not change until the call has answered. */
  async add(id: BlobId, bytes: Uint8Array): FileResult<void> {
    const goalReached = this.#gatheredBytes > 0 && this.#gatheredBytes + bytes.length > blockBytesGoal;
    const written = goalReached ? await this.#writeBlock() : ok(undefined);
    if (!written.ok) return written;
    this.blobs.push({ id, offset: this.#offset + this.#gatheredBytes, length: bytes.length });
    if (bytes.length > 0) this.#gathered.push(bytes.slice());
    this.#gatheredBytes += bytes.length;
    return ok(undefined);
  }

  /** Durable, but still under its temporary name. */
  async finish(extent: SegmentExtent): FileResult<void> {
    const written = this.#gatheredBytes > 0 ? await this.#writeBlock() : ok(undefined);
    if (!written.ok) return written;
    const directory = encodeDirectory({ extent, blocks: this.#blocks, blobs: this.blobs });
    const appended = await this.#handle.append([directory]);
    const synced = appended.ok ? await this.#handle.sync() : appended;
    const closed = await this.#handle.close();
    return synced.ok ? closed : synced;
  }

  async discard(): Promise<void> {
    await this.#handle.close();
    await this.#files.remove(this.#path);
  }

  async #writeBlock(): FileResult<void> {
    const raw = Buffer.concat(this.#gathered);
    const { stored, block } = encodeBlock(raw, this.#fileOffset, this.#offset);
    this.#gathered = [];
    this.#gatheredBytes = 0;
    this.#offset += raw.length;
    this.#fileOffset += stored.length;
    this.#blocks.push(block);
    return this.#handle.append([stored]);
  }
}
