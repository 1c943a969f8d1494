// Puts an arbiter's answers in the place of conflict hunks. All or nothing: every hunk has exactly one answer, and no
// answer glues the line after it to its own last one.

import { err, ok, type Result } from "../../base/result.ts";
import type { Region } from "./merge.ts";

export type ApplyError =
  | { readonly kind: "missing-hunk"; readonly hunk: number }
  | { readonly kind: "unknown-hunk"; readonly hunk: number }
  /** The answer does not end its last line, though more of the file follows. */
  | { readonly kind: "unfinished-line"; readonly hunk: number };

const LF = 0x0a;

/** The whole file with each conflict hunk replaced by its answer; an empty answer leaves nothing in its place. */
export function applyHunks(
  regions: readonly Region[],
  answers: ReadonlyMap<number, Uint8Array>,
): Result<Uint8Array, ApplyError> {
  const hunks = new Set(regions.flatMap((region) => (region.kind === "conflict" ? [region.hunk] : [])));
  for (const hunk of answers.keys()) if (!hunks.has(hunk)) return err({ kind: "unknown-hunk", hunk });
  const parts: Uint8Array[] = [];
  let unfinished: number | null = null;
  for (const region of regions) {
    const part = region.kind === "clean" ? region.bytes : answers.get(region.hunk);
    if (part === undefined) {
      if (region.kind === "conflict") return err({ kind: "missing-hunk", hunk: region.hunk });
      continue;
    }
    if (part.length === 0) continue;
    if (unfinished !== null) return err({ kind: "unfinished-line", hunk: unfinished });
    if (region.kind === "conflict" && part.at(-1) !== LF) unfinished = region.hunk;
    parts.push(part);
  }
  return ok(Buffer.concat(parts));
}
