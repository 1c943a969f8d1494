// A repository of some thousand files of every kind git carries goes in and comes out through the real program, and git
// itself says that the trees are the same.

import { join } from "node:path";
import { expect, test } from "vitest";
import { git, makeRepository, oddTree } from "../../src/testing/git/real-repository.ts";
import { sandbox } from "../support/sandbox.ts";
import { bash, call, handoff, plan, work, write } from "../support/script.ts";
import { landed, ownersView, swarm } from "../support/swarm.ts";

const wholeMs = 120_000;
const note = "a-note.txt";

test.each(["sha1", "sha256"] as const)(
  "import and export of a few thousand files keep `git rev-parse HEAD^{tree}` (%s)",
  { timeout: wholeMs },
  async (format) => {
    using box = sandbox();
    const repository = join(box.root, "repository");
    makeRepository(repository, oddTree(), { format });
    const before = ownersView(repository);
    const tree = git(repository, ["rev-parse", "HEAD^{tree}"]);
    const entries = git(repository, ["ls-tree", "-r", "-z", "HEAD"]).split("\0");

    const outcome = await swarm(box, {
      repository,
      rules: [
        ...plan([{ key: "note" }]),
        ...work(
          "note",
          [write(note, "a note\n"), call("commit", { message: "Add a note" })],
          [bash(`rm ${note}`), handoff({ message: "Remove the note" })],
        ),
      ],
    });

    expect(outcome.ended.exitCode).toBe(0);
    expect(landed(repository, outcome)).toEqual(["Add a note [note]", "Remove the note [note]"]);
    const branch = String(outcome.json.branch);
    const withNote = git(repository, ["ls-tree", "-r", "-z", `${branch}~1`]).split("\0");
    expect(withNote.filter((line) => !line.endsWith(`\t${note}`))).toEqual(entries);
    expect(withNote.length).toBe(entries.length + 1);
    expect(git(repository, ["rev-parse", `${branch}^{tree}`])).toBe(tree);
    git(repository, ["fsck", "--strict", "--no-dangling"]);
    expect(ownersView(repository)).toEqual(before);
  },
);
