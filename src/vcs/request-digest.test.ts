// The digest is what stores already hold: SHA-256 over a JSON text that is written out here.

import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { asBlobId, asConflictId, asTaskId } from "../base/ids.ts";
import { asPath, request } from "../testing/vcs/vcs-rig.ts";
import { requestDigest } from "./request-digest.ts";
import type { Change } from "./types.ts";

const blob = asBlobId("5626abf0f72e58d7a153368ba57db4c673c0e171");
const base = request({ by: 1, base: 1, files: {} });
const path = fc.oneof(fc.string({ maxLength: 20 }), fc.constantFrom("a", "a b", "a!", "a/b", 'q"', "ä", "\u007f"));
const change: fc.Arbitrary<Change> = fc.oneof(
  path.map((name): Change => ({ kind: "put", path: asPath(name), blob, mode: "100755" })),
  path.map((name): Change => ({ kind: "delete", path: asPath(name) })),
);

test("the digest is that of the request's JSON, whatever its paths and their order", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), fc.string(), fc.boolean(), (changes, task, isResolving) => {
      const resolves = isResolving ? { resolves: asConflictId("c1") } : {};
      const author = { ...base.author, task: asTaskId(task) };
      const lines = changes.map((each) =>
        each.kind === "delete"
          ? JSON.stringify([each.path, "delete"])
          : JSON.stringify([each.path, "put", each.blob, each.mode]),
      );
      const text = JSON.stringify([task, isResolving ? "c1" : null, lines.sort()]);
      const expected = createHash("sha256").update(text).digest("hex").slice(0, 32);
      expect(requestDigest({ ...base, author, changes, ...resolves })).toBe(expected);
    }),
    { numRuns: 300, seed: 4 },
  );
});
