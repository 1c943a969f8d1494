// A record as bytes: the msgpack array [type, version, atMs, data]. Its position is not stored: it follows from the frame.
// What a reader gets from `decodeRecord` is the truth; `asReplayed` gives it to a caller before the record was ever read.

import { Packr } from "msgpackr";
import { assert } from "../base/assert.ts";
import { asPosition, type Position } from "../base/ids.ts";
import type { NewRecord, StoredRecord } from "./log.ts";

// Plain maps and arrays only, so that any msgpack reader understands a log; copied bytes, so that one small value does
// not keep a whole read buffer alive.
const packr = new Packr({ useRecords: false, copyBuffers: true, int64AsType: "number" });

/**
 * A record that knows what a replay will give for it, since nothing of its data is beyond what msgpack carries: only
 * well-formed strings, safe integers, null, booleans, arrays and plain objects, none of which change any more.
 */
export abstract class ExactRecord implements NewRecord {
  abstract readonly type: string;
  abstract readonly version: number;
  abstract readonly atMs: number;
  abstract readonly data: unknown;
  abstract storedAt(position: Position): StoredRecord;
  /** Bytes that `decodeRecord` reads as this record; with `passing` good only until the next record is encoded. */
  abstract encode(passing: boolean): Uint8Array;
}

/** A record that is bytes already, so that nobody encodes it again. */
class PackedRecord implements NewRecord {
  readonly type: string;
  readonly version: number;
  readonly atMs: number;
  readonly data: unknown;
  readonly bytes: Uint8Array;

  constructor({ type, version, atMs, data }: NewRecord, bytes: Uint8Array) {
    this.type = type;
    this.version = version;
    this.atMs = atMs;
    this.data = data;
    this.bytes = bytes;
  }
}

/** With `passing` the bytes may be good only until the next record is encoded: for who copies them at once. */
export function encodeRecord(record: NewRecord, passing = false): Uint8Array {
  if (record instanceof PackedRecord) return record.bytes;
  if (record instanceof ExactRecord) return record.encode(passing);
  assert(record.type !== "", "a record has a type");
  assert(Number.isSafeInteger(record.version) && record.version >= 1, "a record's version counts from 1");
  assert(Number.isSafeInteger(record.atMs), "a record's time is in whole milliseconds");
  return packr.pack([record.type, record.version, record.atMs, record.data]);
}

/** Null if the bytes are not those of a record. */
export function decodeRecord(bytes: Uint8Array, position: Position): StoredRecord | null {
  const fields = unpack(bytes);
  if (!Array.isArray(fields) || fields.length !== 4) return null;
  const [type, version, atMs, data]: readonly unknown[] = fields;
  if (typeof type !== "string" || typeof version !== "number" || typeof atMs !== "number") return null;
  return { position, type, version, atMs, data };
}

export interface Replayed {
  /** The same records, none of which is encoded more than once. */
  readonly packed: readonly NewRecord[];
  /** As a later replay will give them: copies, in which whatever msgpack cannot carry is already gone. */
  readonly stored: readonly StoredRecord[];
}

export function asReplayed(records: readonly NewRecord[], first: Position): Replayed {
  const [only] = records;
  // Nearly every batch.
  if (records.length === 1 && only instanceof ExactRecord) return { packed: records, stored: [only.storedAt(first)] };
  const packed: NewRecord[] = [];
  const stored: StoredRecord[] = [];
  for (const record of records) {
    const position = asPosition(first + packed.length);
    if (record instanceof ExactRecord) {
      packed.push(record);
      stored.push(record.storedAt(position));
      continue;
    }
    const bytes = encodeRecord(record);
    const replayed = decodeRecord(bytes, position);
    assert(replayed !== null, `a record of type ${record.type} can be read back`);
    packed.push(new PackedRecord(record, bytes));
    stored.push(replayed);
  }
  return { packed, stored };
}

function unpack(bytes: Uint8Array): unknown {
  try {
    return packr.unpack(bytes);
  } catch {
    return null;
  }
}
