// Tells a repeated request from another one that took the same key by mistake.

import { createHash } from "node:crypto";
import type { CommitRequest } from "./types.ts";

const digestCharsMax = 32;

/**
 * Hex digits of SHA-256 over what the request would do: task, changes by path, conflict resolved. Base and message are
 * left out, since a worker that asks again after a crash may word them anew.
 */
export function requestDigest({ author, changes, resolves }: CommitRequest): string {
  const lines = changes.map((change) =>
    JSON.stringify([change.path, change.kind, ...(change.kind === "put" ? [change.blob, change.mode] : [])]),
  );
  const text = JSON.stringify([author.task, resolves ?? null, lines.sort()]);
  return createHash("sha256").update(text).digest("hex").slice(0, digestCharsMax);
}
