// The reader of a store for the commands that show it: over its server's socket or over its files.

import type { StoreClient } from "../adapters/socket/client.ts";
import type { Position } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Reader } from "../vcs/reading/reader.ts";
import type { LandedCommit } from "../vcs/types.ts";
import { type DoorError, openDoorToRead, type StoreDoor } from "./store-door.ts";
import { findStore, type PlaceError, type StoreWish } from "./store-place.ts";
import { sourceOf, taken } from "./store-source.ts";
import type { Surroundings } from "./surroundings.ts";
import type { VcsStore } from "./vcs-store.ts";

export type ReadingError =
  | PlaceError
  | DoorError
  | { readonly kind: "not-imported" }
  | { readonly kind: "no-position"; readonly position: number; readonly first: number; readonly head: number }
  /** The store could not be read to the end of the question. */
  | { readonly kind: "unreadable"; readonly message: string; readonly store: string };

export interface Reading {
  readonly store: string;
  readonly door: StoreDoor;
  readonly reader: Reader;
}

/** Opens the store, acts and closes it. What rejects meanwhile is told as `unreadable`. */
export async function reading<T, E = never>(
  surroundings: Surroundings,
  wish: StoreWish,
  act: (reading: Reading) => Promise<Result<T, E | ReadingError>>,
): Promise<Result<{ readonly store: string; readonly value: T }, E | ReadingError>> {
  const place = await findStore(surroundings, wish);
  if (!place.ok) return place;
  const { directory: store } = place.value;
  const door = await openDoorToRead(surroundings, store);
  if (!door.ok) return door;
  try {
    const reader = await readerOf(door.value, store);
    if (reader === null) return err({ kind: "not-imported" });
    const value = await act({ store, door: door.value, reader });
    return value.ok ? ok({ store, value: value.value }) : value;
  } catch (error) {
    return err({ kind: "unreadable", message: error instanceof Error ? error.message : String(error), store });
  } finally {
    await door.value.close();
  }
}

/** A position that there is. */
export function positionIn({ reader }: Reading, wanted: number | "head"): Result<Position, ReadingError> {
  const { first, head } = reader;
  if (wanted === "head") return ok(head);
  if (wanted >= first && wanted <= head) return ok(wanted as Position);
  return err({ kind: "no-position", position: wanted, first, head });
}

async function readerOf(door: StoreDoor, store: string): Promise<Reader | null> {
  const source = await sourceOf(door, store);
  if (source === null) return null;
  const [head, { first }] = [await source.head(), source];
  return {
    head,
    first,
    manifest: (at) => source.manifest(at),
    ...(door.kind === "server" ? served(door.client) : ofFiles(door.kind === "files" ? door.view : door.store)),
  };
}

function served(client: StoreClient): Pick<Reader, "entry" | "log" | "content"> {
  return {
    entry: async (path, at) => taken(await client.entry(path, at)).entry,
    log: async (query) => taken(await client.log(query)),
    async content(id) {
      const parts: Uint8Array[] = [];
      const read = await client.blob(id, (part) => parts.push(Buffer.from(part)));
      if (read.ok) return Buffer.concat(parts);
      const isGone = read.error.kind === "failed" && ["not-found", "damaged"].includes(read.error.failed);
      return isGone ? null : taken(read);
    },
  };
}

function ofFiles({ vcs, ledger }: VcsStore): Pick<Reader, "entry" | "log" | "content"> {
  return {
    entry: async (path, at) => vcs.entry(path, at),
    async log(query) {
      const commits: LandedCommit[] = [];
      for await (const commit of vcs.log(query)) commits.push(commit);
      return commits;
    },
    async content(id) {
      const blob = await ledger.log.blob(id);
      return blob.ok ? blob.value : null;
    },
  };
}
