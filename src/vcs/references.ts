// Which contents the store must keep: what every snapshot from a position on shows, and what conflict objects, merges and
// left-out sides name. The one answer to it, for gc as for fsck.

import type { BlobId, Position } from "../base/ids.ts";
import { entryAt, shownFrom } from "./snapshot.ts";
import type { VcsState } from "./state.ts";
import type { Entry } from "./types.ts";

/** Contents by id, with the first snapshot in which each is named: from there on it is missed if it is not there. */
export function referencedBlobs(state: VcsState, from: Position): ReadonlyMap<BlobId, Position> {
  const found = new Map<BlobId, Position>();
  const add = (entry: Entry | null, at: Position): void => {
    if (entry === null || entry.mode === "160000") return;
    const known = found.get(entry.blob);
    if (known === undefined || at < known) found.set(entry.blob, at);
  };
  addVersions(state, from, add);
  for (const { at, blob } of state.named) if (at >= from) add({ blob, mode: "100644" }, at);
  for (const conflict of state.conflicts.values()) {
    for (const { base, ours, theirs } of conflict.paths) {
      for (const side of [base, ours, theirs]) add(side, conflict.head);
    }
    for (const { changes, position, base } of conflict.commits) {
      for (const change of changes) {
        if (change.kind === "put") add(change, position);
        // Its resolution merges the head with what the commit was made from.
        if (conflict.state === "open") add(entryAt(state, change.path, base), position);
      }
    }
  }
  for (const { entry } of state.discarded) add(entry, from);
  return found;
}

/** Each path's state in the snapshot, and every later one. */
function addVersions(state: VcsState, from: Position, add: (entry: Entry | null, at: Position) => void): void {
  const { versions } = state;
  for (const path of versions.names()) {
    for (let row = versions.head(path); row !== -1; row = versions.older(row)) {
      const at = shownFrom(state, row);
      add(versions.entry(row), at);
      if (at <= from) break;
    }
  }
}
