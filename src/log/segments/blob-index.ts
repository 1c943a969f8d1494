// Where each blob is: in a frame that still waits for its flush, or at a place in a segment.

import type { BlobId } from "../../base/ids.ts";
import { BlobTable, type StoredPlace } from "./blob-table.ts";
import type { FrameDraft } from "./frame.ts";
import { frameHeaderBytes } from "./frame.ts";
import type { Frame } from "./walk.ts";

export type BlobPlace =
  | ({ readonly kind: "stored" } & StoredPlace)
  /** The bytes are those of the blob until the next `await`: their memory is used again when they are durable. */
  | { readonly kind: "waiting"; readonly bytes: Buffer };

export class BlobIndex {
  /** The draft that has the blob among its own. */
  readonly #waiting = new Map<BlobId, FrameDraft>();
  readonly sha1 = new BlobTable(20);
  readonly sha256 = new BlobTable(32);

  has(id: BlobId): boolean {
    return this.#waiting.has(id) || (this.#table(id)?.has(id) ?? false);
  }

  get(id: BlobId): BlobPlace | null {
    const draft = this.#waiting.get(id);
    const span = draft?.blobs.find((blob) => blob.id === id);
    if (draft !== undefined && span !== undefined) {
      const from = frameHeaderBytes + span.offset;
      return { kind: "waiting", bytes: draft.bytes.subarray(from, from + span.length) };
    }
    const place = this.#table(id)?.get(id) ?? null;
    return place === null ? null : { kind: "stored", ...place };
  }

  bytesOf(id: BlobId): number | null {
    const place = this.get(id);
    if (place === null) return null;
    return place.kind === "stored" ? place.length : place.bytes.byteLength;
  }

  get count(): number {
    return this.sha1.live + this.sha256.live;
  }

  /** Of the blobs themselves, before any compression. */
  get bytes(): number {
    return this.sha1.liveBytes + this.sha256.liveBytes;
  }

  addWaiting(draft: FrameDraft): void {
    for (const span of draft.blobs) this.#waiting.set(span.id, draft);
  }

  /** The frame's blobs are durable in the segment of this number. */
  addStored(segment: number, frame: Pick<Frame, "blobs" | "payloadOffset">): void {
    for (const { id, offset, length } of frame.blobs) {
      this.add(id, { segment, offset: frame.payloadOffset + offset, length });
      this.#waiting.delete(id);
    }
  }

  add(id: BlobId, place: StoredPlace): void {
    this.#table(id)?.add(id, place);
  }

  move(id: BlobId, segment: number, offset: number): void {
    this.#table(id)?.move(id, segment, offset);
  }

  /** Takes out every durable blob of which `keep` says no: its bytes are lost as soon as its segment is rewritten. */
  retain(keep: (id: BlobId, segment: number) => boolean): void {
    this.sha1.retain(keep);
    this.sha256.retain(keep);
  }

  *ofSegment(segment: number): Generator<StoredPlace & { readonly id: BlobId }> {
    yield* this.sha1.ofSegment(segment);
    yield* this.sha256.ofSegment(segment);
  }

  /** After a failed flush: what waited does not exist. */
  dropWaiting(draft: FrameDraft): void {
    for (const { id } of draft.blobs) this.#waiting.delete(id);
  }

  /** Null for what is no id: nothing is stored under it. */
  #table(id: BlobId): BlobTable | null {
    switch (id.length) {
      case 40:
        return this.sha1;
      case 64:
        return this.sha256;
      default:
        return null;
    }
  }
}
