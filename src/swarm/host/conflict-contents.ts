// The contents that a conflict names by id: sides without hunks, and what stands where a file was moved to. Read once for
// one look at the conflict; what cannot be read is said, and stops nothing.

import type { BlobId } from "../../base/ids.ts";
import type { Entry } from "../../vcs/types.ts";
import type { OpenConflict } from "../open-conflict.ts";
import { AskFailed, type CoordinatorClient } from "./client.ts";

export type ConflictContents = ReadonlyMap<BlobId, Uint8Array>;

/** Of all contents together; what is beyond is named by its id alone. */
const contentsBytesMax = 64 * 1024 * 1024;

export async function loadContents(client: CoordinatorClient, conflict: OpenConflict): Promise<ConflictContents> {
  const contents = new Map<BlobId, Uint8Array>();
  let bytes = 0;
  for (const id of wanted(conflict)) {
    if (bytes >= contentsBytesMax) break;
    const content = await read(client, id);
    if (content === null) continue;
    contents.set(id, content);
    bytes += content.byteLength;
  }
  return contents;
}

/** Null for a content that is missing or damaged in the store. */
async function read(client: CoordinatorClient, id: BlobId): Promise<Uint8Array | null> {
  try {
    return (await client.get([id]))[0] ?? null;
  } catch (error) {
    if (error instanceof AskFailed) return null;
    throw error;
  }
}

function wanted({ paths, moves }: OpenConflict): ReadonlySet<BlobId> {
  const whole = paths.filter(({ kind }) => kind === "whole");
  const entries: (Entry | null)[] = [...whole.flatMap(({ base, ours, theirs }) => [base, ours, theirs]), ...moves];
  return new Set(entries.flatMap((entry) => (entry === null || entry.mode === "160000" ? [] : [entry.blob])));
}
