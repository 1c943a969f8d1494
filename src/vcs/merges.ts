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

export function createMerges(options: MergesOptions): Merges {
  return new ComputedMerges(options);
}

/** Made for every commit, though few need a merge: it costs next to nothing until then. */
class ComputedMerges implements Merges {
  readonly #options: MergesOptions;
  #answers: Map<string, MergeAnswer> | null = null;

  constructor(options: MergesOptions) {
    this.#options = options;
  }

  find(need: MergeNeed): MergeAnswer | undefined {
    return this.#answers?.get(nameOf(need));
  }

  async compute(needs: readonly MergeNeed[]): Promise<void> {
    this.#answers ??= new Map();
    for (const need of needs) {
      const name = nameOf(need);
      if (!this.#answers.has(name)) this.#answers.set(name, await this.#answer(need));
    }
  }

  async #read(id: BlobId): Promise<Uint8Array | null> {
    const sent = this.#options.given(id);
    if (sent !== undefined) return sent;
    const stored = await this.#options.log.blob(id);
    return stored.ok ? stored.value : null;
  }

  async #answer(need: MergeNeed): Promise<MergeAnswer> {
    const { merge, objectFormat } = this.#options;
    const base = await this.#read(need.base);
    const head = await this.#read(need.head);
    const proposed = await this.#read(need.proposed);
    // A content that was purged or damaged cannot be merged; as a conflict object nothing of the commit is lost.
    if (base === null || head === null || proposed === null) return { kind: "conflict" };
    const result = await merge(base, head, proposed);
    if (result.kind !== "clean") return { kind: "conflict" };
    return { kind: "clean", blob: { id: blobIdOf(result.bytes, objectFormat), bytes: result.bytes } };
  }
}

function nameOf({ base, head, proposed }: MergeNeed): string {
  return `${base} ${head} ${proposed}`;
}
