// Git's id of a whole tree, computed from its flat manifest: equal ids prove that import, export and mirror kept every
// path, mode and byte.

import { createHash } from "node:crypto";
import { assert } from "../base/assert.ts";
import type { ObjectFormat } from "../log/blob-id.ts";
import type { Entry, Manifest } from "./types.ts";

/** A file with its path as one character a byte, so that comparing strings compares bytes. */
interface File {
  readonly path: string;
  readonly entry: Entry;
}

/**
 * The object id of the manifest's root tree, lower-case hex. The entries' ids must be of the same `format`.
 * A tree object is, per entry, `<mode> <name>\0<raw id>`; entries are in byte order, a directory sorting as if its name
 * ended in `/` (Pro Git, "Git Objects"; `base_name_compare` in git's read-cache.c). That is the order of the full paths.
 */
export function treeId(manifest: Manifest, format: ObjectFormat = "sha1"): string {
  const files: File[] = [];
  for (const [path, entry] of manifest) files.push({ path: Buffer.from(path).toString("latin1"), entry });
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return hashTree(files, { from: 0, to: files.length }, 0, format).toString("hex");
}

/** Hashes the directory whose files are `files[from…to)` and whose own path takes the first `prefix` characters of theirs. */
function hashTree(
  files: readonly File[],
  { from, to }: { from: number; to: number },
  prefix: number,
  format: ObjectFormat,
): Buffer {
  const parts: Buffer[] = [];
  const names = new Set<string>();
  for (let at = from; at < to; ) {
    const { path, entry } = files[at]!;
    const slash = path.indexOf("/", prefix);
    const name = path.slice(prefix, slash === -1 ? undefined : slash);
    assert(
      name !== "" && !names.has(name),
      `no path of a manifest is both a file and a directory, or has an empty part: ${path}`,
    );
    names.add(name);
    if (slash === -1) {
      parts.push(Buffer.from(`${entry.mode} ${name}\0`, "latin1"), rawId(entry, format));
      at++;
    } else {
      const directory = path.slice(0, slash + 1);
      let end = at + 1;
      while (end < to && files[end]!.path.startsWith(directory)) end++;
      parts.push(Buffer.from(`40000 ${name}\0`, "latin1"), hashTree(files, { from: at, to: end }, slash + 1, format));
      at = end;
    }
  }
  const body = Buffer.concat(parts);
  return createHash(format).update(`tree ${body.length}\0`, "latin1").update(body).digest();
}

function rawId({ blob }: Entry, format: ObjectFormat): Buffer {
  const raw = Buffer.from(blob, "hex");
  assert(
    raw.length === (format === "sha1" ? 20 : 32) && blob.length === raw.length * 2,
    `${blob} is a ${format} object id`,
  );
  return raw;
}
