// A commit comes out of its frame as it went in; what is no commit is refused in words.

import { expect, test } from "vitest";
import { asAgentId, asBlobId, asCommitKey, asConflictId, asPosition, asTaskId } from "../../base/ids.ts";
import { asPath } from "../../testing/vcs/vcs-rig.ts";
import { commitFrame, readCommitBody, type WireCommit } from "./commit-frame.ts";
import { FRAME, frameHeaderBytes, packValue } from "./frame.ts";

// `printf 'one\n' | git hash-object --stdin`, and the same in a SHA-256 repository.
const sha1 = asBlobId("5626abf0f72e58d7a153368ba57db4c673c0e171");
const sha256 = asBlobId("4c1ca9e5a1f9ab5e39a3f5cd0e44e0a1a5c3b9d2b3ad6f3c0d8d0cf3ee5b8a11");

const commit: WireCommit = {
  key: asCommitKey("k1"),
  base: asPosition(7),
  author: { agent: asAgentId("a1"), task: asTaskId("t1") },
  message: "Add ä\n\nbody",
  changes: [
    { kind: "put", path: asPath("src/ä.ts"), blob: sha1, mode: "100644" },
    { kind: "put", path: asPath("run.sh"), blob: sha256, mode: "100755" },
    { kind: "delete", path: asPath("old") },
  ],
  reads: [asPath("lib.ts")],
  reason: "the caller is in another area",
  resolves: asConflictId("c3"),
  blobs: [
    { id: sha1, bytes: Buffer.from("one\n") },
    { id: sha256, bytes: Buffer.alloc(0) },
  ],
};

test("a commit with everything in it comes out as it went in", () => {
  const frame = commitFrame(9, commit);
  expect([frame.readUInt32LE(0), frame[4], frame.readUInt32LE(5)]).toEqual([
    frame.length - frameHeaderBytes,
    FRAME.commit,
    9,
  ]);
  expect(readCommitBody(frame.subarray(frameHeaderBytes))).toEqual({ ok: true, value: commit });
});

test("contents are views of the frame, as the log's frames hold them", () => {
  const frame = commitFrame(1, commit);
  const read = readCommitBody(frame.subarray(frameHeaderBytes));
  const [first] = read.ok ? read.value.blobs : [];
  expect(first?.bytes.buffer).toBe(frame.buffer);
  const section = Buffer.concat([
    Buffer.from([20]),
    Buffer.from(sha1, "hex"),
    Buffer.from([4, 0, 0, 0]),
    Buffer.from("one\n"),
  ]);
  expect(frame.includes(section)).toBe(true);
});

const malformed: readonly (readonly [string, Buffer])[] = [
  ["empty", Buffer.alloc(0)],
  ["data beyond the end", Buffer.from([255, 0, 0, 0, 1])],
  ["no msgpack", withData(Buffer.from([0xc1]))],
  ["no list", withData(packValue({ key: "k" }))],
  ["a field too few", withData(packValue(["k", 1, "a", "t", "m", null, null, []]))],
  ["a negative base", withData(packValue(["k", -1, "a", "t", "m", null, null, [], []]))],
  ["an unknown mode", withData(packValue(["k", 1, "a", "t", "m", null, null, [], ["p", 9, Buffer.alloc(20)]]))],
  [
    "an id of no length that git has",
    withData(packValue(["k", 1, "a", "t", "m", null, null, [], ["p", 0, Buffer.alloc(19)]])),
  ],
  ["a path that is a number", withData(packValue(["k", 1, "a", "t", "m", null, null, [], [5, -1, null]]))],
  [
    "a content cut short",
    Buffer.concat([withData(packValue(["k", 1, "a", "t", "m", null, null, [], []])), Buffer.from([20, 1])]),
  ],
];

test.each(malformed)("%s is no commit", (_name, body) => {
  const read = readCommitBody(body);
  expect(read.ok ? "read" : typeof read.error).toBe("string");
});

function withData(data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(data.length);
  return Buffer.concat([length, data]);
}
