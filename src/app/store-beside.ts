// A served store for one who wants much of it: records and contents are read from its files, as far as its server says that they are
// durable, so that whoever commits meanwhile does not wait for it. What lies behind only a little, and what the files have no more since
// they were moved meanwhile, is asked for.

import { asPosition, type BlobId, type Position } from "../base/ids.ts";
import { commitsBetween } from "../vcs/history.ts";
import type { LandedCommit } from "../vcs/types.ts";
import type { StoreDoor } from "./store-door.ts";
import { gatheredContents, type StoreSource } from "./store-source.ts";
import type { Surroundings } from "./surroundings.ts";
import { type OpenParts, openToRead } from "./vcs-store.ts";

export interface SourceBeside extends StoreSource {
  close(): Promise<void>;
}

/** Fewer positions are asked for: to open the files costs more. */
const muchMin = 2_000;

/** Of one round beside others: git flushes its pack at the end of it, and whoever waits for the disk waits for that. */
export const commitsBesideMax = 2_000;

interface Opened {
  readonly parts: OpenParts;
  /** Up to here what the files have is durable. */
  readonly end: Position;
}

export function besideServer({ host }: Surroundings, directory: string, served: StoreSource): SourceBeside {
  let opened: Opened | null = null;

  async function close(): Promise<void> {
    const before = opened;
    opened = null;
    await before?.parts.close();
  }

  async function open(): Promise<Opened | null> {
    await close();
    const parts = await openToRead(host, directory, []);
    if (!parts.ok) return null;
    // Asked afterwards: the newest that the files show may be on its way to the disk.
    const end = asPosition(Math.min(parts.value.log.end, await served.head()));
    opened = { parts: parts.value, end };
    return opened;
  }

  /** Null where the files do not say, or have not more than a little. */
  async function fromFiles(from: Position): Promise<readonly LandedCommit[] | null> {
    if ((await served.head()) - from < muchMin) return null;
    const files = opened !== null && from < opened.end ? opened : await open();
    if (files === null) return null;
    const commits: LandedCommit[] = [];
    try {
      for await (const commit of commitsBetween(files.parts.ledger, from, files.end)) {
        commits.push(commit);
        if (commits.length === commitsBesideMax) break;
      }
    } catch {
      return null;
    }
    return commits.length === 0 ? null : commits;
  }

  return {
    ...served,
    async history(from) {
      const commits = await fromFiles(from);
      if (commits !== null) return commits;
      await close();
      return served.history(from);
    },
    blobs: {
      async get(ids: readonly BlobId[]) {
        if (opened === null) return served.blobs.get(ids);
        const { log } = opened.parts.ledger;
        const found = await gatheredContents(ids, async (id) => {
          const blob = await log.blob(id);
          return blob.ok ? blob.value : null;
        });
        const missing = ids.filter((_, index) => found[index] === null);
        const asked = missing.length === 0 ? [] : await served.blobs.get(missing);
        let next = 0;
        return found.map((bytes) => bytes ?? asked[next++]!);
      },
    },
    close,
  };
}

/** As `sourceOf` gives it, through its own door. */
export function asBeside(
  surroundings: Surroundings,
  directory: string,
  door: StoreDoor,
  source: StoreSource,
): SourceBeside {
  return door.kind === "server"
    ? besideServer(surroundings, directory, source)
    : { ...source, close: async () => undefined };
}
