// What the Log contract is given: one store to open again and again, and the words its tests are written in.

import { afterEach, beforeEach } from "vitest";
import { asBlobId, asPosition, type Position } from "../../base/ids.ts";
import { type Result, unwrap } from "../../base/result.ts";
import type { BatchLimits } from "../../log/encode-batch.ts";
import type { Batch, Log, NewBlob, NewRecord, OpenError, StoredRecord } from "../../log/log.ts";

export interface LogUnderTest {
  /** Opens the store for writing; the same store each time. */
  open(limits?: BatchLimits): Promise<Result<Log, OpenError>>;
  /** Lets the host's time pass until `work` settles. */
  run<T>(work: Promise<T>): Promise<T>;
  dispose(): Promise<void>;
}

export type MakeLog = () => Promise<LogUnderTest>;

export interface OpenStore {
  /** The store, opened once before the test; closed after it. */
  readonly log: Log;
  reopen(limits?: BatchLimits): Promise<Log>;
  open(): Promise<Result<Log, OpenError>>;
}

/** Gives each test a new store; the test's body runs inside the store's host. */
export function freshStore(make: MakeLog): (body: (store: OpenStore) => Promise<void>) => Promise<void> {
  let current: LogUnderTest;
  beforeEach(async () => {
    current = await make();
  });
  afterEach(() => current.dispose());
  return (body) => current.run(withStore(current, body));
}

async function withStore(current: LogUnderTest, body: (store: OpenStore) => Promise<void>): Promise<void> {
  let log = unwrap(await current.open(), "open");
  await body({
    log,
    open: () => current.open(),
    async reopen(limits) {
      await log.close();
      log = unwrap(await current.open(limits), "reopen");
      return log;
    },
  });
  await log.close();
}

export const at = asPosition;

export function record(data: unknown): NewRecord {
  return { type: "thing_happened", version: 1, atMs: 1_790_000_000_000, data };
}

export function records(...data: readonly unknown[]): Batch {
  return { records: data.map(record), blobs: [] };
}

export function blobs(...list: readonly NewBlob[]): Batch {
  return { records: [], blobs: list };
}

export function storedRecord(position: number, data: unknown): StoredRecord {
  return { ...record(data), position: at(position) };
}

export async function readAll(log: Log, from: Position = at(0)): Promise<readonly StoredRecord[]> {
  return collectRecords(log.read(from));
}

export async function collectRecords(source: AsyncIterable<StoredRecord>): Promise<readonly StoredRecord[]> {
  const all: StoredRecord[] = [];
  for await (const stored of source) all.push(stored);
  return all;
}

/** Ids as `git hash-object` prints them, the last in a repository of the SHA-256 format. */
export const EMPTY: NewBlob = { id: asBlobId("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"), bytes: new Uint8Array() };
export const HELLO: NewBlob = {
  id: asBlobId("ce013625030ba8dba906f756967f9e9ca394464a"),
  bytes: new TextEncoder().encode("hello\n"),
};
export const EMPTY_SHA256: NewBlob = {
  id: asBlobId("473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"),
  bytes: new Uint8Array(),
};
