// Swarms on the real protocols, against a server on this machine: who is offered which tools, what it costs, who sees the key, and
// what a person reads when the provider fails.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { git } from "../../src/testing/git/real-repository.ts";
import type { Behaviour } from "../servers/behaviour.ts";
import type { SeenRequest } from "../servers/server.ts";
import { KEY, serveRules, writeUserConfig } from "../support/provider.ts";
import { bash, handoff, plan, type Rule, work, write } from "../support/script.ts";
import { type Ended, eventually, lastJson, skein, startSkein } from "../support/skein.ts";
import { type Small, smallTest } from "../support/small-repository.ts";
import { landed, outcomeOf } from "../support/swarm.ts";

const test = smallTest.concurrent;

const rules: readonly Rule[] = [
  ...plan([{ key: "one" }]),
  ...work("one", write("one.txt", "one\n"), handoff({ message: "Do one" })),
];

const kinds = [
  { kind: "anthropic", variable: "ANTHROPIC_API_KEY" },
  { kind: "openai", variable: "OPENAI_API_KEY" },
  { kind: "openai-chat", variable: "OPENAI_API_KEY" },
  { kind: "google", variable: "GEMINI_API_KEY" },
  { kind: "openai-compatible", variable: "OPENAI_COMPATIBLE_API_KEY" },
  { kind: "ollama", variable: null },
] as const;

const priceOf = { input: 2, cached: 0.5, output: 10 };

function start(
  { box, repository }: Small,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  return skein(box, { args: ["swarm", "Reach the goal", "--repo", repository, "--json", ...args], env });
}

test.for(kinds)("$kind: from goal to branch, with a bill that adds up", async ({ kind, variable }, { small }) => {
  small.make();
  await using server = await serveRules(rules, { apiKey: variable === null ? null : KEY });
  writeUserConfig(small.box, { prices: { [`${kind}/test-model`]: priceOf } });
  const flags = [
    "--model",
    `${kind}/test-model`,
    "--base-url",
    `${kind}=${server.url}${kind === "google" ? "/v1beta" : "/v1"}`,
  ];
  const outcome = await outcomeOf(await start(small, flags, variable === null ? {} : { [variable]: KEY }));
  expect(outcome.ended.exitCode, outcome.ended.stderr).toBe(0);
  expect(landed(small.repository, outcome)).toEqual(["Do one [one]"]);
  // 600 fresh at $2, 400 cached at $0.50 and 50 of output at $10 a million: $0.0019 a request. Anthropic counts what is written to
  // its cache apart, which the script leaves out.
  const requests = { planner: 3, worker: 2 };
  const bill = (count: number) => ({
    requests: count,
    requestsFailed: 0,
    attempts: count,
    requestsIncomplete: 0,
    inputTokens: 1_000 * count,
    cachedTokens: 400 * count,
    outputTokens: 50 * count,
    costUsd: expect.closeTo(0.0019 * count, 9),
  });
  expect(outcome.json.roles).toEqual({ planner: bill(requests.planner), worker: bill(requests.worker) });
  expect(outcome.json).toMatchObject({ scripted: false, label: null, budgetUsd: null, resume: null });
  expect(outcome.json.spentUsd).toBeCloseTo(0.0019 * 5, 9);
  expect(server.requests).toHaveLength(5);
  expect(outcome.ended.stderr).toMatch(
    new RegExp(
      `model: ${kind}/test-model at ${server.url}/\\w+ \\(--base-url\\), \\$2 in, \\$10 out per million tokens, from --model\n`,
    ),
  );
  toolsByRole(server.requests);
});

/** Nothing of a planner's tools at a worker, and the other way round. */
function toolsByRole(requests: readonly SeenRequest[]): void {
  const offered = (role: string) => new Set(requests.filter((one) => one.role === role).flatMap(({ tools }) => tools));
  const [planner, worker] = [offered("planner"), offered("worker")];
  expect([planner.has("delegate"), planner.has("decide"), planner.has("edit_file"), planner.has("bash")]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect([worker.has("delegate"), worker.has("decide"), worker.has("edit_file"), worker.has("bash")]).toEqual([
    false,
    false,
    true,
    true,
  ]);
}

test("no process but the command's own has the key, and nothing that is written holds it", async ({ small }) => {
  small.make();
  // Without the sandbox, in which there is nobody to look at.
  const free = ["--sandbox", "off"];
  // A shell command looks at its own environment, at its parent's (the worker host) and at its parent's arguments.
  const look = `{ env; cat /proc/self/environ /proc/$PPID/environ /proc/$PPID/cmdline; } | tr '\\0' '\\n' > "$HOME/seen"`;
  await using server = await serveRules([
    ...plan([{ key: "one", check: 'env > "$HOME/checked"' }]),
    ...work("one", [write("one.txt", "one\n"), bash(look)], handoff({ message: "Do one" })),
  ]);
  const record = join(small.box.root, "traffic");
  const flags = ["--model", "openai-chat/test-model", "--base-url", server.url, "--record", record];
  const ended = await start(small, [...flags, ...free, "--check", 'env > "$HOME/final"'], { OPENAI_API_KEY: KEY });
  expect(ended.exitCode, ended.stderr).toBe(0);
  const seen = ["seen", "checked", "final"].map((name) => readFileSync(join(small.box.home, name), "utf8"));
  expect(seen[0]).toContain("worker-host.js");
  expect(seen.filter((text) => text.includes(KEY) || text.includes("OPENAI_API_KEY"))).toEqual([]);
  const written = filesUnder(small.box.state, record, small.repository).filter((path) =>
    readFileSync(path).includes(KEY),
  );
  expect([written, `${ended.stdout}${ended.stderr}`.includes(KEY)]).toEqual([[], false]);

  // What was recorded answers again, from the directory alone.
  await server.close();
  const again = await outcomeOf(await start(small, ["--model", `replay:${record}`, ...free], {}));
  expect(landed(small.repository, again)).toEqual(["Do one [one]"]);
  expect(again.json).toMatchObject({ state: "finished", scripted: true });
});

test("a recording of workers that commit side by side answers again, whoever is faster then", async ({ small }) => {
  small.make();
  const keys = ["one", "two", "three", "four"];
  const commit = (key: string) => ({ tool: "commit", input: { message: `Begin ${key}` } });
  await using server = await serveRules([
    ...plan(keys.map((key) => ({ key }))),
    ...keys.flatMap((key) =>
      work(
        key,
        [write(`${key}.txt`, "1\n"), commit(key)],
        [write(`${key}.txt`, "2\n"), commit(key)],
        handoff({ message: `End ${key}` }),
      ),
    ),
  ]);
  const record = join(small.box.root, "traffic");
  const flags = ["--model", "openai-chat/test-model", "--base-url", server.url, "--record", record];
  const first = await outcomeOf(await start(small, flags, { OPENAI_API_KEY: KEY }));
  await server.close();
  const again = await outcomeOf(await start(small, ["--model", `replay:${record}`], {}));
  const treeOf = ({ json }: typeof first) => git(small.repository, ["rev-parse", `${json.branch}^{tree}`]);
  expect([again.ended.exitCode, treeOf(again)]).toEqual([0, treeOf(first)]);
});

test("a key that a command finds in another process does not get to the model or into a transcript", async ({
  small,
}) => {
  small.make();
  // Anybody's environment can be read by whoever has the rights: what is found must not get on.
  const steal = `for p in /proc/[0-9]*; do tr '\\0' '\\n' < $p/environ 2>/dev/null; done | grep OPENAI_API_KEY=`;
  await using server = await serveRules([
    ...plan([{ key: "one" }]),
    ...work("one", [write("one.txt", "one\n"), bash(steal)], handoff()),
  ]);
  // Without the sandbox, in which nothing is found.
  const flags = ["--model", "openai-chat/test-model", "--base-url", server.url, "--sandbox", "off"];
  const ended = await start(small, flags, { OPENAI_API_KEY: KEY });
  expect(ended.exitCode, ended.stderr).toBe(0);
  const sent = server.requests.map(({ body }) => JSON.stringify(body));
  const holds = (text: string): boolean => sent.some((body) => body.includes(text));
  expect([holds("OPENAI_API_KEY=[key removed]"), holds(KEY)]).toEqual([true, false]);
  expect(filesUnder(small.box.state).filter((path) => readFileSync(path).includes(KEY))).toEqual([]);
});

function filesUnder(...roots: readonly string[]): readonly string[] {
  return roots.flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: "utf8" })
      .map((name) => join(root, name))
      .filter((path) => statSync(path).isFile()),
  );
}

test("two roles at two providers have a line and a bill each", async ({ small }) => {
  small.make();
  await using server = await serveRules(rules);
  const flags = ["--planner", "anthropic/claude-haiku-4-5", "--worker", "openai-compatible/qwen"];
  const urls = ["--base-url", `anthropic=${server.url}`, "--base-url", `openai-compatible=${server.url}/v1`];
  const env = { ANTHROPIC_API_KEY: KEY, OPENAI_COMPATIBLE_API_KEY: KEY };
  const ended = await start(small, [...flags, ...urls], env);
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(server.requests.map(({ role, protocol, model }) => `${role} ${protocol} ${model}`)).toEqual([
    "planner anthropic claude-haiku-4-5",
    "planner anthropic claude-haiku-4-5",
    ...["worker chat qwen", "worker chat qwen"],
    "planner anthropic claude-haiku-4-5",
  ]);
  expect(ended.stderr).toContain("model of workers, arbiters: openai-compatible/qwen at");
  // A model on one's own machine has no price until its owner says one.
  expect(lastJson(ended)).toMatchObject({ spentUsd: "unavailable", roles: { worker: { costUsd: "unavailable" } } });
});

interface Failing {
  readonly name: string;
  readonly refuses: Behaviour;
  readonly reason: RegExp;
  readonly next: string;
}

const failures: readonly Failing[] = [
  {
    name: "401",
    refuses: { refuse: { code: "unauthorized", message: "no such key", retryAfterAs: "seconds" } },
    reason: /^the model openai-chat\/test-model failed \(unauthorized\): status 401: no such key$/,
    next: "the provider refuses the key",
  },
  {
    name: "a model that nobody knows",
    refuses: { refuse: { code: "not-found", message: "no model named test-model", retryAfterAs: "seconds" } },
    reason: /^the model openai-chat\/test-model failed \(not-found\): status 404: no model named test-model$/,
    next: "the provider knows no such model or address: see that the model's name is right",
  },
  {
    name: "a 403 for quota, which is no bad key (S18)",
    refuses: { refuse: { code: "quota", message: "you exceeded your current quota", retryAfterAs: "seconds" } },
    reason: /^the model openai-chat\/test-model failed \(quota\): .*you exceeded your current quota$/,
    next: "the account has no credit or quota left",
  },
  {
    name: "429 with a time to wait that is too long for a request",
    refuses: {
      refuse: { code: "rate-limit", message: "slow down", retryAfterMs: 7_200_000, retryAfterAs: "seconds" },
    },
    reason: /^the model openai-chat\/test-model failed \(rate-limit\): status 429: slow down; given up: /,
    next: "the provider refused for too long",
  },
  {
    name: "500 again and again",
    refuses: { refuse: { code: "other", message: "it broke", retryAfterAs: "seconds" } },
    reason: /^the model openai-chat\/test-model failed \(other\): status 500: it broke; given up after 5 attempts$/,
    next: "the provider failed again and again",
  },
  {
    name: "a page of HTML instead of a stream",
    refuses: { garbage: "html" },
    reason: /^the model openai-chat\/test-model failed \(bad-answer\): .*; given up after 5 attempts$/,
    next: "what answers is no server of that kind of model",
  },
];

/** `one` lands; `two` is met by the failure between two of its calls, `three` beside it. */
const onTheWay: readonly Rule[] = [
  ...plan([{ key: "one" }, { key: "two", after: ["one"] }, { key: "three", after: ["one"] }]),
  ...work("one", write("one.txt", "one\n"), handoff({ message: "Do one" })),
  ...work("two", write("two.txt", "two\n"), bash("echo more >> two.txt"), handoff({ message: "Do two" })),
  ...work("three", write("three.txt", "three\n"), bash("true"), handoff({ message: "Do three" })),
];

const answeredOf = (requests: readonly SeenRequest[]) =>
  requests
    .filter(({ outcome }) => outcome === "whole")
    .map(({ role, taskKeys: [key], turn }) => `${role} ${key} ${turn}`)
    .sort();

test.for(failures)(
  "$name: the run stops with what landed, the reason and the next step, and goes on where it was once that is mended",
  async ({ refuses, reason, next }, { small }) => {
    small.make();
    let fails = true;
    const met = ({ taskKeys: [key], turn }: SeenRequest) => key !== "one" && key !== "root" && turn === 2;
    await using server = await serveRules(onTheWay, { behave: (request) => (fails && met(request) ? refuses : {}) });
    const flags = ["--model", "openai-chat/test-model", "--base-url", server.url];
    const first = await outcomeOf(await start(small, flags, { OPENAI_API_KEY: KEY }));
    const { runId } = first.json;
    expect(first.json).toMatchObject({
      state: "stopped",
      reason: expect.stringMatching(reason),
      next: expect.stringMatching(new RegExp(`^${next}.*; then: skein swarm --resume ${runId}$`)),
      resume: `skein swarm --resume ${runId}`,
      tasks: { done: 1, failed: 0, dropped: 0, open: 2 },
    });
    expect([first.ended.exitCode, landed(small.repository, first)]).toEqual([1, ["Do one [one]"]]);
    const listed = await skein(small.box, { args: ["runs", "--json"] });
    expect(JSON.parse(listed.stdout)).toMatchObject([{ runId, state: "stopped", reason: first.json.reason }]);

    fails = false;
    const args = ["swarm", "--resume", String(runId), "--json"];
    const second = await outcomeOf(await skein(small.box, { args, env: { OPENAI_API_KEY: KEY } }));
    expect(second.ended.exitCode, second.ended.stderr).toBe(0);
    expect([...landed(small.repository, second)].sort()).toEqual(["Do one [one]", "Do three [three]", "Do two [two]"]);
    expect(git(small.repository, ["show", `${second.json.branch}:two.txt`])).toBe("two\nmore");
    // In the same conversations: what was answered is not asked again.
    const turns = (name: string, count: number) => Array.from({ length: count }, (_, turn) => `${name} ${turn + 1}`);
    expect(answeredOf(server.requests)).toEqual(
      [
        ...turns("planner root", 3),
        ...turns("worker one", 2),
        ...turns("worker two", 3),
        ...turns("worker three", 3),
      ].sort(),
    );
    expect(`${first.ended.stderr}${second.ended.stderr}`).not.toContain(KEY);
  },
);

test("a provider that is not there when the run begins stops it before anything is lost", async ({ small }) => {
  small.make();
  const gone = await serveRules(rules);
  await gone.close();
  const flags = ["--model", "openai-chat/test-model", "--base-url", gone.url];
  const first = await start(small, flags, { OPENAI_API_KEY: KEY });
  const { runId, ...json } = lastJson(first);
  expect([first.exitCode, json]).toEqual([
    1,
    expect.objectContaining({
      state: "stopped",
      commits: 0,
      branch: null,
      reason: expect.stringMatching(/^the model openai-chat\/test-model failed \(unreachable\): .*ECONNREFUSED/),
      resume: `skein swarm --resume ${runId}`,
    }),
  ]);
  expect(git(small.repository, ["for-each-ref", "--format=%(refname)"])).toBe("refs/heads/main");
  await using server = await serveRules(rules, { port: Number(new URL(gone.url).port) });
  const args = ["swarm", "--resume", String(runId), "--json"];
  const second = await outcomeOf(await skein(small.box, { args, env: { OPENAI_API_KEY: KEY } }));
  expect(second.ended.exitCode, second.ended.stderr).toBe(0);
  expect([landed(small.repository, second), server.requests.length]).toEqual([["Do one [one]"], 5]);
});

test("S17 errors of HTTP are not charged: a small budget lasts through an outage, and the run goes on within it", async ({
  small,
}) => {
  small.make();
  writeUserConfig(small.box, { prices: { "openai-chat/test-model": priceOf } });
  let fails = true;
  const broken: Behaviour = { refuse: { code: "other", status: 502, message: "boom", retryAfterAs: "seconds" } };
  const behave = ({ role }: SeenRequest) => (fails && role === "worker" ? broken : {});
  await using server = await serveRules(rules, { behave });
  // Five requests at $0.0019, and room for what one of them can cost at the most.
  const flags = ["--model", "openai-chat/test-model", "--base-url", server.url, "--budget", "0.5"];
  const first = await start(small, flags, { OPENAI_API_KEY: KEY });
  const { runId, ...json } = lastJson(first);
  expect(json).toMatchObject({
    reason: "the model openai-chat/test-model failed (other): status 502: boom; given up after 5 attempts",
    spentUsd: expect.closeTo(0.0038, 9),
    assumedUsd: 0,
    requestsAssumed: 0,
    requests: { made: 3, failed: 1, untold: 0, attempts: 7 },
  });
  fails = false;
  const second = await skein(small.box, {
    args: ["swarm", "--resume", String(runId), "--json"],
    env: { OPENAI_API_KEY: KEY },
  });
  expect([second.exitCode, lastJson(second)]).toEqual([
    0,
    expect.objectContaining({ state: "finished", spentUsd: expect.closeTo(0.0095, 9), assumedUsd: 0 }),
  ]);
});

test("S17 where connections that break have used the budget up, the reason and the next step say so, and the command goes on", async ({
  small,
}) => {
  small.make();
  writeUserConfig(small.box, { prices: { "openai-chat/test-model": priceOf } });
  let fails = true;
  const behave = ({ role }: SeenRequest): Behaviour =>
    fails && role === "worker" ? { broken: { after: 60, how: "reset" } } : {};
  await using server = await serveRules(rules, { behave });
  const flags = ["--model", "openai-chat/test-model", "--base-url", server.url, "--budget", "0.5"];
  const { runId, reason, next, resume, requestsAssumed } = lastJson(await start(small, flags, { OPENAI_API_KEY: KEY }));
  expect([reason, next, resume, requestsAssumed]).toEqual([
    expect.stringMatching(
      /^the budget of \$0\.5 has \$0\.\d+ left, too little for another request, which can cost \$0\.\d+; \d attempts? that failed counts? with \$0\.\d+ at the most, the last: the model openai-chat\/test-model failed \(network\): /,
    ),
    `the connection to the server breaks off: see the connection and the server; then use a larger --budget, since what the failed attempts may have cost stays counted; then: ${resume}`,
    expect.stringMatching(new RegExp(`^skein swarm --resume ${runId} --budget \\d+(\\.\\d+)?$`)),
    1,
  ]);
  fails = false;
  const args = [...String(resume).split(" ").slice(1), "--json"];
  const second = await skein(small.box, { args, env: { OPENAI_API_KEY: KEY } });
  expect([second.exitCode, lastJson(second).state]).toEqual([0, "finished"]);
});

interface Refused {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly says: readonly string[];
}

test("Ctrl-C gives requests that wait for their turn up at once: they are neither sent nor counted, and are made when it goes on", async ({
  small,
}) => {
  small.make();
  const keys = ["one", "two", "three"];
  const fan: readonly Rule[] = [
    ...plan(keys.map((key) => ({ key }))),
    ...keys.flatMap((key) => work(key, write(`${key}.txt`, `${key}\n`), handoff({ message: `Do ${key}` }))),
  ];
  await using server = await serveRules(fan, { apiKey: KEY });
  const flags = ["--model", "openai-chat/test-model", "--base-url", server.url, "--requests-per-minute", "3"];
  const swarm = ["swarm", "Reach the goal", "--repo", small.repository, "--json", ...flags];
  const env = { OPENAI_API_KEY: KEY };
  const running = startSkein(small.box, { args: swarm, env });
  // The planner has asked twice and one worker once; three agents wait for the rest of the minute.
  await eventually("three requests are made", () => (server.requests.length === 3 ? true : null));
  await eventually("all workers have begun", () =>
    running.stderr().match(/ running by /g)?.length === 3 ? true : null,
  );
  running.kill("SIGINT");
  const stopped = await outcomeOf(await running.ended);
  expect([stopped.ended.exitCode, server.requests.length, stopped.json.requests]).toEqual([
    130,
    3,
    { made: 3, failed: 0, untold: 0, attempts: 3 },
  ]);
  expect(stopped.json).toMatchObject({ state: "stopped", tasks: { done: 0, failed: 0, dropped: 0, open: 3 } });
  const again = ["swarm", "--resume", String(stopped.json.runId), "--requests-per-minute", "1000", "--json"];
  const { ended, json } = await outcomeOf(await skein(small.box, { args: again, env }));
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect([json.requests, server.requests.length]).toEqual([{ made: 9, failed: 0, untold: 0, attempts: 9 }, 9]);
});

const refused: readonly Refused[] = [
  {
    name: "a missing key names its variable",
    args: ["--model", "anthropic/claude-haiku-4-5"],
    says: ["anthropic/claude-haiku-4-5 needs a key, and ANTHROPIC_API_KEY is not set", "export ANTHROPIC_API_KEY="],
  },
  {
    name: "an unknown provider",
    args: ["--model", "antropic/claude-haiku-4-5"],
    says: ["antropic is not a provider; did you mean anthropic/claude-haiku-4-5?"],
  },
  {
    name: "an address that nobody named",
    args: ["--model", "openai-compatible/x"],
    says: ["openai-compatible/x needs the address of its server", "--base-url"],
  },
  {
    name: "a budget without a price",
    args: ["--model", "openai-compatible/x", "--base-url", "http://127.0.0.1:9/v1", "--budget", "5"],
    says: ["the price of openai-compatible/x is not known", 'prices["openai-compatible/x"]', "config.json"],
  },
  {
    name: "a budget of nothing",
    args: ["--model", "anthropic/claude-haiku-4-5", "--budget", "0"],
    env: { ANTHROPIC_API_KEY: KEY },
    says: ["--budget"],
  },
  {
    name: "no requests a minute",
    args: ["--model", "ollama/x", "--requests-per-minute", "0"],
    says: ["--requests-per-minute 0: a whole number from 1 to 1000000 is needed"],
  },
];

test.for(refused)("$name: refused before anything is made", async ({ args, env = {}, says }, { small }) => {
  small.make();
  const ended = await start(small, args, env);
  expect(ended.exitCode).toBe(2);
  for (const text of says) expect(ended.stderr).toContain(text);
  expect(JSON.parse(ended.stdout)).toMatchObject({ exitCode: 2 });
  expect(readdirSync(small.box.state)).toEqual([]);
});

test("S17: skein run asks the real protocol too, within its budget", async ({ small }) => {
  small.make();
  await using server = await serveRules([
    { role: "solo", turn: 1, calls: [bash("env")] },
    { role: "solo", say: "done" },
  ]);
  writeUserConfig(small.box, { prices: { "openai-chat/test-model": priceOf } });
  const flags = ["--model", "openai-chat/test-model", "--base-url", server.url, "--json"];
  const run = (...more: readonly string[]) =>
    skein(small.box, {
      args: ["run", "the task", ...flags, ...more],
      cwd: small.repository,
      env: { OPENAI_API_KEY: KEY },
    });
  const within = await run("--budget", "1");
  expect([within.exitCode, lastJson(within)]).toEqual([
    0,
    expect.objectContaining({
      outcome: "stopped",
      text: "done",
      requests: 2,
      costUsd: expect.closeTo(0.0038, 9),
      model: "openai-chat/test-model",
    }),
  ]);
  const beyond = await run("--budget", "0.001");
  expect([beyond.exitCode, lastJson(beyond)]).toEqual([1, expect.objectContaining({ outcome: "budget", requests: 0 })]);
  const goesOn = `skein run --resume ${lastJson(beyond).runId} --budget `;
  expect(beyond.stderr).toContain(`next: use a larger --budget\ngo on: ${goesOn}`);
  expect(lastJson(beyond).resume).toMatch(new RegExp(`^${goesOn}0\\.\\d+$`));
  expect(server.requests).toHaveLength(2);
});
