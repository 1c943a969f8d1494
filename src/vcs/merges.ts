// The content merges of one commit: planned by the contents' ids, computed away from the plan, looked up by the next plan.
// A merge depends on its three contents alone, so that one computed for a head that has moved is simply not asked for.

import type { BlobId } from "../base/ids.ts";
import { blobIdOf, type ObjectFormat } from "../log/blob-id.ts";
import type { Log, NewBlob } from "../log/log.ts";
import type { MergeResult } from "./merge/merge.ts";
import type { MergeNeed } from "./three-way.ts";

export type MergeFunction = (
  base: Uint8Array,
  ours: Uint8Array,
  theirs: Uint8Array,
) => MergeResult | Promise<MergeResult>;

export type MergeAnswer =
  | { readonly kind: "clean"; readonly blob: NewBlob }
  /** The lines contradict, or they are no lines, or too many, or a content cannot be read. */
  | { readonly kind: "conflict" };

export interface Merges {
  /** Undefined until `compute` has been given the need. */
  find(need: MergeNeed): MergeAnswer | undefined;
  compute(needs: readonly MergeNeed[]): Promise<void>;
}

export interface MergesOptions {
  readonly log: Log;
  readonly objectFormat: ObjectFormat;
  readonly merge: MergeFunction;
  /** A content that came with the request and may not be stored yet. */
  given(id: BlobId): Uint8Array | undefined;
}

export function createMerges({ log, objectFormat, merge, given }: MergesOptions): Merges {
  const answers = new Map<string, MergeAnswer>();

  async function read(id: BlobId): Promise<Uint8Array | null> {
    const sent = given(id);
    if (sent !== undefined) return sent;
    const stored = await log.blob(id);
    return stored.ok ? stored.value : null;
  }

  async function answer(need: MergeNeed): Promise<MergeAnswer> {
    const base = await read(need.base);
    const head = await read(need.head);
    const proposed = await read(need.proposed);
    // A content that was purged or damaged cannot be merged; as a conflict object nothing of the commit is lost.
    if (base === null || head === null || proposed === null) return { kind: "conflict" };
    const result = await merge(base, head, proposed);
    if (result.kind !== "clean") return { kind: "conflict" };
    return { kind: "clean", blob: { id: blobIdOf(result.bytes, objectFormat), bytes: result.bytes } };
  }

  return {
    find: (need) => answers.get(nameOf(need)),
    async compute(needs) {
      for (const need of needs) {
        const name = nameOf(need);
        if (!answers.has(name)) answers.set(name, await answer(need));
      }
    },
  };
}

function nameOf({ base, head, proposed }: MergeNeed): string {
  return `${base} ${head} ${proposed}`;
}
