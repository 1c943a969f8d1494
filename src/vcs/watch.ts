// What happens in a store, event by event: the records of the log from a position on, as those who watch see them. A position names
// its event, so that whoever goes on from the last one he saw has no gap and nothing twice.

import { unreachable } from "../base/assert.ts";
import { asPosition, type CommitKey, type ConflictId, type Position, type RepoPath } from "../base/ids.ts";
import type { Clock } from "../host/clock.ts";
import type { Ledger } from "../log/ledger.ts";
import type { StoredRecord } from "../log/log.ts";
import { vcsFold } from "./fold.ts";
import { landed, shownEnd } from "./history.ts";
import { readVcsRecord } from "./records.ts";
import type { Author, LandedCommit } from "./types.ts";

interface EventBase {
  /** The first snapshot that shows it. */
  readonly position: Position;
  readonly atMs: number;
}

export type StoreEvent =
  | (EventBase & { readonly kind: "imported"; readonly files: number; readonly commit: string })
  | ({ readonly kind: "landed" } & LandedCommit)
  | (EventBase & {
      /** A commit is kept whole; `joined`: with others, as part of an object that was there. */
      readonly kind: "conflict";
      readonly conflict: ConflictId;
      readonly joined: boolean;
      readonly key: CommitKey;
      readonly author: Author;
      readonly message: string;
      readonly paths: readonly RepoPath[];
    })
  /** The head's side of it was taken anew. */
  | (EventBase & { readonly kind: "refreshed"; readonly conflict: ConflictId; readonly paths: readonly RepoPath[] })
  /** Closed without a commit, since its resolution is what the head has. */
  | (EventBase & { readonly kind: "closed"; readonly conflict: ConflictId; readonly resolvedBy: Author })
  | (EventBase & { readonly kind: "collected"; readonly keptFrom: Position });

/** The durable events that a snapshot at `from` does not show, up to the durable end at the time of the call. */
export async function* eventsFrom(ledger: Ledger, from: Position): AsyncGenerator<StoreEvent> {
  const { imported } = ledger.state(vcsFold);
  if (imported === null) return;
  const end = shownEnd(ledger);
  for await (const record of ledger.replay(asPosition(Math.max(from, imported.position - 1)))) {
    if (record.position >= end) return;
    const event = eventOf(record);
    if (event !== null) yield event;
  }
}

/** Resolves when more than `beyond` is durable, or after `waitMs`. */
export function grown(ledger: Ledger, clock: Clock, beyond: Position, waitMs: number): Promise<void> {
  if (shownEnd(ledger) > beyond) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel();
      unlisten();
      resolve();
    };
    const timer = clock.after(waitMs, end);
    const unlisten = ledger.onDurable(() => {
      if (shownEnd(ledger) > beyond) end();
    });
  });
}

function eventOf(record: StoredRecord): StoreEvent | null {
  const own = readVcsRecord(record);
  if (own === null) return null;
  const base = { position: asPosition(record.position + 1), atMs: record.atMs };
  switch (own.type) {
    case "import":
      return { kind: "imported", ...base, files: own.data.paths.length, commit: own.data.source.commit };
    case "commit":
      return { kind: "landed", ...landed(own.data, record) };
    case "conflict":
    case "conflict_joined": {
      const { conflict, key, author, message, paths } = own.data;
      const joined = own.type === "conflict_joined";
      return {
        kind: "conflict",
        ...base,
        conflict,
        joined,
        key,
        author,
        message,
        paths: paths.map(({ path }) => path),
      };
    }
    case "conflict_refreshed":
      return {
        kind: "refreshed",
        ...base,
        conflict: own.data.conflict,
        paths: own.data.paths.map(({ path }) => path),
      };
    case "conflict_resolved":
      return { kind: "closed", ...base, conflict: own.data.conflict, resolvedBy: own.data.author };
    case "collected":
      return { kind: "collected", ...base, keptFrom: own.data.kept_from };
    case "import_history":
    case "commit_unchanged":
      return null;
    default:
      return unreachable(own);
  }
}
