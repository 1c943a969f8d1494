// What a checkpoint says of the log itself: the segments with their extents, and where the blobs are.

import { Packr } from "msgpackr";
import { list, natural, object, type Parsed, parse, text } from "../../base/parse.ts";
import { segmentsMax } from "../limits.ts";
import type { FoldImage } from "../log.ts";
import type { BlobIndex } from "./blob-index.ts";
import type { SectionPart } from "./checkpoint-files.ts";
import type { Segment } from "./segment.ts";
import type { Cursor } from "./walk.ts";

const packr = new Packr({ useRecords: false, copyBuffers: true, int64AsType: "number" });
const foldsMax = 1_000;
const marksMax = 1_000_000;
/** Parts of one page of blobs. */
export const partsOfPage = 4;

const cursor = object({ offset: natural(), sequence: natural(), position: natural() });
const summary = object({
  folds: list(object({ name: text(200), version: natural() }), foldsMax),
  segments: list(
    object({ number: natural(), edition: natural(), seed: natural(), marks: list(cursor, marksMax), end: cursor }),
    segmentsMax,
  ),
  sha1: natural(),
  sha256: natural(),
});

export type CheckpointSummary = Parsed<typeof summary>;
export type SavedSegment = CheckpointSummary["segments"][number];

export function summaryOf(bytes: Uint8Array): CheckpointSummary | null {
  const parsed = parse(summary, packr.unpack(bytes), "checkpoint");
  return parsed.ok && parsed.value.segments.length > 0 ? parsed.value : null;
}

/** What is there at the time of the call. The index must not move blobs while the parts are taken; it may get new ones. */
export function checkpointParts(
  segments: readonly Segment[],
  index: BlobIndex,
  folds: readonly FoldImage[],
): Iterable<SectionPart> {
  const rows = { sha1: index.sha1.rows, sha256: index.sha256.rows };
  const first = packr.pack({
    folds: folds.map(({ name, version }) => ({ name, version })),
    segments: segments.map(({ number, edition, seed, extent }) => ({
      number,
      edition,
      seed,
      marks: extent.marks.map(plainCursor),
      end: plainCursor(extent.end),
    })),
    ...rows,
  });
  const parts = function* (): Generator<SectionPart> {
    yield { section: 0, bytes: first };
    for (const bytes of index.sha1.parts(rows.sha1)) yield { section: 0, bytes };
    for (const bytes of index.sha256.parts(rows.sha256)) yield { section: 0, bytes };
    for (const [number, fold] of folds.entries()) for (const bytes of fold.parts) yield { section: number + 1, bytes };
  };
  return parts();
}

function plainCursor({ offset, sequence, position }: Cursor): Cursor {
  return { offset, sequence, position };
}
