// A repository that is a trap: whatever git can be told to run leaves a mark, and a run must leave none.

import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, makeRepository } from "../../src/testing/git/real-repository.ts";
import { sandbox } from "../support/sandbox.ts";
import { bash, handoff, plan, work, write } from "../support/script.ts";
import { landed, swarm } from "../support/swarm.ts";

const hooks = [
  ...[
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
  ],
  ...[
    "post-rewrite",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "prepare-commit-msg",
  ],
  ...[
    "reference-transaction",
    "sendemail-validate",
    "post-update",
    "update",
    "pre-receive",
    "post-receive",
    "proc-receive",
  ],
];

test("nothing that a repository configured is run", async () => {
  using box = sandbox();
  const repository = join(box.root, "repository");
  const marks = join(box.root, "marks");
  mkdirSync(marks);
  makeRepository(repository, {
    ".gitattributes": { kind: "file", bytes: "* filter=trap diff=trap merge=trap\n" },
    "a.txt": { kind: "file", bytes: "one\n" },
  });
  // Else git trusts the times in its index, and asks no filter what the file holds.
  utimesSync(join(repository, "a.txt"), 1_000_000_000, 1_000_000_000);
  const hooksDirectory = join(repository, ".git", "hooks");
  mkdirSync(hooksDirectory, { recursive: true });
  const trap = (name: string): string => `touch ${join(marks, name)}`;
  for (const name of hooks) writeFileSync(join(hooksDirectory, name), `#!/bin/sh\n${trap(name)}\n`, { mode: 0o755 });
  const program = (name: string): string => {
    writeFileSync(join(box.root, name), `#!/bin/sh\n${trap(name)}\n`, { mode: 0o755 });
    return join(box.root, name);
  };
  const settings: readonly (readonly [section: string, key: string, value: string])[] = [
    ["core", "hooksPath", hooksDirectory],
    ["core", "fsmonitor", program("fsmonitor")],
    ["core", "pager", program("pager")],
    ["core", "editor", program("editor")],
    ["core", "sshCommand", program("ssh")],
    ["core", "askPass", program("askpass")],
    ["core", "alternateRefsCommand", program("alternate-refs")],
    ['filter "trap"', "clean", program("clean")],
    ['filter "trap"', "smudge", program("smudge")],
    ['filter "trap"', "process", program("process")],
    ['filter "trap"', "required", "true"],
    ["diff", "external", program("diff-external")],
    ['diff "trap"', "textconv", program("textconv")],
    ['diff "trap"', "command", program("diff-command")],
    ['merge "trap"', "driver", program("merge-driver")],
    ["gpg", "program", program("gpg")],
    ["commit", "gpgSign", "true"],
    ["log", "showSignature", "true"],
    ["credential", "helper", program("credential")],
    ["alias", "status", `!${program("alias")}`],
    ['remote "origin"', "url", `ext::${program("remote")}`],
    ['remote "origin"', "promisor", "true"],
    ["uploadpack", "packObjectsHook", program("pack-objects")],
  ];
  const lines = settings.map(([section, key, value]) => `[${section}]\n\t${key} = ${JSON.stringify(value)}\n`);
  appendFileSync(join(repository, ".git", "config"), lines.join(""));

  const outcome = await swarm(box, {
    repository,
    flags: ["--check", "git status && git log"],
    rules: [
      ...plan([{ key: "one", check: "git add --all && git diff --cached --stat" }]),
      ...work(
        "one",
        [write("a.txt", "two\n"), bash("git status; git add . ; git commit -m x; git log -p; true")],
        handoff(),
      ),
    ],
  });
  expect(readdirSync(marks)).toEqual([]);
  // The traps do bite: git as its owner runs it leaves marks at once.
  spawnSync("git", ["status"], { cwd: repository, env: box.env });
  expect(readdirSync(marks)).toEqual(expect.arrayContaining(["fsmonitor", "process"]));

  expect(outcome.json).toMatchObject({ state: "finished", commits: 1 });
  writeFileSync(
    join(repository, ".git", "config"),
    "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\thooksPath = /dev/null\n",
  );
  expect(landed(repository, outcome)).toEqual(["All is done. [one]"]);
  expect(git(repository, ["show", `${outcome.json.branch}:a.txt`])).toBe("two");
});
