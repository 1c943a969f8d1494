// Verdicts: whose failure it is, which runs are no evidence, and the checks on files, commands, calls and results.

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeHost } from "../adapters/node/host.ts";
import { type WrittenCall, type WrittenRun, writeRun } from "../testing/evals/written-run.ts";
import { temporaryDirectory } from "../testing/git/real-repository.ts";
import { CHECK } from "./check-spec.ts";
import { judgeRun } from "./judge.ts";
import { recordOf } from "./measure.ts";
import type { Ending, Fault } from "./record.ts";
import { readTranscripts } from "./transcript.ts";
import type { Verdict } from "./verdict.ts";

const stopped: Ending = { exitCode: 0, signal: null, outcome: "stopped", error: null, detail: "", timedOut: false };

interface Judging {
  readonly checks?: readonly object[];
  readonly answer?: string;
  readonly ending?: Partial<Ending>;
  readonly run?: WrittenRun;
  readonly askedModel?: string;
  readonly faults?: readonly Fault[];
  /** Files of the workspace, before and after the run. */
  readonly files?: Readonly<Record<string, string>>;
  readonly prepare?: (workspace: string) => void;
  /** The solutions' workspaces are made by it; left out, the right one is what the task begins with. */
  readonly solutions?: (workspaces: { readonly right: string; readonly wrong: string }) => void;
  /** Whether the wrong solution is known to fail the check, and whether there is a right one. */
  readonly wrongFails?: boolean;
  readonly noRight?: boolean;
  readonly secrets?: readonly string[];
}

const plainRun = (calls: readonly WrittenCall[] = []): WrittenRun => ({
  agents: [
    {
      id: "a0",
      parent: null,
      startMs: 0,
      endMs: 9,
      turns: [
        { startMs: 0, endMs: 1, calls },
        { startMs: 2, endMs: 3, say: "yes" },
      ],
    },
  ],
});

async function judged(judging: Judging): Promise<Verdict> {
  using directory = temporaryDirectory();
  const {
    checks = [],
    answer = "yes",
    ending = {},
    run = plainRun(),
    askedModel = "made/model",
    faults = [],
  } = judging;
  const { files = {}, prepare, solutions, wrongFails = false, noRight = false, secrets = [] } = judging;
  writeRun(join(directory.path, "state"), run);
  for (const place of ["original", "workspace", "right", "wrong"]) {
    mkdirSync(join(directory.path, place));
    for (const [path, text] of Object.entries(files)) writeFileSync(join(directory.path, place, path), text);
  }
  prepare?.(join(directory.path, "workspace"));
  const [right, wrong] = [join(directory.path, "right"), join(directory.path, "wrong")];
  solutions?.({ right, wrong });
  const host = { ...nodeHost(), sandbox: null, secrets };
  const transcripts = await readTranscripts(host.files, join(directory.path, "state"));
  const record = recordOf({
    suite: "s",
    slot: { task: "t", condition: "c", repetition: 1 },
    seed: "1",
    askedModel,
    flags: [],
    skeinVersion: "1",
    startedAtMs: 0,
    processMs: 1,
    wallMs: 1,
    ending: { ...stopped, ...ending },
    answer,
    transcripts,
    faults,
  });
  return await judgeRun(host, {
    record,
    checks: checks.map((check) => CHECK.parse({ name: "c", aspect: "process", ...check })),
    directory: directory.path,
    workspace: join(directory.path, "original"),
    env: { PATH: process.env.PATH ?? "" },
    controls: {
      right: noRight ? null : right,
      wrong: wrongFails ? { workspace: wrong, fails: ["c"], tried: new Set() } : null,
    },
    scratch: join(directory.path, "scratch"),
    signal: new AbortController().signal,
  });
}

const detailOf = async (judging: Judging) => {
  const { checks, excluded } = await judged(judging);
  return excluded === null ? checks.map(({ passed, detail, cause }) => [passed, detail, cause]) : excluded;
};

test("a run that did not end by itself is its ending's failure, whatever the checks say", async () => {
  const wrong = { aspect: "format", kind: "output", equals: "no" };
  const failure = async (ending: Partial<Ending>) => (await judged({ checks: [wrong], ending })).failure?.kind ?? null;
  const error = (code: string): Partial<Ending> => ({ exitCode: 1, outcome: "model-error", error: code });
  expect({
    right: (await judged({ checks: [{ ...wrong, equals: "yes" }] })).failure,
    wrong: await failure({}),
    turns: await failure({ exitCode: 1, outcome: "turn-limit" }),
    budget: await failure({ exitCode: 1, outcome: "budget" }),
    time: await failure({ exitCode: 130, outcome: null, timedOut: true }),
    overloaded: await failure(error("overloaded")),
    key: await failure(error("unauthorized")),
    refusal: await failure(error("refusal")),
    empty: await failure(error("no-content")),
    disk: await failure({ exitCode: 1, outcome: "record-failed" }),
    killed: await failure({ exitCode: null, signal: "SIGKILL", outcome: null }),
  }).toEqual({
    right: null,
    wrong: "model",
    turns: "limit",
    budget: "limit",
    time: "limit",
    overloaded: "provider",
    key: "provider",
    refusal: "model",
    empty: "model",
    disk: "environment",
    killed: "environment",
  });
});

test("another model, a broken environment and a check that cannot be made are excluded and no failure of the model", async () => {
  const good = { aspect: "format", kind: "output", equals: "yes" };
  const of = async (judging: Judging) => {
    const { excluded, passed, failure } = await judged({ checks: [good], ...judging });
    return [excluded, passed, failure?.kind ?? null];
  };
  const fault: Fault = { kind: "start", detail: "it would not start" };
  const noRg = { id: "c", name: "grep", input: {}, result: "rg was not found in PATH", outcome: "fault" };
  expect([
    await of({ askedModel: "made/other" }),
    await of({ askedModel: "made/model" }),
    await of({ faults: [fault] }),
    await of({ run: plainRun([noRg]) }),
    await of({ checks: [good, { kind: "command", run: "no-such-program-anywhere" }] }),
  ]).toEqual([
    [{ reason: "other-model", detail: "made/model answered, made/other was asked for" }, false, null],
    [null, true, null],
    [{ reason: "environment", detail: "it would not start" }, false, "environment"],
    [{ reason: "environment", detail: "a0 grep: rg was not found in PATH" }, false, "environment"],
    [{ reason: "judge", detail: expect.stringMatching(/^c: .*no-such-program-anywhere.*not found/) }, false, "judge"],
  ]);
});

test("a run that left no transcript is no evidence, whatever its answer says", async () => {
  const run: WrittenRun = { agents: [] };
  const checks = [{ kind: "calls", tool: "bash", max: 0 }];
  const { excluded, passed } = await judged({ run, checks });
  expect({ excluded, passed }).toEqual({
    excluded: { reason: "environment", detail: "no transcript of it says which model answered" },
    passed: false,
  });
});

test("a script's path is not part of its name", async () => {
  const run: WrittenRun = { agents: [{ ...plainRun().agents[0]!, provider: "script:model.yaml#seed=1" }] };
  expect((await judged({ run, askedModel: "script:../../suite/model.yaml#seed=1" })).excluded).toBe(null);
  expect((await judged({ run, askedModel: "script:../../suite/model.yaml#seed=2" })).excluded?.reason).toBe(
    "other-model",
  );
});

const ini = { "a.ini": "[a]\nport = 1\n", "b.ini": "[b]\nport = 2\n" };
const shown = { "a.ini": "    1\t[a]\n    2\tport = 1", "b.ini": "    1\t[b]\n    2\tport = 2" };
const read = (id: string, path: string, result: string): WrittenCall => ({
  id,
  name: "read_file",
  input: { path },
  result,
});

test("each call's result is compared with its file: swapped, changed, cut and lost ones are found, whatever the answer says", async () => {
  const of = (...calls: readonly WrittenCall[]) =>
    detailOf({ checks: [{ kind: "results", tool: "read_file" }], files: ini, run: plainRun(calls) });
  const [a, b] = [read("c0", "a.ini", shown["a.ini"]), read("c1", "./b.ini", shown["b.ini"])];
  expect([
    await of(a, b),
    await of(read("c0", "a.ini", shown["b.ini"]), read("c1", "b.ini", shown["a.ini"])),
    await of(a, read("c1", "b.ini", "    1\t[b]\n    2\tport = 3")),
    await of(a, read("c1", "b.ini", "    1\t[b]")),
    await of(a, { id: "c1", name: "read_file", input: { path: "b.ini" } }),
    await of({ ...a, input: { path: "a.ini", offset: 2, limit: 1 }, result: "    2\tport = 1\n[lines 2-2 of 2]" }),
    await of({ ...a, result: "no such file", outcome: "error" }),
  ]).toEqual([
    [[true, "2 results are what their files hold", null]],
    [[false, "a0 c0 asked for a.ini and got b.ini", "results swapped"]],
    [[false, "a0 c1 asked for b.ini and got something else", "a result differs from its file"]],
    [[false, "a0 c1 asked for b.ini and got something else", "a result differs from its file"]],
    [[false, "without exactly one result: a0 c1", "results lost or doubled"]],
    [[true, "1 results are what their files hold", null]],
    [[true, "0 results are what their files hold", null]],
  ]);
});

test("calls: how many, of whom, with what, in one response; contexts of children", async () => {
  const delegate = (id: string): WrittenCall => ({ id, name: "delegate_task", input: { task: id }, result: "x" });
  const [first] = plainRun([delegate("c0"), delegate("c1"), read("c2", "a.ini", "x")]).agents;
  const run: WrittenRun = {
    agents: [
      { ...first!, turns: [...first!.turns, { startMs: 4, endMs: 5, calls: [delegate("c3")] }] },
      { ...first!, id: "a1", parent: "a0", turns: [{ startMs: 1, endMs: 2, say: "x" }] },
    ],
    delegations: [{ child: "a1", call: "c0", startMs: 1, endMs: 2, context: "full" }],
  };
  const calls = { kind: "calls", tool: "delegate_task" };
  const checks = [
    { ...calls, min: 3, max: 3 },
    { ...calls, min: 4 },
    { ...calls, max: 2 },
    { ...calls, together: true },
    { ...calls, arguments: '"task":"c3"', min: 1, max: 1 },
    { ...calls, of: "children", max: 0 },
    { kind: "calls", tool: "read_file", min: 1, together: true },
    { kind: "context", only: "task-only" },
    { kind: "context", only: "full" },
  ];
  expect(await detailOf({ checks, run })).toEqual([
    [true, "delegate_task was called 3 times", null],
    [false, "delegate_task was called 3 times, at least 4 were asked for", "too few calls"],
    [false, "delegate_task was called 3 times, at most 2 were allowed", "too many calls"],
    [false, "delegate_task was called 3 times, over 2 responses", "not in one response"],
    [true, "delegate_task was called once", null],
    [true, "delegate_task was called 0 times", null],
    [true, "read_file was called once", null],
    [false, "a1 was given the context full", "other context"],
    [true, "every child was given full", null],
  ]);
});

test("files and commands are judged in the workspace as the run left it, which judging does not change", async () => {
  const checks = [
    { kind: "file", path: "a.ini", equals: ini["a.ini"] },
    { kind: "file", path: "a.ini", matches: "\\[b\\][^]*" },
    { kind: "file", path: "a.ini", matches: "\\[a\\]\\nport = 1" },
    { kind: "file", path: "c.ini", absent: true },
    { kind: "file", path: "b.ini", absent: true },
    { kind: "file", path: "out", matches: ".*" },
    { kind: "command", run: "rm a.ini && test -f b.ini" },
    { kind: "command", run: "test -f a.ini" },
    { kind: "command", run: "echo no; test -f done || exit 3" },
    { kind: "command", run: "exit 3", exit: 3 },
    { kind: "command", run: "sh left.sh" },
    { kind: "command", run: "./left.sh" },
    { kind: "command", run: "./never-made.sh" },
  ];
  const left: string[] = [];
  const verdict = await detailOf({
    checks,
    files: ini,
    prepare: (workspace) => {
      symlinkSync("/etc/hostname", join(workspace, "out"));
      writeFileSync(join(workspace, "left.sh"), "no-such-program-anywhere\n");
      left.push(readFileSync(join(workspace, "a.ini"), "utf8"));
    },
    solutions: ({ right }) => {
      for (const name of ["left.sh", "never-made.sh"])
        writeFileSync(join(right, name), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
      writeFileSync(join(right, "done"), "");
    },
  });
  expect(left).toEqual([ini["a.ini"]]);
  expect(verdict).toEqual([
    [true, "a.ini is as it should be", null],
    [false, 'a.ini does not match: it is "[a]\\nport = 1"', "other content"],
    [true, "a.ini is as it should be", null],
    [true, "c.ini is not there", null],
    [false, "b.ini is there", "file not removed"],
    [false, "out leads out of the workspace", null],
    [true, "`rm a.ini && test -f b.ini` ended with 0", null],
    [true, "`test -f a.ini` ended with 0", null],
    [false, "`echo no; test -f done || exit 3` ended with 3, not 0: no", "command failed"],
    [true, "`exit 3` ended with 3", null],
    // What the model's own scripts lack is the model's.
    [false, expect.stringMatching(/^`sh left.sh` ended with 127, not 0: .*no-such-program/), "command failed"],
    [false, expect.stringMatching(/^`.\/left.sh` ended with 126, not 0/), "command failed"],
    [false, expect.stringMatching(/^`.\/never-made.sh` ended with 127, not 0/), "command failed"],
  ]);
});

test("a command that fails for the suite's own reasons is not judged: a missing or broken program, a checker that crashes or is unsure", async () => {
  const withDone = {
    wrongFails: true,
    prepare: (workspace: string) => writeFileSync(join(workspace, "done"), ""),
    solutions: ({ right }: { readonly right: string }) => writeFileSync(join(right, "done"), ""),
  };
  const of = async (run: string, judging: Judging = withDone) => {
    const { excluded, failure, passed, checks } = await judged({ checks: [{ kind: "command", run }], ...judging });
    return [excluded?.reason ?? null, excluded?.detail ?? checks[0]?.detail, failure?.kind ?? null, passed];
  };
  // Of a run that did not do what the right solution does.
  const undone: Judging = { solutions: withDone.solutions };
  using outside = temporaryDirectory();
  const once = join(outside.path, "once");
  const unsound = (detail: string) => ["judge", expect.stringMatching(detail), "judge", false];
  const failed = (detail: string) => [null, expect.stringMatching(detail), "model", false];
  expect({
    done: await of("test -f done"),
    undone: await of("test -f done", undone),
    missing: await of("no-such-program-anywhere done", undone),
    missingBehindOthers: await of("true && env no-such-program-anywhere done", undone),
    noPermission: await of("/etc/passwd", undone),
    crash: await of("test -f done; kill -SEGV $$", undone),
    // It would be right, whatever was left.
    invertedAndMissing: await of("! no-such-program-anywhere done"),
    inverted: await of("! test -f undone"),
    // The run's own fault: the same checker works where the work was done.
    crashedByTheModel: await of("test -f done || kill -SEGV $$", undone),
    unsure: await of(`test -f done || { test -e ${once} || { touch ${once}; exit 1; }; }`, undone),
    noControl: await of("test -f done", { noRight: true }),
  }).toEqual({
    done: [null, "`test -f done` ended with 0", null, true],
    undone: failed("ended with 1, not 0"),
    missing: unsound("it fails on the right solution too: .* ended with 127, .*not found"),
    missingBehindOthers: unsound("it fails on the right solution too: .* ended with 127"),
    noPermission: unsound("it fails on the right solution too: .* ended with 126"),
    crash: unsound("it fails on the right solution too: .* ended with a signal"),
    invertedAndMissing: unsound("it passes on the wrong solution too"),
    inverted: unsound("it passes on the wrong solution too"),
    crashedByTheModel: failed("ended with a signal"),
    unsure: unsound("it failed once and passed once on the same files"),
    noControl: unsound(
      "ended with 1, .*whether that is the model's cannot be told: the right solution's workspace is missing",
    ),
  });
});

test("no key is in what a verdict says of a command's output or an answer", async () => {
  const secrets = ["sk-test-0123456789"];
  const { checks } = await judged({
    secrets,
    answer: "the key is sk-test-0123456789",
    checks: [
      { kind: "output", equals: "x" },
      { kind: "command", run: "cat key; exit 1", exit: 1 },
      { kind: "command", run: "cat key; test -f done" },
    ],
    files: { key: "sk-test-0123456789" },
    solutions: ({ right }) => writeFileSync(join(right, "done"), ""),
  });
  expect(checks.map(({ detail }) => detail)).toEqual([
    'it is "the key is [key removed]", not "x"',
    "`cat key; exit 1` ended with 1",
    "`cat key; test -f done` ended with 1, not 0: [key removed]",
  ]);
});
