// A test of its own sandbox and a repository of one file, so that such tests can run at the same time.

import { join } from "node:path";
import { test } from "vitest";
import { type FileSpec, makeRepository } from "../../src/testing/git/real-repository.ts";
import { openHome, type Sandbox, sandbox } from "./sandbox.ts";

export interface Small {
  readonly box: Sandbox;
  /** Where the repository is, or is to be: `make` makes it. */
  readonly repository: string;
  make(files?: Readonly<Record<string, FileSpec>>, options?: { readonly format: "sha1" | "sha256" }): void;
}

/** As vitest's `test`, with `{ small }` for each test. */
export const smallTest = test.extend<{ small: Small }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures that this one needs
  small: async ({}, use) => {
    using box = sandbox();
    openHome(box);
    const repository = join(box.root, "repository");
    await use({
      box,
      repository,
      make: (files = { "a.txt": { kind: "file", bytes: "one\n" } }, options) =>
        makeRepository(repository, files, options),
    });
  },
});
