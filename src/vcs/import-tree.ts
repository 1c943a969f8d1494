// The import: blobs in batches of their own, then the whole tree and the history that comes with it: in one batch, or, where that is
// much, in several of which nothing is shown before the last. So a store has all of it or none.

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
import type { ImportError, ImportedCommit, ImportedTree } from "./vcs.ts";

/** Blobs gathered into one batch; one larger blob makes a batch alone. */
export const importBatchBytesMax = 8 * 1024 * 1024;
/** Blobs of one batch: bounds what empty and tiny files gather. */
export const importBatchBlobsMax = 5_000;

/** Of a history that comes in several batches, and of one that comes in one: far below what a batch may be, since sizes are estimated. */
export const historyBatchBytesMax = 4 * 1024 * 1024;
export const historyInOneBytesMax = 16 * 1024 * 1024;

/** Histories on their way, which nobody else's records may come between. */
const coming = new WeakMap<Ledger, Promise<unknown>>();

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
  // While the blobs were written, another import may have won, or be about to.
  for (let first = coming.get(ledger); first !== undefined; first = coming.get(ledger)) await first;
  const other = ledger.state(vcsFold).imported;
  if (other !== null) return err({ kind: "already-imported", position: other.position });
  const entries = [...tree.entries];
  const { batches, commits } = batchesOf(tree);
  const record = vcsRecord(clock.now(), "import", {
    source: tree.source,
    object_format: tree.objectFormat,
    paths: entries.map(([path]) => path),
    modes: entries.map(([, { mode }]) => mode),
    blobs: entries.map(([, { blob }]) => blob),
    coming: batches.length > 1 ? commits : 0,
  });
  const position = asPosition(ledger.end + 1);
  const appending = appendAll(ledger, record, batches);
  coming.set(ledger, appending);
  const appended = await appending.finally(() => coming.delete(ledger));
  return appended.ok ? ok(position) : appended;
}

type Batches = readonly (readonly ImportedCommit[])[];

/** One where it is not much. */
function batchesOf({ history }: ImportedTree): { readonly batches: Batches; readonly commits: number } {
  const commits = history?.commits ?? [];
  const batches: ImportedCommit[][] = [];
  let [bytes, batch, batchBytes] = [0, [] as ImportedCommit[], 0];
  for (const commit of commits) {
    const own = bytesOf(commit);
    if (batch.length > 0 && batchBytes + own > historyBatchBytesMax) {
      batches.push(batch);
      [batch, batchBytes] = [[], 0];
    }
    batch.push(commit);
    bytes += own;
    batchBytes += own;
  }
  batches.push(batch);
  return { batches: bytes <= historyInOneBytesMax ? [commits] : batches, commits: commits.length };
}

/** No less than the record has. */
function bytesOf({ author, message, changes }: ImportedCommit): number {
  let bytes = 1_000 + 3 * (author.length + message.length);
  for (const { path } of changes) bytes += 150 + 3 * path.length;
  return bytes;
}

async function appendAll(ledger: Ledger, first: NewRecord, batches: Batches): Promise<Result<void, AppendError>> {
  if (batches.length > 1) {
    const begun = await ledger.append({ records: [first], blobs: [] });
    if (!begun.ok) return begun;
  }
  const commits = batches.reduce((sum, batch) => sum + batch.length, 0);
  for (const [number, batch] of batches.entries()) {
    const begin = batches.length === 1 ? [first] : [];
    const from = ledger.end + begin.length;
    const records = [...begin, ...batch.map((commit, index) => historyRecord(commit, asPosition(from + index)))];
    const last = number === batches.length - 1 ? batch.at(-1) : undefined;
    if (last !== undefined) {
      records.push(vcsRecord(last.atMs, "import_history", { commit: last.id, tree: last.tree, commits }));
    }
    const appended = await ledger.append({ records, blobs: [] });
    if (!appended.ok) return appended;
  }
  return ok(undefined);
}

/** Each commit is made from the snapshot before it. Its key is git's id of it: nobody else's commit has that meaning. */
function historyRecord({ id, author, atMs, message, changes }: ImportedCommit, base: Position): NewRecord {
  return commitRecord(atMs, {
    key: asCommitKey(`git:${id}`),
    digest: createHash("sha256").update(id).digest("hex"),
    base,
    author: { agent: asAgentId(author), task: importTask },
    message,
    changes,
    merged: [],
    resolves: null,
    discarded: [],
    moved: [],
  });
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
