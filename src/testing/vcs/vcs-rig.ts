// A VCS over a log in memory, with files written as texts: what the tests of the VCS are made of.

import { createHash } from "node:crypto";
import {
  asAgentId,
  asBlobId,
  asCommitKey,
  asPosition,
  asTaskId,
  type ConflictId,
  type Position,
  type RepoPath,
} from "../../base/ids.ts";
import { unwrap } from "../../base/result.ts";
import type { Clock } from "../../host/clock.ts";
import { blobIdOf } from "../../log/blob-id.ts";
import { type Ledger, openLedger } from "../../log/ledger.ts";
import type { Log, NewBlob, NewRecord, StoredRecord } from "../../log/log.ts";
import { openVcs, type VcsOptions } from "../../vcs/engine.ts";
import { vcsFold } from "../../vcs/fold.ts";
import type { VcsState } from "../../vcs/state.ts";
import type {
  Author,
  Change,
  CommitOutcome,
  CommitRequest,
  Entry,
  LandedCommit,
  Mode,
  SettledOutcome,
} from "../../vcs/types.ts";
import type { Vcs } from "../../vcs/vcs.ts";
import { type MemoryLog, memoryLog } from "../log/memory-log.ts";

/** A file as a test writes it; null deletes. */
export type FileText = string | { readonly text: string | Uint8Array; readonly mode: Mode } | null;
export type FileTexts = Readonly<Record<string, FileText>>;

export interface Rig {
  readonly log: MemoryLog;
  readonly ledger: Ledger;
  readonly vcs: Vcs;
}

export interface RigOptions extends Partial<Omit<VcsOptions, "ledger">> {
  readonly log?: MemoryLog;
  /** What stands between the log and the ledger. */
  readonly around?: (log: MemoryLog) => Log;
}

export const rigAtMs = 1_800_000_000_000;

export async function openRig({ log = memoryLog(), around = () => log, ...options }: RigOptions = {}): Promise<Rig> {
  const ledger = await openLedger(around(log), [vcsFold]);
  return { log, ledger, vcs: openVcs({ ledger, policies: [], clock: stillClock, ...options }) };
}

/** A rig whose store begins with these files, at snapshot 1. */
export async function rigWith(files: FileTexts, options: RigOptions = {}): Promise<Rig> {
  const rig = await openRig(options);
  await importFiles(rig.vcs, files);
  return rig;
}

export async function importFiles(vcs: Vcs, files: FileTexts): Promise<Position> {
  const { changes, blobs } = written(files);
  const entries = new Map<RepoPath, Entry>();
  for (const change of changes) {
    if (change.kind === "put") entries.set(change.path, { blob: change.blob, mode: change.mode });
  }
  const source = { repository: "/repository", branch: "main", commit: "0".repeat(40), tree: "1".repeat(40) };
  return unwrap(await vcs.importTree({ source, objectFormat: "sha1", entries, blobs: [blobs] }), "import");
}

export interface Wish {
  /** The agent's and the task's number: `1` is agent a1 of task t1. */
  readonly by: number;
  readonly base: number;
  readonly files: FileTexts;
  readonly key?: string;
  readonly message?: string;
  readonly resolves?: ConflictId;
  readonly reason?: string;
  readonly attach?: (outcome: SettledOutcome) => readonly NewRecord[];
}

let keys = 0;

export function request({ by, base, files, key, message, ...rest }: Wish): CommitRequest {
  keys += 1;
  return {
    key: asCommitKey(key ?? `key-${keys}`),
    base: asPosition(base),
    author: author(by),
    message: message ?? `change by a${by}`,
    ...written(files),
    ...rest,
  };
}

export async function commit({ vcs }: Rig, wish: Wish): Promise<CommitOutcome> {
  return unwrap(await vcs.commit(request(wish)), "commit");
}

export function author(number: number): Author {
  return { agent: asAgentId(`a${number}`), task: asTaskId(`t${number}`) };
}

/** What a file written by a test has as its entry. */
export function entryFor(file: FileText): Entry | null {
  if (file === null) return null;
  if (typeof file === "string") return { blob: idOf(file), mode: "100644" };
  if (file.mode === "160000") return { blob: asBlobId(String(file.text)), mode: file.mode };
  return { blob: idOf(file.text), mode: file.mode };
}

/** Every file of a snapshot by path, executable and other special ones as `mode:text`. */
export async function tree({ vcs }: Rig, at: number = vcs.head()): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const [path, { blob, mode }] of vcs.manifest(asPosition(at))) {
    const text = mode === "160000" ? blob : Buffer.from((await vcs.blobs.get([blob]))[0] ?? []).toString();
    texts[path] = mode === "100644" ? text : `${mode}:${text}`;
  }
  return texts;
}

/** Every landed commit that is durable. */
export function commitsOf({ vcs }: Rig): Promise<readonly LandedCommit[]> {
  return listed(vcs.history());
}

/** All of a state as bytes, one digest: two states are the same where these are. */
export function imageOf(state: VcsState): string {
  const hash = createHash("sha256");
  for (const part of vcsFold.codec?.save(state) ?? []) hash.update(`${part.length} `).update(part);
  return hash.digest("hex");
}

/** Every durable record. */
export async function recordsOf({ ledger }: Rig): Promise<readonly StoredRecord[]> {
  const records: StoredRecord[] = [];
  for await (const record of ledger.replay(asPosition(0))) records.push(record);
  return records;
}

export function asPath(text: string): RepoPath {
  return text as RepoPath;
}

/** All of a history. */
export async function listed(commits: AsyncIterable<LandedCommit>): Promise<readonly LandedCommit[]> {
  const all: LandedCommit[] = [];
  for await (const commit of commits) all.push(commit);
  return all;
}

export const stillClock: Clock = {
  now: () => rigAtMs,
  monotonicMs: () => 0,
  sleep: () => Promise.resolve(),
  after: () => ({ cancel: () => undefined }),
};

function written(files: FileTexts): { readonly changes: readonly Change[]; readonly blobs: readonly NewBlob[] } {
  const changes: Change[] = [];
  const blobs: NewBlob[] = [];
  for (const [name, file] of Object.entries(files)) {
    const path = asPath(name);
    const entry = entryFor(file);
    changes.push(entry === null ? { kind: "delete", path } : { kind: "put", path, ...entry });
    if (file === null || entry === null || entry.mode === "160000") continue;
    blobs.push({ id: entry.blob, bytes: Buffer.from(typeof file === "string" ? file : file.text) });
  }
  return { changes, blobs };
}

function idOf(text: string | Uint8Array) {
  return blobIdOf(Buffer.from(text), "sha1");
}
