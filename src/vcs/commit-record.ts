// A landed commit's record on its short way: nearly all records of a store are such, so that they are encoded by hand and need no
// reading back. The bytes are those of any other record: `commit-record.test.ts` reads them with the ordinary decoder.

import { Packr } from "msgpackr";
import type { Position } from "../base/ids.ts";
import { headBytesMax, MsgpackWriter, textBytesMax } from "../base/msgpack-writer.ts";
import type { StoredRecord } from "../log/log.ts";
import { ExactRecord } from "../log/record-codec.ts";
import type { VcsRecord, VcsRecordData } from "./records.ts";

type CommitData = VcsRecordData<"commit">;
type OwnCommit = Extract<VcsRecord, { readonly type: "commit" }>;

/** Texts are well-formed, and the record names no merges, no conflict that it resolves, no sides left out and nothing moved. */
export class NewCommit extends ExactRecord {
  readonly type = "commit";
  readonly version: number;
  readonly atMs: number;
  readonly data: CommitData;

  constructor(version: number, atMs: number, data: CommitData) {
    super();
    this.version = version;
    this.atMs = atMs;
    this.data = data;
  }

  storedAt(at: Position): StoredRecord {
    return new StoredCommit(at, this);
  }

  encode(passing: boolean): Uint8Array {
    const bytesMax = recordBytesMax(this.data);
    const into = passing && bytesMax <= scratch.length ? scratch : Buffer.allocUnsafe(bytesMax);
    const writer = new MsgpackWriter(into);
    writer.raw(START);
    writer.natural(this.version);
    writer.natural(this.atMs);
    writeData(writer, this.data);
    return into.subarray(0, writer.length);
  }
}

/** What a replay gives for the record: the same fields. */
export class StoredCommit implements StoredRecord {
  readonly type = "commit";
  readonly position: Position;
  readonly version: number;
  readonly atMs: number;
  readonly own: OwnCommit;

  constructor(at: Position, { type, version, atMs, data }: NewCommit) {
    this.position = at;
    this.version = version;
    this.atMs = atMs;
    this.own = { type, data };
  }

  get data(): CommitData {
    return this.own.data;
  }
}

const scratch = Buffer.allocUnsafeSlow(64 * 1024);

const packr = new Packr({ useRecords: false });
/** Texts, and maps' heads with the names of the fields before the next value. */
const textOf = (text: string): Buffer => Buffer.from(packr.pack(text));
const mapOf = (fields: number, ...parts: readonly (Buffer | string)[]): Buffer =>
  Buffer.concat([
    Buffer.from([0x80 | fields]),
    ...parts.map((part) => (typeof part === "string" ? textOf(part) : part)),
  ]);
const START = Buffer.concat([Buffer.from([0x94]), textOf("commit")]);
const DATA = mapOf(10, "key");
const DIGEST = textOf("digest");
const BASE = textOf("base");
const AUTHOR = Buffer.concat([textOf("author"), mapOf(2, "agent")]);
const TASK = textOf("task");
const MESSAGE = textOf("message");
const CHANGES = textOf("changes");
const PUT = mapOf(4, "kind", "put", "path");
const BLOB = textOf("blob");
const MODE = textOf("mode");
const DELETE = mapOf(2, "kind", "delete", "path");
const EMPTY = Buffer.from([0x90]);
const END = Buffer.concat([
  textOf("merged"),
  EMPTY,
  textOf("resolves"),
  Buffer.from([0xc0]),
  textOf("discarded"),
  EMPTY,
  textOf("moved"),
  EMPTY,
]);

function writeData(writer: MsgpackWriter, { key, digest, base, author, message, changes }: CommitData): void {
  writer.raw(DATA);
  writer.text(key);
  writer.raw(DIGEST);
  writer.text(digest);
  writer.raw(BASE);
  writer.natural(base);
  writer.raw(AUTHOR);
  writer.text(author.agent);
  writer.raw(TASK);
  writer.text(author.task);
  writer.raw(MESSAGE);
  writer.text(message);
  writer.raw(CHANGES);
  writer.array(changes.length);
  for (const change of changes) {
    writer.raw(change.kind === "put" ? PUT : DELETE);
    writer.text(change.path);
    if (change.kind === "delete") continue;
    writer.raw(BLOB);
    writer.text(change.blob);
    writer.raw(MODE);
    writer.text(change.mode);
  }
  writer.raw(END);
}

/** Above what the names of the fields and the heads of a record, or of one change, take. */
const fixedBytesMax = 256;

function recordBytesMax({ key, digest, author, message, changes }: CommitData): number {
  let bytes = fixedBytesMax + 4 * headBytesMax;
  for (const text of [key, digest, author.agent, author.task, message]) bytes += textBytesMax(text);
  for (const change of changes) {
    bytes += fixedBytesMax + textBytesMax(change.path) + (change.kind === "put" ? textBytesMax(change.blob) : 0);
  }
  return bytes;
}
