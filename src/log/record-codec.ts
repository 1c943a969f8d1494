// A record as bytes: the msgpack array [type, version, atMs, data]. Its position is not stored: it follows from the frame.
// What a reader gets from `decodeRecord` is the truth; `asReplayed` gives it to a caller before the record was ever read.

import { Packr } from "msgpackr";
import { assert } from "../base/assert.ts";
import { asPosition, type Position } from "../base/ids.ts";
import type { NewRecord, StoredRecord } from "./log.ts";

// Plain maps and arrays only, so that any msgpack reader understands a log; copied bytes, so that one small value does
// not keep a whole read buffer alive.
const packr = new Packr({ useRecords: false, copyBuffers: true, int64AsType: "number" });

export function encodeRecord(record: NewRecord): Uint8Array {
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

/** The records as a later replay will give them: copies, in which whatever msgpack cannot carry is already gone. */
export function asReplayed(records: readonly NewRecord[], first: Position): readonly StoredRecord[] {
  return records.map((record, index) => {
    const replayed = decodeRecord(encodeRecord(record), asPosition(first + index));
    assert(replayed !== null, `a record of type ${record.type} can be read back`);
    return replayed;
  });
}

function unpack(bytes: Uint8Array): unknown {
  try {
    return packr.unpack(bytes);
  } catch {
    return null;
  }
}
