// Blob ids are git's own.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { asBlobId } from "../base/ids.ts";
import { blobIdOf, isBlobOf, objectFormatOf } from "./blob-id.ts";

test("a blob's id is what git hash-object prints, in both formats", () => {
  const directory = mkdtempSync(join(tmpdir(), "skein-blob-"));
  const contents = ["", "hello\n", "naïve 漢字\0", "x".repeat(100_000)];
  try {
    for (const format of ["sha1", "sha256"] as const) {
      execFileSync("git", ["init", "-q", `--object-format=${format}`, join(directory, format)]);
      const ofGit = contents.map((input) =>
        execFileSync("git", ["hash-object", "--stdin"], {
          cwd: join(directory, format),
          input,
          encoding: "utf8",
        }).trim(),
      );
      expect(contents.map((content) => blobIdOf(new TextEncoder().encode(content), format))).toEqual(ofGit);
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test("an id fits only its own bytes, and says its format", () => {
  const empty = asBlobId("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  const upper = asBlobId("E69DE29BB2D1D6434B8B29AE775AD8C2E48C5391");
  expect({
    right: isBlobOf(empty, new Uint8Array()),
    wrong: isBlobOf(empty, new Uint8Array(1)),
    upper: isBlobOf(upper, new Uint8Array()),
    formats: [empty, asBlobId("a".repeat(64)), asBlobId("a".repeat(41)), upper].map(objectFormatOf),
  }).toEqual({ right: true, wrong: false, upper: false, formats: ["sha1", "sha256", null, null] });
});
