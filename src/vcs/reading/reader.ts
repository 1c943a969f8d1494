// A store that is only read, as the commands that show it need it: by its server or from its files. What cannot be read rejects with a
// sentence; of a content that is not kept any more, null is told.

import type { BlobId, Position, RepoPath } from "../../base/ids.ts";
import type { LogQuery } from "../log-query.ts";
import type { Entry, LandedCommit, Manifest } from "../types.ts";

export interface Reader {
  /** The newest durable snapshot. */
  readonly head: Position;
  /** The oldest one. */
  readonly first: Position;
  manifest(at: Position): Promise<Manifest>;
  entry(path: RepoPath, at: Position): Promise<Entry | null>;
  /** Newest first. */
  log(query: LogQuery): Promise<readonly LandedCommit[]>;
  /** Null for what the store has not any more. */
  content(id: BlobId): Promise<Uint8Array | null>;
}

/** The commit that the snapshot is the first to show; null where it was made by something else. */
export async function commitAt(reader: Reader, position: Position): Promise<LandedCommit | null> {
  const [commit] = await reader.log({ at: position, agent: null, task: null, path: null, limit: 1 });
  return commit?.position === position ? commit : null;
}
