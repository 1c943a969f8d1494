// What a configuration file may say, and the sentence for each thing it may not.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { configJsonSchema } from "./config-schema.ts";
import { type ConfigScope, parseConfig } from "./config-text.ts";
import { settingsMax } from "./settings-max.ts";
import { workersMax } from "./swarm.ts";

const problems = (text: string, scope: ConfigScope = "project") => {
  const parsed = parseConfig(text, "/r/skein.config.json", scope);
  return parsed.ok ? [] : parsed.error.problems;
};
const refused = (value: unknown, scope?: ConfigScope) => problems(JSON.stringify(value), scope);

const whole = {
  $schema: "./node_modules/skein/schema/skein.config.schema.json",
  model: "anthropic/claude-haiku-4-5",
  roles: {
    planner: { model: "anthropic/claude-opus-4-6", maxOutputTokens: 32_000 },
    worker: { model: "openai-compatible/org/model:free" },
    arbiter: {},
    solo: { model: "ollama/qwen3:8b" },
  },
  providers: { anthropic: { apiKeyEnv: "TEAM_KEY" }, "openai-compatible": { baseUrl: "http://127.0.0.1:8080/v1" } },
  prices: {
    "openai-compatible/org/model:free": { input: 0, output: 0 },
    "google/g": { input: 1, cached: 0.1, cacheWrite: 1.25, output: 4 },
  },
  limits: { budgetUsd: 5.5, requests: 100, tasks: 20, depth: 2, minutes: 30, workers: 8 },
  check: "npm test",
};

test("a file may use every setting, and none", () => {
  expect(parseConfig(`\ufeff${JSON.stringify(whole)}`, "/r/c.json", "project")).toEqual({ ok: true, value: whole });
  expect(parseConfig("{}", "/r/c.json", "user")).toEqual({ ok: true, value: {} });
});

test("each problem is named with its field and what is allowed, all of them at once", () => {
  const value = {
    model: "claude-haiku-4-5",
    modell: "x",
    roles: { planer: {}, worker: { temperature: 1, maxOutputTokens: 0.5 } },
    providers: { ollama: { baseUrl: "ftp://a/b" }, anthropic: { apiKeyEnv: "lower-case" } },
    prices: { "gpt-4o": { input: 1, output: 1 }, "openai/gpt-4o": { input: -1 } },
    limits: { budget: 5, workers: 4_000, minutes: "ten" },
  };
  expect(refused(value)).toMatchInlineSnapshot(`
    [
      "model: claude-haiku-4-5 names no provider; did you mean anthropic/claude-haiku-4-5? (the forms are <provider>/<model> (anthropic, openai, openai-chat, google, openai-compatible, ollama), script:<file> and replay:<directory>)",
      "roles.worker.maxOutputTokens: expected a whole number",
      "roles.worker.temperature: is not a setting (allowed: model, maxOutputTokens, contextTokens)",
      "roles.planer: is not a setting; did you mean planner? (allowed: solo, child, planner, worker, arbiter)",
      "providers.anthropic.apiKeyEnv: expected the name of an environment variable such as MY_API_KEY (capitals, digits, _), never a key itself",
      "providers.ollama.baseUrl: expected an address such as https://models.example/v1: http or https, without user name, key, ? or #",
      "prices.gpt-4o: gpt-4o names no provider; did you mean openai/gpt-4o? (the forms are <provider>/<model> (anthropic, openai, openai-chat, google, openai-compatible, ollama), script:<file> and replay:<directory>)",
      "prices["openai/gpt-4o"].input: Too small: expected number to be >=0",
      "prices["openai/gpt-4o"].output: expected number, received undefined",
      "limits.minutes: expected number, received string",
      "limits.workers: Too big: expected number to be <=1000",
      "limits.budget: is not a setting; did you mean budgetUsd? (allowed: budgetUsd, requests, tasks, depth, minutes, workers)",
      "modell: is not a setting; did you mean model? (allowed: $schema, model, roles, providers, prices, limits, sessions, workspaces, caseOnlyNames, approval, sandbox, hooks, hookFiles, trustedHooks, check)",
    ]
  `);
});

test.each<[string, string, string]>([
  [
    "a comment",
    '{\n  // mine\n  "model": "ollama/x"\n}',
    "is not valid JSON (line 2, column 3); comments and trailing commas are not allowed",
  ],
  [
    "a trailing comma",
    '{"check": "a",}',
    "is not valid JSON (line 1, column 15); comments and trailing commas are not allowed",
  ],
  ["an empty file", "", "is not valid JSON; comments and trailing commas are not allowed"],
  ["a list", "[]", "expected object, received array"],
  ["null", "null", "expected object, received null"],
])("%s is refused", (_, text, problem) => {
  expect(problems(text)).toEqual([problem]);
});

test("a name that JavaScript gives a meaning is a name like any other", () => {
  expect(problems('{"constructor": 1}')).toEqual([
    "constructor: is not a setting (allowed: $schema, model, roles, providers, prices, limits, sessions, workspaces, caseOnlyNames, approval, sandbox, hooks, hookFiles, trustedHooks, check)",
  ]);
  expect(problems('{"prices": {"__proto__": {"input": 1, "output": 1}}}')).toEqual([
    "a name in prices: __proto__ is not a setting",
  ]);
});

test("a file nested as deep as it may be large is refused, not followed", () => {
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  expect(problems(`{"check": ${deep}}`)).toEqual(["check: expected string, received array"]);
});

const secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz";

test.each<[string, unknown, string]>([
  [
    "in the key's variable",
    { providers: { anthropic: { apiKeyEnv: secret } } },
    "providers.anthropic.apiKeyEnv: holds what looks like a key",
  ],
  [
    "in a field of its own",
    { providers: { openai: { apiKey: "anything" } } },
    "providers.openai.apiKey: keys are never read",
  ],
  ["as a name", { providers: { [secret]: {} } }, "a name in providers: holds what looks like a key"],
  [
    "in an address",
    { providers: { ollama: { baseUrl: "https://user:hunter2hunter2@h.example/v1" } } },
    "providers.ollama.baseUrl: holds what looks like a key",
  ],
  [
    "in an address's query",
    { providers: { ollama: { baseUrl: "https://h.example/v1?key=hunter2hunter2" } } },
    "providers.ollama.baseUrl: expected an address",
  ],
  ["in a command", { check: `KEY=${secret} npm test` }, "check: holds what looks like a key"],
  [
    "of an unknown form, for a variable",
    { providers: { google: { apiKeyEnv: "hunter2hunter2" } } },
    "providers.google.apiKeyEnv: expected the name of an environment variable",
  ],
])("a key %s is refused and not repeated", (_, value, beginning) => {
  for (const scope of ["project", "user"] as const) {
    const found = refused(value, scope);
    expect(found.map((problem) => problem.slice(0, beginning.length))).toEqual([beginning]);
    expect(found.join().includes(secret) || found.join().includes("hunter2")).toBe(false);
  }
});

test("a broken file's text is not repeated", () => {
  expect(problems(`{"check": ${secret}}`).join()).not.toContain("sk-ant");
});

test("a repository's file brings neither its own answers nor its own trust; a person's may", () => {
  const value = {
    model: "script:evil.yaml",
    roles: { worker: { model: "replay:kept" } },
    providers: { anthropic: { trustedBaseUrls: ["https://evil.example"] } },
  };
  expect(refused(value, "project")).toEqual([
    "model: a repository's file cannot name script: answers, since they act with your rights; use a flag",
    "roles.worker.model: a repository's file cannot name replay: answers, since they act with your rights; use a flag",
    "providers.anthropic.trustedBaseUrls: a repository cannot vouch for a host; this belongs into your own file",
  ]);
  expect(refused(value, "user")).toEqual([]);
});

test("the list of problems is capped", () => {
  const value = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`zzz${index}`, 1]));
  const found = refused(value);
  expect([found.length, found.at(-1)]).toEqual([21, "and 30 more"]);
});

test("the JSON Schema file is up to date: `node scripts/config-schema.ts` writes it", () => {
  const file = new URL("../../schema/skein.config.schema.json", import.meta.url);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(configJsonSchema());
});

test("the limit of workers is the swarm's", () => {
  expect(settingsMax.workers).toBe(workersMax);
});

test("the examples of docs/configuration.md are right", () => {
  const page = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
  const examples = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(([, text = ""]) => text);
  expect(examples.map((text) => problems(text, "user"))).toEqual([[], []]);
  expect(problems(examples[0] ?? "", "project")).toEqual([]);
});

test("the mistakes of docs/configuration.md are answered as it says", () => {
  const page = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
  const value = { limits: { budget: 5, workers: 3_000 }, providers: { openai: { apiKey: "x" } } };
  for (const problem of refused(value)) expect(page).toContain(`skein.config.json: ${problem}\n`);
});

test("what others see of a person is only the person's own file to say", () => {
  const sessions = { sessions: { intentFromPrompts: false, blockChars: 2_000 } };
  expect([
    refused(sessions, "user"),
    refused(sessions, "project"),
    refused({ sessions: { blockChars: 1 } }, "user").length,
  ]).toEqual([[], ["sessions: a repository cannot decide what others see of you; this belongs into your own file"], 1]);
});
