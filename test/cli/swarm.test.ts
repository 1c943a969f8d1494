// Small swarms through the real program, each in a repository and with a script of its own: what goes wrong in a run, and what
// a repository may be like.

import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type FileSpec, git, makeRepository } from "../../src/testing/git/real-repository.ts";
import { bash, call, delegate, giveUp, handoff, plan, work, write } from "../support/script.ts";
import { smallTest } from "../support/small-repository.ts";
import { landed, ownersView, swarm } from "../support/swarm.ts";

const test = smallTest.concurrent;
const file = (bytes: string): FileSpec => ({ kind: "file", bytes });

test("a task that fails is told to its planner and in the summary; its workspace is kept and the run goes on", async ({
  small: { box, repository, make },
}) => {
  make();
  const outcome = await swarm(box, {
    repository,
    rules: [
      {
        role: "planner",
        turn: 3,
        last: "\\(bad\\).*failed: The lock is rusty",
        calls: [handoff({ summary: "Without bad." })],
      },
      ...plan([{ key: "good" }, { key: "bad" }, { key: "later", after: ["bad"] }], giveUp("I was not told.")),
      ...work("good", write("good.txt", "good\n"), handoff()),
      ...work("bad", write("half.txt", "half\n"), giveUp("The lock is rusty.")),
    ],
  });
  const { json, ended, store } = outcome;
  expect(ended.exitCode).toBe(0);
  expect(json).toMatchObject({ state: "finished", tasks: { done: 1, failed: 1, dropped: 1, open: 0 }, commits: 1 });
  expect(ended.stderr).toMatch(/t\d+ bad failed: The lock is rusty\./);
  expect(ended.stderr).toContain("1 done, 1 failed, 1 dropped");
  expect(landed(repository, outcome)).toEqual(["All is done. [good]"]);
  const [failed] = store.all("task_failed");
  expect(readFileSync(join(String(failed?.workspace), "half.txt"), "utf8")).toBe("half\n");
});

test("a commit outside its task's scope is refused, and lands with a reason that stands in its message", async ({
  small: { box, repository, make },
}) => {
  make({ "src/a.txt": file("one\n") });
  const reason = "The page names the file.";
  const outcome = await swarm(box, {
    repository,
    rules: [
      ...plan([{ key: "inside", scope: ["src"] }]),
      ...work(
        "inside",
        [write("src/b.txt", "two\n"), write("docs/page.md", "b\n")],
        call("commit", { message: "Add b" }),
      ),
      { role: "worker", turn: 3, last: "outside this task's scope \\(src\\): docs/page.md", calls: [handoff()] },
      {
        role: "worker",
        turn: 4,
        last: "outside this task's scope",
        calls: [handoff({ message: "Add b and its page", outside_scope_reason: reason })],
      },
    ],
  });
  expect(outcome.ended.exitCode).toBe(0);
  expect(landed(repository, outcome)).toEqual(["Add b and its page [inside]"]);
  expect(git(repository, ["show", "--no-patch", "--format=%b", String(outcome.json.branch)])).toContain(
    `Outside its scope: ${reason}`,
  );
});

test("a handoff is refused while the task's check fails, and the check is the host's to run", async ({
  small: { box, repository, make },
}) => {
  make();
  const outcome = await swarm(box, {
    repository,
    rules: [
      ...plan([{ key: "checked", check: "grep -q two b.txt" }]),
      ...work("checked", [write("b.txt", "one\n")], handoff()),
      {
        role: "worker",
        turn: 3,
        last: "the task's check fails",
        calls: [write("b.txt", "two\n"), handoff({ message: "Say two" })],
      },
    ],
  });
  expect(outcome.ended.exitCode).toBe(0);
  expect(landed(repository, outcome)).toEqual(["Say two [checked]"]);
});

test("a conflict whose every answer drops a side fails its task, is kept with both sides, and is told", async ({
  small: { box, repository, make },
}) => {
  make();
  const answers = ["left\n", "right\n", "", "neither\n", "left\nleft\n"];
  const outcome = await swarm(box, {
    repository,
    rules: [
      {
        role: "planner",
        turn: 3,
        last: "was not resolved and is kept with both sides",
        calls: [delegate({ key: "later" })],
      },
      { role: "planner", turn: 4, say: "I wait." },
      { role: "planner", turn: 5, calls: [handoff()] },
      ...plan(
        [
          { key: "left", base: "snapshot" },
          { key: "right", base: "snapshot" },
        ],
        giveUp("I was not told."),
      ),
      ...["left", "right"].flatMap((key) => work(key, write("a.txt", `${key}\n`), handoff({ message: `Say ${key}` }))),
      ...work("later", write("b.txt", "later\n"), handoff({ message: "Go on" })),
      ...answers.map((text, index) => ({
        role: "arbiter",
        turn: index + 1,
        calls: [call("resolve", { hunks: [{ path: "a.txt", hunk: 1, text }] })],
      })),
    ],
  });
  const { json, ended, store } = outcome;
  const [winner, loser] =
    git(repository, ["show", `${json.branch}:a.txt`]) === "left" ? ["left", "right"] : ["right", "left"];
  expect(ended.exitCode).toBe(1);
  expect(json).toMatchObject({
    state: "finished",
    tasks: { done: 2, failed: 1, dropped: 0, open: 0 },
    conflicts: { found: 1, resolved: 0 },
    openConflicts: [{ id: "c1", task: loser, paths: ["a.txt"] }],
  });
  expect(ended.stderr).toContain(`conflict c1 of task ${loser} in a.txt: not on the branch, both sides are kept`);
  expect(landed(repository, outcome)).toEqual([`Say ${winner} [${winner}]`, "Go on [later]"]);
  expect(json.roles).toMatchObject({ arbiter: { requests: answers.length } });

  const kept = store.records.find(({ type }) => type === "conflict")?.data as {
    paths: Record<string, { blob: string }>[];
  };
  const sides = kept.paths.map(({ base, ours, theirs }) =>
    [base, ours, theirs].map((side) => store.blob(side?.blob ?? "")),
  );
  expect(await Promise.all(sides.flat())).toEqual(["one\n", `${winner}\n`, `${loser}\n`]);
});

test("a planner cannot hand off without a task that is done, nor while one is at work", async ({
  small: { box, repository, make },
}) => {
  make();
  const outcome = await swarm(box, {
    repository,
    rules: [
      { role: "planner", turn: 1, calls: [handoff({ summary: "It was easy." })] },
      { role: "planner", turn: 2, last: 'no evidence for "done"', calls: [delegate({ key: "one" }), handoff()] },
      { role: "planner", turn: 3, last: "t1 are still at work", say: "I wait." },
      { role: "planner", turn: 4, last: "failed: No.", calls: [handoff({ summary: "One will do." })] },
      { role: "planner", turn: 5, last: 'no evidence for "done"', calls: [giveUp("Nothing could be done.")] },
      ...work("one", giveUp("No.")),
    ],
  });
  expect(outcome.ended.exitCode).toBe(1);
  expect(outcome.json).toMatchObject({ state: "failed", reason: "Nothing could be done.", commits: 0 });
  expect(outcome.store.all("task_failed").map(({ reason }) => reason)).toEqual(["No.", "Nothing could be done."]);
});

test("a script without a matching rule ends the run with 1 and says where", async ({
  small: { box, repository, make },
}) => {
  make();
  const { ended, json } = await swarm(box, {
    repository,
    rules: [{ role: "planner", turn: 1, calls: [delegate({ key: "one" })] }],
  });
  expect(ended.exitCode).toBe(1);
  expect(json).toMatchObject({ state: "failed", commits: 0 });
  expect(String(json.reason)).toMatch(/no rule for role planner, task root.*turn 2/);
});

test("the run's limit of model requests holds for all agents together", async ({
  small: { box, repository, make },
}) => {
  make();
  const keys = ["one", "two", "three", "four"];
  const { ended, json, store } = await swarm(box, {
    repository,
    flags: ["--max-requests", "4"],
    rules: [
      ...plan(keys.map((key) => ({ key }))),
      ...keys.flatMap((key) => work(key, write(`${key}.txt`, "x\n"), bash("true"), handoff())),
    ],
  });
  expect(ended.exitCode).toBe(1);
  expect(String(json.reason)).toContain("may make 4 model requests");
  // All that the limit allows, and nothing that was let through is given up.
  expect([store.all("model_request").length, store.all("request_withdrawn").length, json.requests]).toEqual([
    4,
    0,
    { made: 4, failed: 0, untold: 0, attempts: 4 },
  ]);
  const goesOn = `skein swarm --resume ${json.runId} --max-requests 8`;
  expect([json.resume, json.next]).toEqual([goesOn, `use a larger --max-requests; then: ${goesOn}`]);
});

test("work that is on the head already is done without a commit, and a run without one makes no branch", async ({
  small: { box, repository, make },
}) => {
  make();
  const before = ownersView(repository);
  const outcome = await swarm(box, {
    repository,
    flags: ["--check", "grep -q one a.txt"],
    rules: [
      ...plan([{ key: "same", check: "grep -q one a.txt" }]),
      ...work("same", write("a.txt", "one\n"), handoff()),
    ],
  });
  expect(outcome.ended.exitCode).toBe(0);
  expect(outcome.json).toMatchObject({
    state: "finished",
    branch: null,
    checkPassed: true,
    commits: 0,
    tasks: { done: 1, failed: 0, dropped: 0, open: 0 },
  });
  expect(outcome.ended.stderr).toContain("nothing was exported: no commit landed");
  expect(git(repository, ["for-each-ref", "--format=%(refname)"])).toBe("refs/heads/main");
  expect(ownersView(repository)).toEqual(before);
});

test("two tasks that make the same change are both done, with one commit", async ({
  small: { box, repository, make },
}) => {
  make();
  const outcome = await swarm(box, {
    repository,
    rules: [
      ...plan([
        { key: "left", base: "snapshot" },
        { key: "right", base: "snapshot" },
      ]),
      ...["left", "right"].flatMap((key) => work(key, write("a.txt", "two\n"), handoff({ message: "Say two" }))),
    ],
  });
  expect(outcome.ended.exitCode).toBe(0);
  expect(outcome.json).toMatchObject({ commits: 1, conflicts: { found: 0, resolved: 0 }, tasks: { done: 2 } });
  expect(landed(repository, outcome)).toHaveLength(1);
});

test("a project's check that fails on the branch is told, shown and ends with 1", async ({
  small: { box, repository, make },
}) => {
  make();
  const { ended, json } = await swarm(box, {
    repository,
    flags: ["--check", "cat b.txt; echo unhappy; exit 7"],
    rules: [...plan([{ key: "one" }]), ...work("one", write("b.txt", "content of b\n"), handoff())],
  });
  expect(ended.exitCode).toBe(1);
  expect(json).toMatchObject({ state: "finished", checkPassed: false, commits: 1 });
  expect(ended.stderr).toMatch(/fails on the branch/);
  expect(ended.stderr).toMatch(/content of b\nunhappy/);
});

test("two runs at once in one repository have a branch each", async ({ small: { box, repository, make } }) => {
  make();
  const before = ownersView(repository);
  const rules = [...plan([{ key: "one" }]), ...work("one", write("b.txt", "two\n"), handoff())];
  const outcomes = await Promise.all([swarm(box, { repository, rules }), swarm(box, { repository, rules })]);
  expect(outcomes.map(({ ended }) => ended.exitCode)).toEqual([0, 0]);
  expect(outcomes.map((outcome) => landed(repository, outcome))).toEqual([
    ["All is done. [one]"],
    ["All is done. [one]"],
  ]);
  expect(new Set(outcomes.map(({ json }) => json.branch)).size).toBe(2);
  expect(ownersView(repository)).toEqual(before);
});

test("a path with blanks, quotes and letters from everywhere", async ({ small: { box } }) => {
  const repository = join(box.root, "mein Täst 'q' \"d\" 日本 $x");
  makeRepository(repository, { "ein Ordner/größe 1.txt": file("one\n") });
  const below = join(repository, "ein Ordner");
  const outcome = await swarm(box, {
    repository: below,
    rules: [
      ...plan([{ key: "one", check: "test -f 'ein Ordner/größe 1.txt'" }]),
      ...work("one", write("neu – 2.txt", "two\n"), handoff()),
    ],
  });
  expect(outcome.ended.exitCode).toBe(0);
  expect(outcome.json.repo).toBe(repository);
  expect(
    git(repository, ["-c", "core.quotePath=false", "ls-tree", "-r", "-z", "--name-only", String(outcome.json.branch)]),
  ).toBe(Buffer.from("ein Ordner/größe 1.txt\0neu – 2.txt\0").toString("latin1"));
  // What the summary tells a person to type is one word for the shell.
  expect(outcome.ended.stderr).toContain(`git -C '${repository.replaceAll("'", "'\\''")}' log`);
});

test.for(["sha1", "sha256"] as const)(
  "a detached HEAD, a submodule, links and executables are carried through (%s)",
  async (format, { small: { box, repository, make } }) => {
    make(
      {
        "a.txt": file("one\n"),
        "run.sh": { kind: "file", bytes: "#!/bin/sh\n", executable: true },
        link: { kind: "link", target: "a.txt" },
      },
      { format },
    );
    const commit = git(repository, ["rev-parse", "HEAD"]);
    git(repository, ["update-index", "--add", "--cacheinfo", `160000,${commit},vendor/lib`]);
    mkdirSync(join(repository, "vendor", "lib"), { recursive: true });
    git(repository, ["commit", "--quiet", "--message=Submodule"]);
    git(repository, ["checkout", "--quiet", "--detach"]);
    const before = ownersView(repository);

    const edit = bash(
      "printf '#!/bin/sh\\n' > new.sh && chmod +x new.sh && ln -s new.sh new-link && rm link && chmod -x run.sh",
    );
    const outcome = await swarm(box, {
      repository,
      rules: [...plan([{ key: "one" }]), ...work("one", edit, handoff())],
    });
    const modes = (revision: string) =>
      git(repository, ["ls-tree", "-r", "--format=%(objectmode) %(path)", revision]).split("\n");
    expect(outcome.ended.exitCode).toBe(0);
    expect(modes("HEAD")).toEqual(["100644 a.txt", "120000 link", "100755 run.sh", "160000 vendor/lib"]);
    expect(modes(String(outcome.json.branch))).toEqual([
      ...["100644 a.txt", "120000 new-link", "100755 new.sh", "100644 run.sh", "160000 vendor/lib"],
    ]);
    expect(git(repository, ["ls-tree", String(outcome.json.branch), "vendor/lib"])).toContain(commit);
    expect(ownersView(repository)).toEqual(before);
  },
);

test("ignored files are never committed, and a bare repository will do", async ({ small: { box, repository } }) => {
  const source = join(box.root, "source");
  makeRepository(source, { ".gitignore": file("*.log\nbuild/\n"), "a.txt": file("one\n") });
  git(box.root, ["clone", "--quiet", "--bare", source, repository]);
  const edit = bash("mkdir build && echo x > build/out && echo x > run.log && echo two > b.txt");
  const outcome = await swarm(box, { repository, rules: [...plan([{ key: "one" }]), ...work("one", edit, handoff())] });
  expect(outcome.ended.exitCode).toBe(0);
  expect(git(repository, ["ls-tree", "-r", "--name-only", String(outcome.json.branch)])).toBe(
    ".gitignore\na.txt\nb.txt",
  );
  expect(existsSync(join(repository, "skein"))).toBe(false);
  expect(readdirSync(join(String(outcome.json.store), "workspaces"))).toEqual([]);
});
