// A commit's record that was encoded by hand is the record that an ordinary decoder gives, whatever stands in it.

import fc from "fast-check";
import { expect, test } from "vitest";
import { asAgentId, asBlobId, asCommitKey, asPosition, asTaskId } from "../base/ids.ts";
import { decodeRecord, encodeRecord } from "../log/record-codec.ts";
import { asPath } from "../testing/vcs/vcs-rig.ts";
import { StoredCommit } from "./commit-record.ts";
import { commitRecord, readVcsRecord, type VcsRecordData, vcsRecord } from "./records.ts";
import type { Change } from "./types.ts";

const text = fc.oneof(fc.string({ unit: "grapheme", maxLength: 80 }), fc.string({ unit: "binary", maxLength: 5 }));
const change: fc.Arbitrary<Change> = fc.oneof(
  fc
    .record({ path: text, blob: fc.constantFrom("ab".repeat(20), "cd".repeat(32)) })
    .map(({ path, blob }): Change => ({ kind: "put", path: asPath(path), blob: asBlobId(blob), mode: "100755" })),
  text.map((path): Change => ({ kind: "delete", path: asPath(path) })),
);
const data: fc.Arbitrary<VcsRecordData<"commit">> = fc
  .record({
    key: text,
    agent: text,
    task: text,
    message: text,
    base: fc.nat(),
    changes: fc.array(change, { maxLength: 40 }),
  })
  .map(({ key, agent, task, message, base, changes }) => ({
    key: asCommitKey(key),
    digest: "0123456789abcdef".repeat(2),
    base: asPosition(base),
    author: { agent: asAgentId(agent), task: asTaskId(task) },
    message,
    changes,
    merged: [],
    resolves: null,
    discarded: [],
    moved: [],
  }));

test("its bytes are the record, on their way and kept", () => {
  const atMs = 1_790_000_000_123;
  fc.assert(
    fc.property(data, (each) => {
      const expected = decodeRecord(encodeRecord(vcsRecord(atMs, "commit", each)), asPosition(7));
      const record = commitRecord(atMs, each);
      const passing = decodeRecord(encodeRecord(record, true), asPosition(7));
      expect([decodeRecord(encodeRecord(record), asPosition(7)), passing]).toEqual([expected, expected]);
    }),
    { numRuns: 200, seed: 4 },
  );
});

test("the fold sees of it what a replay would show", () => {
  fc.assert(
    fc.property(data, (each) => {
      const record = commitRecord(5, each);
      const replayed = decodeRecord(encodeRecord(record), asPosition(7));
      const stored =
        "storedAt" in record && typeof record.storedAt === "function" ? record.storedAt(asPosition(7)) : null;
      fc.pre(stored instanceof StoredCommit && replayed !== null);
      const { position, type, version, atMs, data: own } = stored;
      expect([{ position, type, version, atMs, data: own }, readVcsRecord(stored)]).toEqual([
        replayed,
        replayed === null ? null : readVcsRecord(replayed),
      ]);
    }),
    { numRuns: 50, seed: 6 },
  );
});
