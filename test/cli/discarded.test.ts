// A side that an arbiter leaves out, through the real program: named on the branch and in both summaries, and still in the store.

import { expect } from "vitest";
import { type FileSpec, git } from "../../src/testing/git/real-repository.ts";
import { bash, call, handoff, plan, work } from "../support/script.ts";
import { smallTest as test } from "../support/small-repository.ts";
import { landed, swarm } from "../support/swarm.ts";

const file = (bytes: string): FileSpec => ({ kind: "file", bytes });

test("S4 an edit that its resolution leaves out is named in a trailer and the summaries, and kept", async ({
  small: { box, repository, make },
}) => {
  make({ "old.txt": file("one\n") });
  const outcome = await swarm(box, {
    repository,
    rules: [
      ...plan(
        [
          { key: "remove", base: "snapshot" },
          { key: "edit", base: "snapshot" },
        ],
        handoff(),
      ),
      ...work("remove", bash("rm old.txt"), handoff({ message: "Remove it" })),
      ...work("edit", bash("sleep 1; echo two >>old.txt"), handoff({ message: "Edit it" })),
      {
        role: "arbiter",
        turn: 1,
        calls: [call("resolve", { files: [{ path: "old.txt", take: "ours", reason: "it is not used any more" }] })],
      },
    ],
  });
  const { json, ended, store } = outcome;
  expect(ended.exitCode).toBe(0);
  const reason = "it is not used any more";
  const edited = git(repository, ["hash-object", "--stdin"], { input: "one\ntwo\n" });
  // Whoever lands second is left out.
  const editIsLost = landed(repository, outcome)[0] === "Remove it [remove]";
  const [task, blob, kept] = editIsLost
    ? ["edit", edited, `kept in the store as ${edited.slice(0, 12)}`]
    : ["remove", null, "it had deleted the file"];
  expect(json.discarded).toEqual([{ path: "old.txt", side: "theirs", task, blob, reason }]);
  expect(ended.stderr).toContain(`old.txt: theirs of task ${task} (${kept}): ${reason}`);
  const message = git(repository, ["log", "-1", "--format=%B", String(json.branch)]);
  expect(message).toMatch(/^Skein-Discarded: old\.txt theirs of t\d+: it is not used any more$/m);
  expect(message).toContain(editIsLost ? `(blob ${edited}): ${reason}` : `(its deletion): ${reason}`);
  expect(message).toContain(editIsLost ? "Held in it: Edit it" : "Held in it: Remove it");
  expect(await store.blob(edited)).toBe("one\ntwo\n");
});
