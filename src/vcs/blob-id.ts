// The name of a file's content, as the version-control domain asks for it: git's blob id, SHA-1 unless told otherwise.

import type { BlobId } from "../base/ids.ts";
import { blobIdOf, type ObjectFormat } from "../log/blob-id.ts";

/** Git's id of these bytes as a blob, lower-case hex; `format` is the repository's object format. */
export function blobId(bytes: Uint8Array, format: ObjectFormat = "sha1"): BlobId {
  return blobIdOf(bytes, format);
}
