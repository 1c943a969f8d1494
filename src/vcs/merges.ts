// What of the contents a commit's plan must know: merges, and how similar two are. Planned by the contents' ids, computed away from
// the plan, looked up by the next plan: it depends on the contents alone, so that what was computed for a head that has moved is
// simply not asked for.

import type { BlobId } from "../base/ids.ts";
import { blobIdOf, type ObjectFormat } from "../log/blob-id.ts";
import type { Log, NewBlob } from "../log/log.ts";
import type { MergeResult } from "./merge/merge.ts";
import type { SimilarNeed } from "./renames/pairs.ts";
import { similarBytesMax, similarShare } from "./renames/similarity.ts";
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

export type Need = MergeNeed | SimilarNeed;

export interface Merges {
  /** Undefined until `compute` has been given the need. */
  find(need: MergeNeed): MergeAnswer | undefined;
  /** The share of the two contents (`similarShare`); undefined as above. */
  similar(need: SimilarNeed): number | undefined;
  compute(needs: readonly Need[]): Promise<void>;
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
  #shares: Map<string, number> | null = null;

  constructor(options: MergesOptions) {
    this.#options = options;
  }

  find(need: MergeNeed): MergeAnswer | undefined {
    return this.#answers?.get(nameOf(need));
  }

  similar({ from, to }: SimilarNeed): number | undefined {
    return from === to ? 1 : this.#shares?.get(`${from} ${to}`);
  }

  async compute(needs: readonly Need[]): Promise<void> {
    this.#answers ??= new Map();
    this.#shares ??= new Map();
    for (const need of needs) {
      if ("from" in need) {
        const pair = `${need.from} ${need.to}`;
        if (!this.#shares.has(pair)) this.#shares.set(pair, await this.#share(need));
        continue;
      }
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

  /** 0 for what cannot be read, or is too large to be compared. */
  async #share({ from, to }: SimilarNeed): Promise<number> {
    const [before, after] = [await this.#read(from), await this.#read(to)];
    if (before === null || after === null) return 0;
    if (Math.max(before.length, after.length) > similarBytesMax) return 0;
    return similarShare(before, after);
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
