// Whether node_modules is what the lock file says.
// Invariant: the marker lies inside node_modules and is written before the finished folder is renamed into place.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const MARKER = ".skein-lock-hash";

export function packagesAreCurrent(root) {
  return readMarker(root) === lockHash(root);
}

/** Names the lock file and the platform, since packages with binaries differ by platform. */
export function lockHash(root) {
  const hash = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  return `${hash} ${process.platform}-${process.arch}`;
}

function readMarker(root) {
  try {
    return readFileSync(join(root, "node_modules", MARKER), "utf8");
  } catch {
    return undefined;
  }
}
