// Where each blob is: in a frame that still waits for its flush, or at a place in a segment.

import type { BlobId } from "../../base/ids.ts";
import type { FrameDraft } from "./frame.ts";
import { frameHeaderBytes } from "./frame.ts";
import type { Segment } from "./segment.ts";
import type { Frame } from "./walk.ts";

export type BlobPlace =
  | { readonly kind: "stored"; readonly segment: Segment; readonly offset: number; readonly length: number }
  | { readonly kind: "waiting"; readonly bytes: Buffer };

export class BlobIndex {
  readonly #places = new Map<BlobId, BlobPlace>();

  has(id: BlobId): boolean {
    return this.#places.has(id);
  }

  get(id: BlobId): BlobPlace | null {
    return this.#places.get(id) ?? null;
  }

  addWaiting(draft: FrameDraft): void {
    for (const { id, offset, length } of draft.blobs) {
      const from = frameHeaderBytes + offset;
      this.#places.set(id, { kind: "waiting", bytes: draft.bytes.subarray(from, from + length) });
    }
  }

  addStored(segment: Segment, frame: Pick<Frame, "blobs" | "payloadOffset">): void {
    for (const { id, offset, length } of frame.blobs) {
      this.#places.set(id, { kind: "stored", segment, offset: frame.payloadOffset + offset, length });
    }
  }

  /** After a failed flush: what waited does not exist. */
  dropWaiting(draft: FrameDraft): void {
    for (const { id } of draft.blobs) {
      if (this.#places.get(id)?.kind === "waiting") this.#places.delete(id);
    }
  }
}
