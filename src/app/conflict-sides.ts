// The other side of each conflict as files that the parent's read tools open: what the child made of it, and what it began from. The
// parent's own side stands in its tree.

import { dirname, join } from "node:path";
import type { BlobId, RepoPath } from "../base/ids.ts";
import type { Files } from "../host/files.ts";
import type { NewBlob } from "../log/log.ts";
import type { Entry } from "../vcs/types.ts";
import type { BlobCache } from "../vcs/workspace/blob-cache.ts";
import type { MergeBackConflict } from "../vcs/workspace/merge-back.ts";

export interface SavedSides {
  /** Null where the side has no file, or it could not be saved. */
  readonly theirs: string | null;
  readonly base: string | null;
}

export interface SaveSides {
  readonly files: Files;
  readonly cache: BlobCache;
  readonly blobs: readonly NewBlob[];
  readonly conflicts: readonly MergeBackConflict[];
  /** Gets `theirs/<path>` and `base/<path>`. */
  readonly directory: string;
}

const contentBytesMax = 2 ** 31 - 1;

export async function saveSides(options: SaveSides): Promise<ReadonlyMap<RepoPath, SavedSides>> {
  const saved = new Map<RepoPath, SavedSides>();
  for (const { path, base, theirs } of options.conflicts) {
    const at = (side: string) => join(options.directory, side, path);
    saved.set(path, { theirs: await save(options, theirs, at("theirs")), base: await save(options, base, at("base")) });
  }
  return saved;
}

async function save(options: SaveSides, entry: Entry | null, path: string): Promise<string | null> {
  if (entry === null || entry.mode === "160000") return null;
  const { files } = options;
  const bytes = await contentOf(options, entry.blob);
  const made = await files.makeDirectory(dirname(path), { private: true });
  if (bytes === null || !made.ok) return null;
  return (await files.write(path, bytes)).ok ? path : null;
}

async function contentOf({ files, cache, blobs }: SaveSides, id: BlobId): Promise<Uint8Array | null> {
  const own = blobs.find((blob) => blob.id === id);
  if (own !== undefined) return own.bytes;
  const read = await files.read(cache.path(id), contentBytesMax);
  return read.ok ? read.value : null;
}
