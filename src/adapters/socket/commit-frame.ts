// A commit as a frame's body: length of the data (u32, little-endian), data (one msgpack array), then each content as the log's
// frames hold it: length of the id (u8), id, length (u32), bytes. Contents are never copied into the data, nor out of the body.

import { isHexAt } from "../../base/hex.ts";
import {
  type AgentId,
  asBlobId,
  asPosition,
  type BlobId,
  type CommitKey,
  type ConflictId,
  type RepoPath,
  type TaskId,
} from "../../base/ids.ts";
import { MsgpackReader } from "../../base/msgpack-reader.ts";
import { headBytesMax, MsgpackWriter } from "../../base/msgpack-writer.ts";
import { parse } from "../../base/parse.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { NewBlob } from "../../log/log.ts";
import { discardedSides } from "../../vcs/records.ts";
import type { Change, CommitOutcome, CommitRequest, DiscardedSide, Mode } from "../../vcs/types.ts";
import { FRAME, frameHeaderBytes, packFrame, packValue, writeFrameHead } from "./frame.ts";

/** What a client can ask for: what else a request may hold (records that go with it) is the server's own. */
export type WireCommit = Omit<CommitRequest, "attach" | "bases">;

const MODES: readonly Mode[] = ["100644", "100755", "120000", "160000"];
/** In the place of a mode: the path is deleted. */
const DELETED = -1;

const idCharsMax = 1_000;
const messageCharsMax = 1_000_000;
const pathCharsMax = 4_096;
const discardedCharsMax = 16_000_000;
/** Above what any store's own limit lets in, so that the store is the one to say why not. */
const changesMax = 1_000_000;

/** Key, base, agent, task, message, conflict resolved, reason, paths read, changes, sides left out. */
const FIELDS = 10;
/** Path, mode, id of each change. */
const COLUMNS = 3;

export function commitFrame(id: number, commit: WireCommit): Buffer {
  const { key, base, author, message, resolves, reason, reads, changes, discarded = [], blobs } = commit;
  const columns: (string | number | Uint8Array | null)[] = [];
  for (const change of changes) {
    if (change.kind === "put") columns.push(change.path, MODES.indexOf(change.mode), Buffer.from(change.blob, "hex"));
    else columns.push(change.path, DELETED, null);
  }
  const head = [key, base, author.agent, author.task, message, resolves ?? null, reason ?? null, reads ?? [], columns];
  // Rare, and checked as any other message.
  const data = packValue([...head, discarded.length === 0 ? null : JSON.stringify(discarded)]);
  let bytes = 4 + data.length;
  for (const blob of blobs) bytes += 1 + blob.id.length / 2 + 4 + blob.bytes.byteLength;
  const frame = Buffer.allocUnsafe(frameHeaderBytes + bytes);
  writeFrameHead(frame, { bytes, kind: FRAME.commit, id });
  let at = frame.writeUInt32LE(data.length, frameHeaderBytes);
  frame.set(data, at);
  at += data.length;
  for (const blob of blobs) {
    at = frame.writeUInt8(blob.id.length / 2, at);
    at += frame.write(blob.id, at, "hex");
    at = frame.writeUInt32LE(blob.bytes.byteLength, at);
    frame.set(blob.bytes, at);
    at += blob.bytes.byteLength;
  }
  return frame;
}

/** The contents are views of the body. An error says in words what is wrong with it. */
export function readCommitBody(body: Buffer): Result<WireCommit, string> {
  if (body.length < 4) return err("a commit's frame is too short");
  const end = 4 + body.readUInt32LE(0);
  if (end > body.length) return err("a commit's frame ends inside its data");
  const reader = new MsgpackReader(body, 4, end);
  const commit = readFields(reader);
  if (commit === null || reader.at !== end) return err("a commit's data does not have the form of this protocol");
  const blobs = readBlobs(body, end, commit.changes);
  return blobs === null ? err("a commit's frame ends inside a content") : ok({ ...commit, blobs });
}

function readFields(reader: MsgpackReader): Omit<WireCommit, "blobs"> | null {
  if (reader.array() !== FIELDS) return null;
  const key = reader.text(idCharsMax);
  const base = reader.integer();
  const agent = reader.text(idCharsMax);
  const task = reader.text(idCharsMax);
  const message = reader.text(messageCharsMax);
  if (key === null || base === null || agent === null || task === null || message === null) return null;
  const resolves = reader.takesNull() ? undefined : reader.text(idCharsMax);
  const reason = reader.takesNull() ? undefined : reader.text(messageCharsMax);
  if (resolves === null || reason === null) return null;
  const paths = readPaths(reader);
  const changes = paths === null ? null : readChanges(reader);
  if (paths === null || changes === null) return null;
  const discarded = reader.takesNull() ? [] : readDiscarded(reader.text(discardedCharsMax));
  if (discarded === null) return null;
  const author = { agent: agent as AgentId, task: task as TaskId };
  const commit = { key: key as CommitKey, base: asPosition(base), author, message, changes };
  if (resolves === undefined && reason === undefined && paths.length === 0 && discarded.length === 0) return commit;
  return {
    ...commit,
    ...(resolves === undefined ? {} : { resolves: resolves as ConflictId }),
    ...(reason === undefined ? {} : { reason }),
    ...(paths.length === 0 ? {} : { reads: paths }),
    ...(discarded.length === 0 ? {} : { discarded }),
  };
}

function readDiscarded(json: string | null): readonly DiscardedSide[] | null {
  try {
    const parsed = json === null ? null : parse(discardedSides, JSON.parse(json), "sides");
    return parsed?.ok === true ? parsed.value : null;
  } catch {
    return null;
  }
}

/** Whether they are paths of a repository is the store's question: it refuses them with a reason. */
function readPaths(reader: MsgpackReader): readonly RepoPath[] | null {
  const count = reader.array();
  if (count === null || count > changesMax) return null;
  const paths: RepoPath[] = [];
  for (let index = 0; index < count; index += 1) {
    const path = reader.text(pathCharsMax);
    if (path === null) return null;
    paths.push(path as RepoPath);
  }
  return paths;
}

function readChanges(reader: MsgpackReader): readonly Change[] | null {
  const values = reader.array();
  if (values === null || values % COLUMNS !== 0 || values > changesMax * COLUMNS) return null;
  const changes: Change[] = [];
  for (let left = values; left > 0; left -= COLUMNS) {
    const path = reader.text(pathCharsMax);
    const code = reader.integer(true);
    if (path === null || code === null) return null;
    if (code === DELETED) {
      if (!reader.takesNull()) return null;
      changes.push({ kind: "delete", path: path as RepoPath });
      continue;
    }
    const mode = MODES[code];
    const bytes = reader.binary();
    if (mode === undefined || bytes === null || !isIdLength(bytes.length)) return null;
    const { start, length } = bytes;
    const blob = asBlobId(reader.bytes.toString("hex", start, start + length));
    changes.push({ kind: "put", path: path as RepoPath, blob, mode });
  }
  return changes;
}

function readBlobs(body: Buffer, from: number, changes: readonly Change[]): readonly NewBlob[] | null {
  const blobs: NewBlob[] = [];
  for (let at = from; at < body.length; ) {
    const idBytes = body[at] ?? 0;
    const start = at + 1 + idBytes + 4;
    if (!isIdLength(idBytes) || start > body.length) return null;
    const end = start + body.readUInt32LE(start - 4);
    if (end > body.length) return null;
    blobs.push({ id: idAt(body, at + 1, idBytes, changes[blobs.length]), bytes: body.subarray(start, end) });
    at = end;
  }
  return blobs;
}

/** Contents nearly always come in the order of their changes: then one text serves for both. */
function idAt(body: Buffer, start: number, length: number, likely: Change | undefined): BlobId {
  if (likely?.kind === "put" && likely.blob.length === 2 * length && isHexAt(body, start, likely.blob))
    return likely.blob;
  return asBlobId(body.toString("hex", start, start + length));
}

function isIdLength(bytes: number): boolean {
  return bytes === 20 || bytes === 32;
}

/** What a commit is answered, as a frame. */
export function commitAnswerFrame(id: number, outcome: CommitOutcome): Buffer {
  const isPlain = outcome.kind === "landed" && outcome.merged.length === 0 && outcome.moved === undefined;
  if (!isPlain) return packFrame(FRAME.answer, id, outcome);
  const frame = Buffer.allocUnsafe(frameHeaderBytes + LANDED.length + headBytesMax + NOT_MERGED.length);
  const writer = new MsgpackWriter(frame, frameHeaderBytes);
  writer.raw(LANDED);
  writer.natural(outcome.position);
  writer.raw(NOT_MERGED);
  writeFrameHead(frame, { bytes: writer.length - frameHeaderBytes, kind: FRAME.answer, id });
  return frame.subarray(0, writer.length);
}

/** `{ kind: "landed", position: …, merged: [] }` around the position: nearly every answer. */
const LANDED = Buffer.concat([Buffer.from([0x83]), ...["kind", "landed", "position"].map(packValue)]);
const NOT_MERGED = Buffer.concat([packValue("merged"), packValue([])]);
