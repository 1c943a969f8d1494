// What must outlive its process for a workspace to be opened again: the snapshot it is at, and where its base differs from it.
// Written whole beside the tree and renamed into place, so that a crash leaves the old state or the new one.

import { join } from "node:path";
import type { BlobId, Position, RepoPath } from "../../base/ids.ts";
import { list, natural, nullable, object, oneOf, optional, parse, text } from "../../base/parse.ts";
import { ok, type Result } from "../../base/result.ts";
import type { FileError, FileResult, Files } from "../../host/files.ts";
import type { Entry, Manifest } from "../types.ts";

export interface SavedState {
  readonly position: Position;
  /** Paths whose base is not the snapshot's: null where the base has no file. */
  readonly own: ReadonlyMap<RepoPath, Entry | null>;
  readonly unsupported: readonly RepoPath[];
  /** The snapshot that a sync was bringing it to when it was cut off; null: none was. */
  readonly toward: Position | null;
}

const stateBytesMax = 64 * 1024 * 1024;
const pathsMax = 1_000_000;
const path = text<RepoPath>(4_096);
const entry = object({ blob: text<BlobId>(64), mode: oneOf("100644", "100755", "120000", "160000") });
const savedState = object({
  version: oneOf(1),
  position: natural<Position>(),
  own: list(object({ path, entry: nullable(entry) }), pathsMax),
  unsupported: list(path, pathsMax),
  toward: optional(nullable(natural<Position>()), null),
});

export async function saveState(files: Files, directory: string, state: SavedState): FileResult<void> {
  const own = [...state.own].map(([path, entry]) => ({ path, entry }));
  const json = JSON.stringify({ version: 1, ...state, own });
  const written = await files.write(temporary(directory), Buffer.from(json));
  return written.ok ? files.rename(temporary(directory), place(directory)) : written;
}

/** Null where there is no state, or none that can be read: then the workspace was never whole. */
export async function loadState(files: Files, directory: string): Promise<Result<SavedState | null, FileError>> {
  const bytes = await files.read(place(directory), stateBytesMax);
  if (!bytes.ok) return bytes.error.code === "not-found" || bytes.error.code === "not-directory" ? ok(null) : bytes;
  const parsed = parse(savedState, readJson(bytes.value), "state");
  if (!parsed.ok) return ok(null);
  const { position, own, unsupported, toward } = parsed.value;
  return ok({ position, own: new Map(own.map(({ path, entry }) => [path, entry])), unsupported, toward });
}

/** A manifest with some paths as `own` has them. */
export function withOwn(manifest: Manifest, own: SavedState["own"]): Map<RepoPath, Entry> {
  const merged = new Map(manifest);
  for (const [path, entry] of own) {
    if (entry === null) merged.delete(path);
    else merged.set(path, entry);
  }
  return merged;
}

const place = (directory: string): string => join(directory, "state.json");
const temporary = (directory: string): string => join(directory, "state.json.new");

function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return null;
  }
}
