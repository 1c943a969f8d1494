// What can become of a commit: the members of a plan.

import type { ConflictId } from "../base/ids.ts";
import type { NewBlob } from "../log/log.ts";
import type { Need } from "./merges.ts";
import type { Change, Conflict, ConflictPath, MergedPath, Moved } from "./types.ts";

export type Plan =
  /** Not decidable before these are computed. */
  | { readonly kind: "merge"; readonly needs: readonly Need[] }
  | { readonly kind: "land"; readonly landing: Landing }
  | { readonly kind: "unchanged" }
  | { readonly kind: "conflict"; readonly paths: readonly ConflictPath[] }
  | { readonly kind: "join"; readonly conflict: ConflictId; readonly paths: readonly ConflictPath[] }
  /** A resolution that is what the head already holds: the object closes without a commit. */
  | { readonly kind: "close"; readonly conflict: ConflictId }
  /** The object has changed under its resolution; `paths` are its new sides, null if it has them already. */
  | { readonly kind: "stale"; readonly conflict: ConflictId; readonly paths: readonly ConflictPath[] | null }
  | { readonly kind: "refuse"; readonly policy: string; readonly reason: string };

export interface Landing {
  readonly changes: readonly Change[];
  readonly merged: readonly MergedPath[];
  readonly mergedBlobs: readonly NewBlob[];
  readonly moved: readonly Moved[];
  /** The open conflict that this commit resolves. */
  readonly resolves: Conflict | null;
}
