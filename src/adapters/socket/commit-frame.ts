// A commit as a frame's body: length of the data (u32, little-endian), data (one msgpack array), then each content as the log's
// frames hold it: length of the id (u8), id, length (u32), bytes. Contents are never copied into the data, nor out of the body.

import {
  type AgentId,
  asBlobId,
  asPosition,
  type CommitKey,
  type ConflictId,
  type RepoPath,
  type TaskId,
} from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { NewBlob } from "../../log/log.ts";
import type { Change, CommitRequest, Mode } from "../../vcs/types.ts";
import { FRAME, frameHeaderBytes, packValue, unpackBody, writeFrameHead } from "./frame.ts";

/** What a client can ask for: what else a request may hold (records that go with it) is the server's own. */
export type WireCommit = Omit<CommitRequest, "attach" | "discarded">;

const MODES: readonly Mode[] = ["100644", "100755", "120000", "160000"];
/** In the place of a mode: the path is deleted. */
const DELETED = -1;

const idCharsMax = 1_000;
const messageCharsMax = 1_000_000;
const pathCharsMax = 4_096;
/** Above what any store's own limit lets in, so that the store is the one to say why not. */
const changesMax = 1_000_000;

/** Key, base, agent, task, message, conflict resolved, reason, paths read, changes. */
const FIELDS = 9;
/** Path, mode, id of each change. */
const COLUMNS = 3;

export function commitFrame(id: number, commit: WireCommit): Buffer {
  const { key, base, author, message, resolves, reason, reads, changes, blobs } = commit;
  const columns: (string | number | Uint8Array | null)[] = [];
  for (const change of changes) {
    if (change.kind === "put") columns.push(change.path, MODES.indexOf(change.mode), Buffer.from(change.blob, "hex"));
    else columns.push(change.path, DELETED, null);
  }
  const head = [key, base, author.agent, author.task, message, resolves ?? null, reason ?? null, reads ?? [], columns];
  const data = packValue(head);
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
  const fields = unpackBody(body.subarray(4, end));
  if (!fields.ok) return err(`a commit's data is not msgpack: ${fields.error}`);
  const commit = readFields(fields.value);
  if (commit === null) return err("a commit's data does not have the form of this protocol");
  const blobs = readBlobs(body, end);
  return blobs === null ? err("a commit's frame ends inside a content") : ok({ ...commit, blobs });
}

function readFields(value: unknown): Omit<WireCommit, "blobs"> | null {
  if (!Array.isArray(value) || value.length !== FIELDS) return null;
  const [key, base, agent, task, message, resolves, reason, reads, columns]: readonly unknown[] = value;
  if (!isText(key, idCharsMax) || !isText(agent, idCharsMax) || !isText(task, idCharsMax)) return null;
  if (!isText(message, messageCharsMax) || !isPosition(base)) return null;
  if (resolves !== null && !isText(resolves, idCharsMax)) return null;
  if (reason !== null && !isText(reason, messageCharsMax)) return null;
  const paths = readPaths(reads);
  const changes = readChanges(columns);
  if (paths === null || changes === null) return null;
  return {
    key: key as CommitKey,
    base: asPosition(base),
    author: { agent: agent as AgentId, task: task as TaskId },
    message,
    changes,
    ...(resolves === null ? {} : { resolves: resolves as ConflictId }),
    ...(reason === null ? {} : { reason }),
    ...(paths.length === 0 ? {} : { reads: paths }),
  };
}

/** Whether they are paths of a repository is the store's question: it refuses them with a reason. */
function readPaths(value: unknown): readonly RepoPath[] | null {
  if (!Array.isArray(value) || value.length > changesMax) return null;
  return value.every((path) => isText(path, pathCharsMax)) ? (value as RepoPath[]) : null;
}

function readChanges(columns: unknown): readonly Change[] | null {
  if (!Array.isArray(columns) || columns.length % COLUMNS !== 0 || columns.length > changesMax * COLUMNS) return null;
  const changes: Change[] = [];
  for (let at = 0; at < columns.length; at += COLUMNS) {
    const [path, code, id]: readonly unknown[] = [columns[at], columns[at + 1], columns[at + 2]];
    if (!isText(path, pathCharsMax)) return null;
    if (code === DELETED) {
      changes.push({ kind: "delete", path: path as RepoPath });
      continue;
    }
    const mode = typeof code === "number" ? MODES[code] : undefined;
    if (mode === undefined || !(id instanceof Uint8Array) || !isIdLength(id.length)) return null;
    changes.push({ kind: "put", path: path as RepoPath, mode, blob: asBlobId(hexOf(id)) });
  }
  return changes;
}

function readBlobs(body: Buffer, from: number): readonly NewBlob[] | null {
  const blobs: NewBlob[] = [];
  for (let at = from; at < body.length; ) {
    const idBytes = body[at] ?? 0;
    const start = at + 1 + idBytes + 4;
    if (!isIdLength(idBytes) || start > body.length) return null;
    const end = start + body.readUInt32LE(start - 4);
    if (end > body.length) return null;
    blobs.push({ id: asBlobId(body.toString("hex", at + 1, at + 1 + idBytes)), bytes: body.subarray(start, end) });
    at = end;
  }
  return blobs;
}

function isIdLength(bytes: number): boolean {
  return bytes === 20 || bytes === 32;
}

function hexOf(id: Uint8Array): string {
  return Buffer.from(id.buffer, id.byteOffset, id.length).toString("hex");
}

function isText(value: unknown, charsMax: number): value is string {
  return typeof value === "string" && value.length <= charsMax;
}

function isPosition(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
