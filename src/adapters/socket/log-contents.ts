// Contents of a store in parts: the log's own, read whole since a batch held them, and the large ones beside it.

import type { BlobId } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { LargeBlobError, LargeBlobs } from "../../log/large-blobs.ts";
import type { Log } from "../../log/log.ts";
import type { ContentError, Contents } from "./served-store.ts";

/** What comes in parts is kept beside the log. */
export function logContents(log: Pick<Log, "hasBlob" | "blobBytes" | "blob">, large: LargeBlobs): Contents {
  return {
    has: (id) => large.has(id) || log.hasBlob(id),
    bytesOf: (id) => log.blobBytes(id),
    async open(id) {
      if (large.has(id)) return openLarge(large, id);
      const blob = await log.blob(id);
      if (!blob.ok) {
        const { kind } = blob.error;
        return err({ kind, message: "message" in blob.error ? blob.error.message : `the store has no content ${id}` });
      }
      const bytes = blob.value;
      return ok({
        bytes: bytes.byteLength,
        heldBytes: bytes.byteLength,
        isChecked: true,
        read: async (offset, length) => ok(bytes.subarray(offset, offset + length)),
        close: async () => undefined,
      });
    },
    async add(id, bytes) {
      const added = await large.add(id, bytes);
      if (!added.ok) return err(contentError(added.error));
      const write = added.value;
      return ok({
        write: async (part) => told(await write.write(part)),
        finish: async () => told(await write.finish()),
        abort: () => write.abort(),
      });
    },
  };
}

async function openLarge(large: LargeBlobs, id: BlobId): ReturnType<Contents["open"]> {
  const opened = await large.open(id);
  if (!opened.ok) return err(contentError(opened.error));
  const { bytes, read, close } = opened.value;
  return ok({
    bytes,
    heldBytes: 0,
    isChecked: false,
    async read(offset, length) {
      const part = await read(offset, length);
      return part.ok ? part : err(contentError({ kind: "disk", error: part.error }));
    },
    close,
  });
}

function told(result: Result<void, LargeBlobError>): Result<void, ContentError> {
  return result.ok ? result : err(contentError(result.error));
}

function contentError(error: LargeBlobError): ContentError {
  switch (error.kind) {
    case "missing":
      return { kind: "missing", message: `the store has no content ${error.id}` };
    case "mismatch":
      return { kind: "damaged", message: error.message };
    case "disk": {
      const { code, path, message } = error.error;
      return { kind: code === "no-space" ? "no-space" : "io", message: `${path}: ${message}` };
    }
  }
}
