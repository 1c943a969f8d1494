// What a commit may hold, whatever its task: sizes, counts, names, ids. Each refusal is a sentence for an agent to act on.

import type { RepoPath } from "../base/ids.ts";
import { isBlobOf, type ObjectFormat, objectFormatOf } from "../log/blob-id.ts";
import type { Ledger } from "../log/ledger.ts";
import type { NewBlob } from "../log/log.ts";
import { parseRepoPath } from "./path.ts";
import type { Imported } from "./state.ts";
import { contradictions } from "./tree-shape.ts";
import type { Change, CommitRequest } from "./types.ts";

const MIB = 1024 * 1024;

export interface VcsLimits {
  readonly fileBytesMax: number;
  /** All blobs of one commit together; one batch of the log must hold them beside the merged ones. */
  readonly commitBytesMax: number;
  readonly commitPathsMax: number;
  readonly messageCharsMax: number;
}

export const vcsLimits: VcsLimits = {
  fileBytesMax: 10 * MIB,
  commitBytesMax: 32 * MIB,
  commitPathsMax: 20_000,
  messageCharsMax: 50_000,
};

export interface Refusal {
  readonly kind: "refused";
  readonly policy: string;
  readonly reason: string;
}

export interface StoreView {
  readonly ledger: Ledger;
  readonly imported: Imported | null;
  readonly limits: VcsLimits;
}

/** The first reason against the request that does not depend on what others commit; null if there is none. */
export function checkLimits(request: CommitRequest, store: StoreView): Refusal | null {
  const { imported, limits } = store;
  if (imported === null) return refusal("base", "The store has no tree yet: nothing has been imported.");
  return (
    checkBase(request, store.ledger, imported) ??
    checkCounts(request, limits) ??
    checkPaths(request.changes) ??
    checkBlobs(request, store, imported.objectFormat)
  );
}

/** The contents that the changes name: what else was sent along is not stored. */
export function namedBlobs({ changes, blobs }: CommitRequest): readonly NewBlob[] {
  const named = new Set(
    changes.map((change) => (change.kind === "put" && change.mode !== "160000" ? change.blob : null)),
  );
  const byId = new Map(blobs.filter(({ id }) => named.has(id)).map((blob) => [blob.id, blob]));
  return [...byId.values()];
}

function checkBase({ base }: CommitRequest, { end }: Ledger, imported: Imported): Refusal | null {
  if (base > end) return refusal("base", `Snapshot ${base} does not exist yet: the head is at ${end}.`);
  if (base >= imported.position) return null;
  return refusal("base", `Snapshot ${base} is older than the imported tree, which begins at ${imported.position}.`);
}

function checkCounts({ changes, message }: CommitRequest, limits: VcsLimits): Refusal | null {
  if (changes.length > limits.commitPathsMax) {
    return refusal(
      "paths",
      `The commit changes ${changes.length} paths; at most ${limits.commitPathsMax} go into one.`,
    );
  }
  if (message.length > limits.messageCharsMax) {
    return refusal(
      "message",
      `The message has ${message.length} characters; at most ${limits.messageCharsMax} are kept.`,
    );
  }
  return null;
}

function checkPaths(changes: readonly Change[]): Refusal | null {
  const seen = new Set<RepoPath>();
  for (const { path } of changes) {
    const parsed = parseRepoPath(path);
    if (!parsed.ok) return refusal("path", `${JSON.stringify(path)}: ${parsed.error.reason}`);
    if (seen.has(path)) return refusal("changes", `${path} is changed twice in one commit.`);
    seen.add(path);
  }
  const [both] = contradictions(changes.filter(({ kind }) => kind === "put").map(({ path }) => path));
  return both === undefined
    ? null
    : refusal("changes", `${both.by} cannot be a file: the commit also puts ${both.path}.`);
}

function checkBlobs(request: CommitRequest, { ledger, limits }: StoreView, format: ObjectFormat): Refusal | null {
  const given = new Map(request.blobs.map((blob) => [blob.id, blob.bytes]));
  const checked = new Set<string>();
  let total = 0;
  for (const change of request.changes) {
    if (change.kind !== "put") continue;
    const { path, blob, mode } = change;
    if (objectFormatOf(blob) !== format) return refusal("blob", `${path}: "${blob}" is not a ${format} object id.`);
    // A submodule's id is a commit of another repository.
    if (mode === "160000" || checked.has(blob)) continue;
    checked.add(blob);
    const bytes = given.get(blob);
    if (bytes === undefined) {
      if (ledger.log.hasBlob(blob)) continue;
      return refusal("missing-blob", `${path}: the content ${blob} was not sent and is not in the store.`);
    }
    if (bytes.byteLength > limits.fileBytesMax) return refusal("bytes", tooLarge(path, bytes.byteLength, limits));
    if (!isBlobOf(blob, bytes)) return refusal("blob", `${path}: the bytes sent are not those of ${blob}.`);
    total += bytes.byteLength;
  }
  if (total <= limits.commitBytesMax) return null;
  const sizes = `${mebibytes(total)} of new content; at most ${mebibytes(limits.commitBytesMax)} go into one`;
  return refusal("bytes", `The commit holds ${sizes}. Split it into several commits.`);
}

function tooLarge(path: RepoPath, bytes: number, { fileBytesMax }: VcsLimits): string {
  const sizes = `${mebibytes(bytes)} large; files over ${mebibytes(fileBytesMax)} are not committed`;
  return `${path} is ${sizes}. Remove it or add it to .gitignore, then commit the rest again.`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}

export function refusal(policy: string, reason: string): Refusal {
  return { kind: "refused", policy, reason };
}
