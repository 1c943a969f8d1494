// Opens the VCS over a ledger: one writer, whose state is the fold of the log.

import { assert } from "../base/assert.ts";
import { asPosition, type BlobId, type Position } from "../base/ids.ts";
import { unwrap } from "../base/result.ts";
import type { Clock } from "../host/clock.ts";
import type { Ledger } from "../log/ledger.ts";
import type { Log } from "../log/log.ts";
import { createCommitter } from "./committer.ts";
import { viewConflict } from "./conflict-view.ts";
import { vcsFold } from "./fold.ts";
import { history, shownEnd } from "./history.ts";
import { hottestFiles } from "./hottest.ts";
import { importTree } from "./import-tree.ts";
import { type VcsLimits, vcsLimits } from "./limits.ts";
import { commitsBack } from "./log-query.ts";
import { mergeText } from "./merge/merge.ts";
import type { MergeFunction } from "./merges.ts";
import { casePolicy } from "./policies/case.ts";
import type { Policy } from "./policies/policy.ts";
import { standardPolicies } from "./policies/standard.ts";
import { entriesAt, entryAt, manifestAt } from "./snapshot.ts";
import type { BlobSource } from "./types.ts";
import { undo } from "./undo.ts";
import type { Vcs } from "./vcs.ts";
import { eventsFrom, grown } from "./watch.ts";

export type { Vcs } from "./vcs.ts";

export interface VcsOptions {
  /** Opened with `vcsFold` among its folds. */
  readonly ledger: Ledger;
  /** Asked in order, behind the standard ones. */
  readonly policies: readonly Policy[];
  readonly clock: Clock;
  readonly limits?: Partial<VcsLimits>;
  /** New names that differ from others only by case. Default: refused. */
  readonly caseOnlyNames?: "refuse" | "allow";
  /** `mergeText`, or the same on another thread. */
  readonly merge?: MergeFunction;
}

export function openVcs({ ledger, policies, clock, limits, caseOnlyNames, merge = mergeText }: VcsOptions): Vcs {
  const state = ledger.state(vcsFold);
  const standard = [
    ...standardPolicies({ ...vcsLimits, ...limits }),
    ...(caseOnlyNames === "allow" ? [] : [casePolicy]),
  ];
  const commit = createCommitter({ ledger, policies: [...standard, ...policies], clock, merge });
  return {
    commit,
    importTree: (tree) => importTree(ledger, clock, tree),
    imported: () => state.imported,
    head: () => shownEnd(ledger),
    manifest(at) {
      assertExists(ledger, at);
      return manifestAt(state, at);
    },
    entries(at) {
      assertExists(ledger, at);
      return entriesAt(state, at);
    },
    entry(path, at) {
      assertExists(ledger, at);
      return entryAt(state, path, at);
    },
    blobs: blobsOf(ledger.log),
    history: (from = asPosition(0)) => history(ledger, from),
    log: (query, pause = () => Promise.resolve()) => commitsBack(ledger, query, pause),
    events: (from) => eventsFrom(ledger, from),
    grown: (beyond, waitMs) => grown(ledger, clock, beyond, waitMs),
    undo: (request) => undo({ ledger, merge, commit }, request),
    hottest: (countMax) => hottestFiles(state, countMax),
    discarded: () => state.discarded,
    conflicts: () => [...state.conflicts.values()],
    conflict: (id) => state.conflicts.get(id) ?? null,
    conflictView: (id) => viewConflict(ledger, merge, id),
    figures: () => state.figures,
  };
}

function assertExists(ledger: Ledger, at: Position): void {
  assert(at <= ledger.end, `snapshot ${at} exists: the log ends at ${ledger.end}`);
}

function blobsOf(log: Log): BlobSource {
  return {
    async get(ids: readonly BlobId[]) {
      const contents: Uint8Array[] = [];
      for (const id of ids) contents.push(unwrap(await log.blob(id), "reading a blob of the store"));
      return contents;
    },
  };
}
