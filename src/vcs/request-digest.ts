// Tells a repeated request from another one that took the same key by mistake.

import { hash } from "node:crypto";
import type { CommitRequest } from "./types.ts";

const digestCharsMax = 32;

/**
 * Hex digits of SHA-256 over what the request would do: task, changes by path, conflict resolved. Base and message are
 * left out, since a worker that asks again after a crash may word them anew.
 */
export function requestDigest({ author, changes, resolves }: CommitRequest): string {
  const lines = changes.map((change) => {
    const path = JSON.stringify(change.path);
    if (change.kind === "delete") return `[${path},"delete"]`;
    return `[${path},"put",${quoted(change.blob)},${quoted(change.mode)}]`;
  });
  const text = JSON.stringify([author.task, resolves ?? null, lines.sort()]);
  return hash("sha256", text, "hex").slice(0, digestCharsMax);
}

const PLAIN = /^[0-9a-f]*$/;

/** As JSON: ids and modes have nothing to escape, unless a request is bad. */
function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
