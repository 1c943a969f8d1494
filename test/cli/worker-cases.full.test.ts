// What may go wrong with a swarm's worker: "done" with work left over, bad calls, a provider that fails, refuses or does not tell,
// and a machine that lacks a program. Each through the real program.

import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect } from "vitest";
import { git } from "../../src/testing/git/real-repository.ts";
import type { Behaviour } from "../servers/behaviour.ts";
import { KEY, serveRules, writeUserConfig } from "../support/provider.ts";
import type { Sandbox } from "../support/sandbox.ts";
import { bash, call, giveUp, handoff, plan, type Rule, work, write, writeScript } from "../support/script.ts";
import { packageRoot, skein } from "../support/skein.ts";
import { type Small, smallTest } from "../support/small-repository.ts";
import { appends } from "../support/store.ts";
import { landed, outcomeOf, type SwarmOutcome, swarm } from "../support/swarm.ts";
import { resultsOf } from "../support/transcript.ts";

const test = smallTest.concurrent;

const chat = "openai-chat/test-model";

async function onServer(small: Small, url: string, ...flags: readonly string[]): Promise<SwarmOutcome> {
  const args = ["swarm", "Reach the goal", "--repo", small.repository, "--json", "--model", chat, "--base-url", url];
  return outcomeOf(await skein(small.box, { args: [...args, ...flags], env: { OPENAI_API_KEY: KEY } }));
}

test("S5 what a worker has not committed when it says done lands in one append with the end of its task", async ({
  small,
}) => {
  small.make();
  const outcome = await swarm(small.box, {
    repository: small.repository,
    rules: [
      ...plan([{ key: "one" }]),
      ...work("one", [write("b.txt", "two\n"), bash("rm a.txt; echo three > c.txt")], handoff({ message: "Do one" })),
    ],
  });
  expect(landed(small.repository, outcome)).toEqual(["Do one [one]"]);
  const changes = git(small.repository, ["show", "--format=", "--name-status", String(outcome.json.branch)]);
  expect(changes.split("\n")).toEqual(["D\ta.txt", "A\tb.txt", "A\tc.txt"]);
  const task = outcome.store.task("one");
  const end = (await appends(String(outcome.json.store))).find((records) =>
    records.some(({ type, data }) => type === "task_done" && (data as { task: unknown }).task === task),
  );
  expect(end?.map(({ type }) => type)).toEqual(["commit", "task_done"]);
});

test("S5 what cannot be committed keeps its task from being done, and stays in the workspace", async ({ small }) => {
  small.make();
  const outcome = await swarm(small.box, {
    repository: small.repository,
    rules: [
      { role: "planner", turn: 3, last: "\\(one\\).*failed: I cannot commit it", calls: [giveUp("One failed.")] },
      ...plan([{ key: "one" }], giveUp("I was not told.")),
      ...work("one", [write("b.txt", "two\n"), bash("mkfifo pipe")], handoff()),
      {
        role: "worker",
        turn: 3,
        last: "not committed, since these cannot be: pipe",
        calls: [giveUp("I cannot commit it.")],
      },
    ],
  });
  expect(outcome.json).toMatchObject({ state: "failed", reason: "One failed.", branch: null, commits: 0 });
  expect(outcome.store.all("task_failed").map(({ task, workspace }) => [task, workspace])).toEqual([
    [outcome.store.task("one"), expect.stringMatching(/^\//)],
    ["t0", null],
  ]);
  expect(outcome.json.tasks).toEqual({ done: 0, failed: 1, dropped: 0, open: 0 });
  const [failed] = outcome.store.all("task_failed");
  expect(readFileSync(join(String(failed?.workspace), "b.txt"), "utf8")).toBe("two\n");
});

interface BadCalls {
  readonly kind: string;
  readonly variable: string;
  readonly base: string;
  readonly behaviour: Behaviour;
  /** Of the last call, whose arguments are no JSON; null where the protocol has no such call. */
  readonly last: readonly [outcome: string, text: unknown] | null;
}

const notJson = ["refused", expect.stringContaining("not run: the arguments are not valid JSON")] as const;
const cutOff = [
  "refused",
  expect.stringMatching(/^not run: your answer reached .* and this call was cut off\./),
] as const;

const badCalls: readonly BadCalls[] = [
  { kind: "anthropic", variable: "ANTHROPIC_API_KEY", base: "/v1", behaviour: { malformed: 7 }, last: notJson },
  { kind: "openai", variable: "OPENAI_API_KEY", base: "/v1", behaviour: { malformed: 7 }, last: notJson },
  { kind: "openai-chat", variable: "OPENAI_API_KEY", base: "/v1", behaviour: { malformed: 7 }, last: notJson },
  { kind: "openai-chat", variable: "OPENAI_API_KEY", base: "/v1", behaviour: { cutOff: 7 }, last: cutOff },
  // Its arguments are no text: a call that is cut off does not come.
  { kind: "google", variable: "GEMINI_API_KEY", base: "/v1beta", behaviour: { cutOff: 7 }, last: null },
];

test.for(badCalls)(
  "H4 $kind, $behaviour: valid, unknown, ill-typed and malformed calls of a worker have one result each, and the next request is accepted",
  async ({ kind, variable, base, behaviour, last }, { small }) => {
    small.make();
    const calls = [
      write("one.txt", "one\n"),
      call("launch", { at: "once" }),
      call("read_file", { path: 5 }),
      call("glob", { pattern: "*.txt" }),
      bash("touch never"),
    ];
    await using server = await serveRules([...plan([{ key: "one" }]), ...work("one", calls, handoff())], {
      behave: ({ role, turn }) => (role === "worker" && turn === 1 ? behaviour : {}),
    });
    const args = ["swarm", "Reach the goal", "--repo", small.repository, "--json", "--model", `${kind}/test-model`];
    const outcome = await outcomeOf(
      await skein(small.box, {
        args: [...args, "--base-url", `${kind}=${server.url}${base}`],
        env: { [variable]: KEY },
      }),
    );
    const expected = [
      ["write_file", "ok", expect.any(String)],
      ["launch", "refused", expect.stringMatching(/^not run: there is no tool "launch"\. The tools are: .*write_file/)],
      ["read_file", "error", expect.stringContaining("path")],
      ["glob", "ok", expect.stringContaining("one.txt")],
      ...(last === null ? [] : [["bash", ...last]]),
    ];
    const results = resultsOf(outcome, "one").filter(({ turn }) => turn === 1);
    expect(results.map(({ name, outcome: became, text }) => [name, became, text])).toEqual(expected);
    // The servers refuse a request that leaves a call without its result, or answers one twice.
    const asked = server.requests.filter(({ role }) => role === "worker");
    expect(asked.map(({ turn, outcome: became }) => [turn, became])).toEqual([
      [1, "whole"],
      [2, "whole"],
    ]);
    const sent = asked[1]?.messages.flatMap((message) => (message.role === "tool" ? message.results : [])) ?? [];
    // Protocols without a mark for errors have it in words.
    expect(sent.map(({ text }) => text.replace(/^error: /, ""))).toEqual(results.map(({ text }) => text));
    expect(landed(small.repository, outcome)).toEqual(["All is done. [one]"]);
    expect(git(small.repository, ["ls-tree", "--name-only", String(outcome.json.branch)])).toBe("a.txt\none.txt");
  },
);

test("H16 a provider's error in a worker is the failure of its task, with its text, and never a success", async ({
  small,
}) => {
  small.make();
  const text = "this model cannot stand the word yarn";
  await using server = await serveRules(
    [
      { role: "planner", turn: 3, last: `\\(bad\\).*failed: the model failed.*${text}`, calls: [handoff()] },
      ...plan([{ key: "good" }, { key: "bad" }], giveUp("I was not told.")),
      ...work("good", write("good.txt", "good\n"), handoff({ message: "Do good" })),
      ...work("bad", write("half.txt", "half\n"), handoff()),
    ],
    {
      behave: ({ taskKeys: [key], turn }) =>
        key === "bad" && turn === 2 ? { refuse: { code: "bad-request", message: text, retryAfterAs: "seconds" } } : {},
    },
  );
  const outcome = await onServer(small, server.url);
  expect(outcome.json).toMatchObject({ state: "finished", tasks: { done: 1, failed: 1, dropped: 0, open: 0 } });
  expect(landed(small.repository, outcome)).toEqual(["Do good [good]"]);
  const reason = `the model failed (bad-request): status 400: ${text}`;
  expect(outcome.store.all("task_failed")).toEqual([
    { task: outcome.store.task("bad"), reason, handoff: null, workspace: expect.stringMatching(/^\//) },
  ]);
  expect(outcome.ended.stderr).toContain(`bad failed: ${reason}`);
});

test("H16 a worker that reaches its limit of requests has failed, and its planner is told that", async ({ small }) => {
  small.make();
  // No two results are alike, so that it does not count as going round in circles.
  const on = bash("od -An -N8 -tx8 /dev/urandom");
  const outcome = await swarm(small.box, {
    repository: small.repository,
    rules: [
      { role: "planner", turn: 3, last: "\\(one\\).*failed: reached its limit", calls: [giveUp("One has failed.")] },
      ...plan([{ key: "one" }], giveUp("I was not told.")),
      { role: "worker", calls: [on] },
    ],
  });
  expect(outcome.json).toMatchObject({ state: "failed", reason: "One has failed.", branch: null });
  expect(outcome.json.roles).toMatchObject({ worker: { requests: 100 } });
  expect(outcome.store.all("task_failed")[0]?.reason).toBe("reached its limit of 100 model requests");
  expect(outcome.store.all("agent_ended").map((end) => end.outcome)).toContain("turn-limit");
});

test("H18 six workers at a provider that allows three at once all finish, and wait as long as it says", async ({
  small,
}) => {
  small.make();
  const keys = ["k1", "k2", "k3", "k4", "k5", "k6"];
  const rules: readonly Rule[] = [
    ...plan(keys.map((key) => ({ key }))),
    ...keys.flatMap((key) => work(key, write(`${key}.txt`, `${key}\n`), handoff({ message: `Do ${key}` }))),
  ];
  const retryAfterMs = 1_000;
  await using server = await serveRules(rules, {
    concurrentMax: 3,
    retryAfterMs,
    behave: ({ role }) => (role === "worker" ? { delayMs: 400 } : {}),
  });
  const outcome = await onServer(small, server.url, "--workers", "6");
  expect(outcome.ended.exitCode, outcome.ended.stderr).toBe(0);
  expect(outcome.json).toMatchObject({ state: "finished", tasks: { done: 6, failed: 0, dropped: 0, open: 0 } });
  expect([...landed(small.repository, outcome)].sort()).toEqual(keys.map((key) => `Do ${key} [${key}]`));
  const refused = server.requests.filter(({ outcome: became }) => became === "refused 429");
  expect(refused.length).toBeGreaterThan(0);
  const early = refused.filter((request) => {
    const next = server.requests.find(
      ({ number, taskKeys }) => number > request.number && taskKeys[0] === request.taskKeys[0],
    );
    return next === undefined || next.atMs - request.atMs < retryAfterMs;
  });
  expect(early).toEqual([]);
  // What was refused is no request in the bill: three of the planner, two of each worker.
  expect(outcome.json.roles).toMatchObject({ planner: { requests: 3 }, worker: { requests: 12 } });
});

test("H23 what a provider does not tell of a worker is unavailable in the bill, beside the number of such requests", async ({
  small,
}) => {
  small.make();
  writeUserConfig(small.box, { prices: { [chat]: { input: 2, cached: 0.5, output: 10 } } });
  await using server = await serveRules(
    [...plan([{ key: "one" }]), ...work("one", write("one.txt", "one\n"), bash("true"), handoff())],
    { behave: ({ role, turn }) => (role === "worker" && turn === 2 ? { usage: "none" } : {}) },
  );
  const outcome = await onServer(small, server.url);
  expect(outcome.ended.exitCode, outcome.ended.stderr).toBe(0);
  const unknown = { inputTokens: "unavailable", cachedTokens: "unavailable", outputTokens: "unavailable" };
  const roles = {
    // 600 fresh at $2, 400 cached at $0.50 and 50 of output at $10 a million: $0.0019 a request.
    planner: {
      requests: 3,
      requestsFailed: 0,
      attempts: 3,
      requestsIncomplete: 0,
      inputTokens: 3_000,
      cachedTokens: 1_200,
      outputTokens: 150,
      costUsd: expect.closeTo(0.0057, 9),
    },
    worker: { requests: 3, requestsFailed: 0, attempts: 3, requestsIncomplete: 1, ...unknown, costUsd: "unavailable" },
  };
  expect([outcome.json.roles, outcome.json.spentUsd]).toEqual([roles, "unavailable"]);
  const status = await skein(small.box, { args: ["swarm", "status", String(outcome.json.runId), "--json"] });
  expect(JSON.parse(status.stdout).summary).toMatchObject({
    roles,
    total: { requests: 6, requestsIncomplete: 1, ...unknown, costUsd: "unavailable" },
  });
  expect(
    outcome.ended.stderr
      .split("\n")
      .filter((line) => /^ {4}\S/.test(line))
      .map((line) => line.trim().split(/ {2,}/)),
  ).toEqual(
    expect.arrayContaining([
      ["planner", "3", "3.0k", "1.2k", "150", "$0.0057"],
      ["worker", "3", "unavailable", "unavailable", "unavailable", "unavailable"],
      ["all", "6", "unavailable", "unavailable", "unavailable", "unavailable"],
      ["1 of 6 requests without all figures from the provider"],
    ]),
  );
});

const missing = [
  {
    name: "ripgrep",
    programs: ["bash", "git", "bwrap"],
    call: call("grep", { pattern: "one" }),
    fault:
      "environment fault: ripgrep could not be started (the program rg was not found). This is not a fault of your call; trying again will not help.",
  },
  {
    name: "bash",
    programs: ["git", "bwrap"],
    call: bash("true"),
    fault:
      "environment fault: bash could not be started (the program bash was not found). This is not a fault of your call; trying again will not help.",
  },
];

test.for(missing)(
  "H21 a missing $name is told to a worker as a fault of the environment, apart from its own mistakes",
  async ({ programs, call: uses, fault }, { small }) => {
    small.make();
    const model = writeScript(join(small.box.root, "script.json"), [
      ...plan([{ key: "one" }]),
      ...work("one", [uses, call("read_file", { path: "none.txt" }), write("b.txt", "two\n")], handoff()),
    ]);
    const outcome = await outcomeOf(
      await skein(small.box, {
        program: withoutRipgrep(small.box),
        args: ["swarm", "Reach the goal", "--repo", small.repository, "--json", "--model", model],
        env: { PATH: pathOf(small.box, programs) },
      }),
    );
    expect(outcome.ended.exitCode, outcome.ended.stderr).toBe(0);
    const [first, ...others] = resultsOf(outcome, "one");
    expect([first?.outcome, first?.text]).toEqual(["fault", fault]);
    expect(others.map((result) => result.outcome)).toEqual(["error", "ok", "ended"]);
    expect(landed(small.repository, outcome)).toEqual(["All is done. [one]"]);
  },
);

test("H21 skein doctor names a missing ripgrep", async ({ small: { box } }) => {
  const program = withoutRipgrep(box);
  const ended = await skein(box, { program, args: ["doctor", "--json"], env: { PATH: pathOf(box, ["bash", "git"]) } });
  expect(ended.exitCode).toBe(1);
  const { findings } = JSON.parse(ended.stdout);
  expect(findings.filter(({ state }: { state: string }) => state === "missing")).toEqual([
    {
      name: "ripgrep",
      state: "missing",
      detail: expect.stringContaining("rg: command not found"),
      remedy: "reinstall skein: ripgrep is part of its packages",
    },
  ]);
});

/** An installation that lacks the optional package with ripgrep's program for this platform. */
function withoutRipgrep({ root }: Sandbox): string {
  const install = join(root, "install");
  for (const name of ["dist", "package.json", join("node_modules", "@vscode", "ripgrep")])
    cpSync(join(packageRoot, name), join(install, name), { recursive: true });
  return join(install, "dist", "skein.cjs");
}

/** A PATH with these programs alone. */
function pathOf({ root, env }: Sandbox, programs: readonly string[]): string {
  const directory = join(root, "programs");
  mkdirSync(directory);
  for (const program of programs) {
    const places = String(env.PATH)
      .split(delimiter)
      .map((place) => join(place, program));
    symlinkSync(places.find(existsSync) ?? program, join(directory, program));
  }
  return directory;
}
