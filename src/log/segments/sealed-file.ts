// Reads the file of a sealed segment's blobs: its directory, and blocks of it, each checked against its checksum.

import { err, ok, type Result } from "../../base/result.ts";
import type { FileHandle, Files } from "../../host/files.ts";
import {
  type Block,
  decodeBlock,
  decodeDirectory,
  directoryBytes,
  type SealedDirectory,
  type SealedIdentity,
  type StoredDirectory,
  sealedHeaderBytes,
  sealedHeaderProblem,
  sealedTrailerBytes,
} from "./sealed-blobs.ts";

export interface SealedProblem {
  readonly kind: "damaged" | "io";
  readonly offset: number;
  readonly message: string;
}

export async function readDirectory(
  files: Files,
  path: string,
  identity: SealedIdentity,
): Promise<Result<SealedDirectory, SealedProblem>> {
  const opened = await files.open(path, "read");
  if (!opened.ok) return err({ kind: "io", offset: 0, message: `${path}: ${opened.error.message}` });
  try {
    return await readOpenDirectory(opened.value, identity);
  } finally {
    await opened.value.close();
  }
}

export async function readOpenDirectory(
  handle: FileHandle,
  identity: SealedIdentity,
): Promise<Result<StoredDirectory, SealedProblem>> {
  const size = await handle.size();
  if (!size.ok) return failed(0, size.error.message);
  const header = await read(handle, 0, sealedHeaderBytes);
  if (header === null) return failed(0, "the header cannot be read");
  const problem = sealedHeaderProblem(header, identity);
  if (problem !== null) return damaged(0, problem);
  const trailerAt = size.value - sealedTrailerBytes;
  const trailer = await read(handle, Math.max(0, trailerAt), sealedTrailerBytes);
  const length = trailer === null ? null : directoryBytes(trailer);
  if (trailer === null || length === null || length > trailerAt - sealedHeaderBytes) {
    return damaged(Math.max(0, trailerAt), "the file does not end with its directory");
  }
  const body = await read(handle, trailerAt - length, length);
  const directory = body === null ? null : decodeDirectory(body, trailer);
  if (directory === null) return damaged(trailerAt - length, "the directory of blobs does not match its checksum");
  return ok({ ...directory, bytes: length });
}

export async function readBlock(handle: FileHandle, block: Block): Promise<Result<Buffer, SealedProblem>> {
  const stored = await handle.read(block.fileOffset, block.storedBytes);
  if (!stored.ok) return failed(block.fileOffset, stored.error.message);
  const raw = decodeBlock(stored.value, block);
  return raw === null ? damaged(block.fileOffset, "a block of blobs does not match its checksum") : ok(raw);
}

/** The block that holds this place; null if none does. */
export function blockAt(blocks: readonly Block[], offset: number): Block | null {
  let [from, to] = [0, blocks.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (blocks[middle]!.offset <= offset) from = middle + 1;
    else to = middle;
  }
  return blocks[from - 1] ?? null;
}

async function read(handle: FileHandle, offset: number, length: number): Promise<Buffer | null> {
  const bytes = await handle.read(offset, length);
  return bytes.ok ? Buffer.from(bytes.value.buffer, bytes.value.byteOffset, bytes.value.byteLength) : null;
}

function damaged(offset: number, message: string): Result<never, SealedProblem> {
  return err({ kind: "damaged", offset, message });
}

function failed(offset: number, message: string): Result<never, SealedProblem> {
  return err({ kind: "io", offset, message });
}
