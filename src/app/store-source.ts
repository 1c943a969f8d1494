// A store that is only read, whoever has it open: the same questions to its server and to its files. What cannot be read rejects with a
// sentence: one place of each command turns that into an error.

import type { StoreClient } from "../adapters/socket/client.ts";
import { contentsAnAskMax } from "../adapters/socket/messages.ts";
import { asPosition, type BlobId, type Position, type RepoPath } from "../base/ids.ts";
import type { Result } from "../base/result.ts";
import type { MirrorSource } from "../vcs/git/mirror.ts";
import type { LandedCommit } from "../vcs/types.ts";
import type { StoreDoor } from "./store-door.ts";
import type { VcsStore } from "./vcs-store.ts";

export interface StoreSource extends MirrorSource {
  /** The repository that the store began with; empty for none. */
  readonly repository: string;
  /** The oldest snapshot. */
  readonly first: Position;
}

/** Null for a store without a tree. `store` names it to others: its log's id. Of files, so many commits make one round. */
export async function sourceOf(
  door: StoreDoor,
  store: string,
  commitsARound = commitsARoundMax,
): Promise<StoreSource | null> {
  switch (door.kind) {
    case "server":
      return servedSource(door.client, store);
    case "files":
      return filesSource(door.view, store, commitsARound);
    case "writer":
      return filesSource(door.store, store, commitsARound);
  }
}

/** At most so many commits make one round: all their contents are asked for by id. */
const commitsARoundMax = 10_000;

/** Reads of files wait for the disk's threads, of which there are a few. */
const readsAtOnce = 8;

function filesSource({ vcs }: VcsStore, store: string, commitsARound: number): StoreSource | null {
  const imported = vcs.imported();
  if (imported === null) return null;
  const { source, objectFormat, tip, position: first } = imported;
  return {
    store,
    objectFormat,
    tip,
    repository: source.repository,
    first,
    head: async () => vcs.head(),
    manifest: async (at) => vcs.manifest(at),
    async history(from) {
      const commits: LandedCommit[] = [];
      for await (const commit of vcs.history(from)) {
        commits.push(commit);
        if (commits.length === commitsARound) break;
      }
      return commits;
    },
    blobs: {
      async get(ids) {
        const contents = await gatheredContents(ids, (id) => vcs.blobs.get([id]));
        return contents.flat();
      },
    },
  };
}

/** In the order of the ids, some at a time. */
export async function gatheredContents<T>(ids: readonly BlobId[], read: (id: BlobId) => Promise<T>): Promise<T[]> {
  const found: T[] = [];
  for (let start = 0; start < ids.length; start += readsAtOnce) {
    found.push(...(await Promise.all(ids.slice(start, start + readsAtOnce).map(read))));
  }
  return found;
}

async function servedSource(client: StoreClient, store: string): Promise<StoreSource | null> {
  const { imported } = taken(await client.head());
  if (imported === null) return null;
  const { source, object_format: objectFormat, tip, position: first } = imported;
  return {
    store,
    objectFormat,
    tip,
    repository: source.repository,
    first,
    head: async () => taken(await client.head()).position,
    async manifest(at) {
      const { files } = taken(await client.list(at));
      return new Map(
        files.map(({ path, mode, blob }): [RepoPath, { mode: typeof mode; blob: BlobId }] => [path, { mode, blob }]),
      );
    },
    async history(from) {
      // Records that are no commits move the position, too: an answer without a commit is none to go on from.
      let at = from;
      for (;;) {
        const { to, commits } = taken(await client.history(at));
        if (commits.length > 0 || to <= at) return commits;
        at = asPosition(to);
        if (at >= taken(await client.head()).position) return [];
      }
    },
    blobs: { get: (ids) => servedContents(client, ids) },
  };
}

async function servedContents(client: StoreClient, ids: readonly BlobId[]): Promise<readonly Uint8Array[]> {
  const found: Uint8Array[] = [];
  for (let start = 0; start < ids.length; start += contentsAnAskMax) {
    const group = ids.slice(start, start + contentsAnAskMax);
    const contents = taken(await client.contents(group));
    for (const [index, bytes] of contents.entries()) found.push(bytes ?? (await wholeContent(client, group[index]!)));
  }
  return found;
}

async function wholeContent(client: StoreClient, id: BlobId): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  taken(await client.blob(id, (part) => parts.push(Buffer.from(part))));
  return Buffer.concat(parts);
}

/** What reads the store rejects: one place turns it into an error of the command. */
export function taken<T>(answer: Result<T, { readonly message: string }>): T {
  if (answer.ok) return answer.value;
  throw new Error(answer.error.message);
}
