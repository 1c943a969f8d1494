// Git's id of a tree that changes step by step: only directories on the way to a change are hashed again, so that each commit of a
// long history can be compared with git's. Invariant: `id` equals `treeId` of the same manifest.

import { createHash } from "node:crypto";
import { assert } from "../base/assert.ts";
import type { ObjectFormat } from "../log/blob-id.ts";
import type { Change, Manifest, Mode } from "./types.ts";

interface File {
  readonly kind: "file";
  readonly mode: Mode;
  readonly id: Buffer;
}

interface Directory {
  readonly kind: "directory";
  /** By name, one character a byte. */
  readonly entries: Map<string, File | Directory>;
  /** Null after a change below it. */
  id: Buffer | null;
}

export class TreeHasher {
  readonly #format: ObjectFormat;
  readonly #root: Directory = emptyDirectory();

  constructor(manifest: Manifest, format: ObjectFormat) {
    this.#format = format;
    for (const [path, { mode, blob }] of manifest) this.#put(partsOf(path), { kind: "file", mode, id: rawId(blob) });
  }

  /** Deletions first, so that a file may take the place of a directory and the other way round. */
  apply(changes: readonly Change[]): void {
    for (const change of changes) if (change.kind === "delete") this.#delete(this.#root, partsOf(change.path));
    for (const change of changes) {
      if (change.kind !== "put") continue;
      this.#put(partsOf(change.path), { kind: "file", mode: change.mode, id: rawId(change.blob) });
    }
  }

  /** Lower-case hex. */
  id(): string {
    return this.#hash(this.#root).toString("hex");
  }

  #put(parts: readonly string[], file: File): void {
    let directory = this.#root;
    for (const name of parts.slice(0, -1)) {
      directory.id = null;
      const known = directory.entries.get(name);
      const below = known?.kind === "directory" ? known : emptyDirectory();
      if (below !== known) directory.entries.set(name, below);
      directory = below;
    }
    directory.id = null;
    directory.entries.set(parts.at(-1) ?? "", file);
  }

  /** Git keeps no empty directories. */
  #delete(directory: Directory, [name = "", ...rest]: readonly string[]): void {
    directory.id = null;
    const entry = directory.entries.get(name);
    if (rest.length === 0) {
      if (entry?.kind === "file") directory.entries.delete(name);
      return;
    }
    if (entry?.kind !== "directory") return;
    this.#delete(entry, rest);
    if (entry.entries.size === 0) directory.entries.delete(name);
  }

  /** As `treeId` does, from what is known. */
  #hash(directory: Directory): Buffer {
    if (directory.id !== null) return directory.id;
    const names = [...directory.entries].map(([name, entry]) => ({
      name,
      entry,
      sorted: entry.kind === "directory" ? `${name}/` : name,
    }));
    names.sort((a, b) => (a.sorted < b.sorted ? -1 : 1));
    const parts: Buffer[] = [];
    for (const { name, entry } of names) {
      const mode = entry.kind === "directory" ? "40000" : entry.mode;
      parts.push(Buffer.from(`${mode} ${name}\0`, "latin1"), entry.kind === "directory" ? this.#hash(entry) : entry.id);
    }
    const body = Buffer.concat(parts);
    directory.id = createHash(this.#format).update(`tree ${body.length}\0`, "latin1").update(body).digest();
    return directory.id;
  }
}

function emptyDirectory(): Directory {
  return { kind: "directory", entries: new Map(), id: null };
}

function partsOf(path: string): readonly string[] {
  return Buffer.from(path).toString("latin1").split("/");
}

function rawId(blob: string): Buffer {
  const id = Buffer.from(blob, "hex");
  assert(id.length * 2 === blob.length, `${blob} is an object id`);
  return id;
}
