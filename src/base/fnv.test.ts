// The hash against the values that its authors publish.

import { expect, test } from "vitest";
import { fnv64 } from "./fnv.ts";

test("texts have the hashes of the published test vectors", () => {
  expect(["", "a", "b", "foobar"].map(fnv64)).toEqual([
    "cbf29ce484222325",
    "af63dc4c8601ec8c",
    "af63df4c8601f1a5",
    "85944171f73967e8",
  ]);
});
