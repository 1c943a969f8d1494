// The import: blobs in batches of their own, then one batch with the whole tree and the history that comes with it, so that a store has all of it or none.

import { createHash } from "node:crypto";
import { asAgentId, asCommitKey, asPosition, asTaskId, type Position } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Clock } from "../host/clock.ts";
import { isBlobOf, objectFormatOf } from "../log/blob-id.ts";
import type { Ledger } from "../log/ledger.ts";
import type { AppendError, NewBlob, NewRecord } from "../log/log.ts";
import { vcsFold } from "./fold.ts";
import { parseRepoPath } from "./path.ts";
import { commitRecord, vcsRecord } from "./records.ts";
import { contradictions } from "./tree-shape.ts";
import type { ImportError, ImportedTree } from "./vcs.ts";

/** Blobs gathered into one batch; one larger blob makes a batch alone. */
export const importBatchBytesMax = 8 * 1024 * 1024;
/** Blobs of one batch: bounds what empty and tiny files gather. */
export const importBatchBlobsMax = 5_000;

/** Blobs of an import that then fails stay in the store without a name; a repeated import finds them. */
export async function importTree(
  ledger: Ledger,
  clock: Clock,
  tree: ImportedTree,
): Promise<Result<Position, ImportError>> {
  const { imported } = ledger.state(vcsFold);
  if (imported !== null) return err({ kind: "already-imported", position: imported.position });
  const stored = await storeBlobs(ledger, tree);
  if (!stored.ok) return stored;
  const problem = checkTree(ledger, tree);
  if (problem !== null) return err(problem);
  // While the blobs were written, another import may have won.
  const other = ledger.state(vcsFold).imported;
  if (other !== null) return err({ kind: "already-imported", position: other.position });
  const entries = [...tree.entries];
  const record = vcsRecord(clock.now(), "import", {
    source: tree.source,
    object_format: tree.objectFormat,
    paths: entries.map(([path]) => path),
    modes: entries.map(([, { mode }]) => mode),
    blobs: entries.map(([, { blob }]) => blob),
  });
  const position = asPosition(ledger.end + 1);
  const appended = await ledger.append({ records: [record, ...historyRecords(tree, position)], blobs: [] });
  return appended.ok ? ok(position) : appended;
}

/** Each commit is made from the snapshot before it. Its key is git's id of it: nobody else's commit has that meaning. */
function historyRecords({ history }: ImportedTree, first: Position): readonly NewRecord[] {
  const last = history?.commits.at(-1);
  if (history === undefined || last === undefined) return [];
  const commits = history.commits.map(({ id, author, atMs, message, changes }, index) =>
    commitRecord(atMs, {
      key: asCommitKey(`git:${id}`),
      digest: createHash("sha256").update(id).digest("hex"),
      base: asPosition(first + index),
      author: { agent: asAgentId(author), task: importTask },
      message,
      changes,
      merged: [],
      resolves: null,
      discarded: [],
      moved: [],
    }),
  );
  const { id: commit, tree, atMs } = last;
  return [...commits, vcsRecord(atMs, "import_history", { commit, tree, commits: commits.length })];
}

const importTask = asTaskId("import");

async function storeBlobs(ledger: Ledger, tree: ImportedTree): Promise<Result<void, ImportError>> {
  let waiting: NewBlob[] = [];
  let waitingIds = new Set<string>();
  let bytes = 0;
  const flush = async (): Promise<Result<void, AppendError>> => {
    const batch = waiting;
    [waiting, waitingIds, bytes] = [[], new Set(), 0];
    if (batch.length === 0) return ok(undefined);
    const appended = await ledger.append({ records: [], blobs: batch });
    return appended.ok ? ok(undefined) : appended;
  };
  for await (const group of tree.blobs) {
    for (const blob of group) {
      if (objectFormatOf(blob.id) !== tree.objectFormat || !isBlobOf(blob.id, blob.bytes)) {
        return err({ kind: "bad-blob", id: blob.id });
      }
      if (waitingIds.has(blob.id) || ledger.log.hasBlob(blob.id)) continue;
      if (bytes + blob.bytes.byteLength > importBatchBytesMax || waiting.length >= importBatchBlobsMax) {
        const flushed = await flush();
        if (!flushed.ok) return flushed;
      }
      waiting.push(blob);
      waitingIds.add(blob.id);
      bytes += blob.bytes.byteLength;
    }
  }
  return flush();
}

function checkTree(ledger: Ledger, { entries, objectFormat, history }: ImportedTree): ImportError | null {
  for (const change of history?.commits.flatMap(({ changes }) => changes) ?? []) {
    const parsed = parseRepoPath(change.path);
    if (!parsed.ok) return { kind: "bad-path", path: change.path, reason: parsed.error.reason };
    if (change.kind === "delete" || change.mode === "160000") continue;
    if (!ledger.log.hasBlob(change.blob)) return { kind: "missing-blob", path: change.path, id: change.blob };
  }
  for (const [path, { blob, mode }] of entries) {
    const parsed = parseRepoPath(path);
    if (!parsed.ok) return { kind: "bad-path", path, reason: parsed.error.reason };
    if (objectFormatOf(blob) !== objectFormat) return { kind: "bad-blob", id: blob };
    if (mode !== "160000" && !ledger.log.hasBlob(blob)) return { kind: "missing-blob", path, id: blob };
  }
  const [both] = contradictions(entries.keys());
  return both === undefined
    ? null
    : { kind: "bad-path", path: both.by, reason: `cannot be a file beside ${both.path}` };
}
