// Trees with modes of an old git: they are named, and the advice that is given makes a tree that can be read.

import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { nodeHost } from "../../adapters/node/host.ts";
import { unwrap } from "../../base/result.ts";
import { makeRepository, git as plainGit, temporaryDirectory } from "../../testing/git/real-repository.ts";
import type { Git } from "./command.ts";
import { readTree, verifyTree } from "./import.ts";
import { findOldModes } from "./old-modes.ts";

const git: Git = { processes: nodeHost().processes, path: process.env.PATH ?? "" };

for (const format of ["sha1", "sha256"] as const) {
  test(`S24 old modes are named by path, and committing today's modes mends them (${format})`, async () => {
    using directory = temporaryDirectory();
    const root = directory.path;
    makeRepository(root, { "a b": { kind: "file", bytes: "a" }, "d/x": { kind: "file", bytes: "x" } }, { format });
    const id = (revision: string) => plainGit(root, ["rev-parse", revision]);
    const tree = (...entries: readonly (readonly [mode: string, name: string, id: string])[]) =>
      plainGit(root, ["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], {
        input: Buffer.concat(
          entries.flatMap(([mode, name, hex]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(hex, "hex")]),
        ),
      });
    const none = await findOldModes(git, root, id("HEAD^{tree}"), format);
    const old = tree(
      ["100664", "a b", id("HEAD:a b")],
      ["040000", "d", tree(["100640", "x", id("HEAD:d/x")], ["100755", "y", id("HEAD:d/x")])],
    );
    plainGit(root, ["reset", "--quiet", "--hard", plainGit(root, ["commit-tree", old, "-m", "old"])]);
    const found = await findOldModes(git, root, old, format);
    const before = unwrap(await readTree(git, root, "HEAD"), "tree");
    execFileSync("sh", [
      "-ec",
      `cd '${root}' && git ls-files -sz | git update-index -z --index-info && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m mended`,
    ]);
    const after = unwrap(await readTree(git, root, "HEAD"), "tree");
    expect([
      none,
      found,
      verifyTree(before.manifest, old, format).ok,
      verifyTree(after.manifest, id("HEAD^{tree}"), format).ok,
      after.manifest,
    ]).toEqual([
      { ok: true, value: null },
      {
        ok: true,
        value: {
          kind: "old-modes",
          entries: [
            { path: "a b", mode: "100664" },
            { path: "d", mode: "040000" },
            { path: "d/x", mode: "100640" },
          ],
          count: 3,
        },
      },
      false,
      true,
      before.manifest,
    ]);
  });
}
