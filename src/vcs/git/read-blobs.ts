// Blob contents out of one long-lived `git cat-file --batch`. Invariant: at most a window of ids is in flight, so neither side
// can fill its pipe while the other waits; and every blob's bytes hash to the id it was asked for.

import type { BlobId } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { ObjectFormat } from "../../log/blob-id.ts";
import type { NewBlob } from "../../log/log.ts";
import { blobId } from "../blob-id.ts";
import { type ByteReader, byteReader } from "./byte-reader.ts";
import { type Git, type GitError, gitError, missingFromPartialClone, type RunningGit, startGit } from "./command.ts";

export type ReadBlobsError =
  | GitError
  /** Not in the repository: a partial clone, or a damaged one. */
  | { readonly kind: "missing-blob"; readonly id: BlobId }
  | { readonly kind: "blob-too-large"; readonly id: BlobId; readonly bytes: number; readonly bytesMax: number }
  /** The bytes do not hash to the id. */
  | { readonly kind: "damaged-blob"; readonly id: BlobId };

export interface ReadBlobsOptions {
  readonly git: Git;
  readonly repository: string;
  readonly ids: readonly BlobId[];
  readonly format: ObjectFormat;
  /** A batch is handed over before it would pass this; a larger blob comes alone. */
  readonly batchBytesMax: number;
  readonly blobBytesMax: number;
  readonly signal?: AbortSignal;
}

/** 256 ids of 65 bytes are 16 KiB: a pipe holds them while git is still writing. */
const idsInFlightMax = 256;
const headerBytesMax = 1024;
const args = ["cat-file", "--batch"] as const;

/** Blobs in the order of `ids`. An error is the last value; breaking off ends git. */
export async function* readBlobs(
  options: ReadBlobsOptions,
): AsyncGenerator<Result<readonly NewBlob[], ReadBlobsError>> {
  const started = await startGit(options.git, {
    cwd: options.repository,
    args,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  if (!started.ok) {
    yield started;
    return;
  }
  const running = started.value;
  try {
    yield* batches(options, running);
  } finally {
    running.child.kill("SIGKILL");
    await running.finish();
  }
}

async function* batches(
  options: ReadBlobsOptions,
  running: RunningGit,
): AsyncGenerator<Result<readonly NewBlob[], ReadBlobsError>> {
  const { ids, batchBytesMax } = options;
  const reader = byteReader(running.child.stdout);
  let batch: NewBlob[] = [];
  let batchBytes = 0;
  for (let start = 0; start < ids.length; start += idsInFlightMax) {
    const window = ids.slice(start, start + idsInFlightMax);
    await running.child.write(Buffer.from(`${window.join("\n")}\n`, "latin1"));
    for (const id of window) {
      const blob = await readBlob(options, running, reader, id);
      if (!blob.ok) {
        yield blob;
        return;
      }
      if (batch.length > 0 && batchBytes + blob.value.bytes.length > batchBytesMax) {
        yield ok(batch);
        batch = [];
        batchBytes = 0;
      }
      batch.push(blob.value);
      batchBytes += blob.value.bytes.length;
    }
  }
  running.child.endInput();
  if (batch.length > 0) yield ok(batch);
}

/** `<id> blob <size>\n<bytes>\n`, or `<id> missing\n`. */
async function readBlob(
  options: ReadBlobsOptions,
  running: RunningGit,
  reader: ByteReader,
  id: BlobId,
): Promise<Result<NewBlob, ReadBlobsError>> {
  const header = await reader.line(headerBytesMax);
  if (header === null) {
    const ended = await endedEarly(running);
    // Git before 2.44 ends at an object that it may not fetch, where it could say "missing".
    return err(missingFromPartialClone(ended.stderr) ? { kind: "missing-blob", id } : ended);
  }
  if (header === `${id} missing`) return err({ kind: "missing-blob", id });
  const bytesText = header.startsWith(`${id} blob `) ? header.slice(id.length + 6) : "";
  if (!/^\d+$/.test(bytesText)) return err(gitError({ args: [...args] }, null, `unexpected answer: ${header}`));
  const bytes = Number(bytesText);
  if (bytes > options.blobBytesMax) return err({ kind: "blob-too-large", id, bytes, bytesMax: options.blobBytesMax });
  const content = await reader.bytes(bytes);
  const end = await reader.bytes(1);
  if (content === null || end === null) return err(await endedEarly(running));
  return blobId(content, options.format) === id ? ok({ id, bytes: content }) : err({ kind: "damaged-blob", id });
}

async function endedEarly(running: RunningGit): Promise<GitError> {
  running.child.endInput();
  const finished = await running.finish();
  return finished.ok ? gitError({ args: [...args] }, 0, "ended before it answered") : finished.error;
}
