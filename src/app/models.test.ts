// Planned models opened: one limiter for each host and key, and traffic that is recorded without its key and replayed.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ask, KEY, request, serve } from "../../test/servers/asking.ts";
import { nodeHost } from "../adapters/node/host.ts";
import { unwrap } from "../base/result.ts";
import type { PlannedModel } from "./model-plan.ts";
import { type ModelsOptions, openModels } from "./models.ts";

const script = `rules: [{ say: "hello", usage: { inputTokens: 10, outputTokens: 2 } }]`;
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "skein-models-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const modelAt = (name: string, baseUrl: string, apiKey = KEY): PlannedModel => ({
  kind: "provider",
  name,
  provider: "openai-chat",
  model: name,
  baseUrl: `${baseUrl}/v1`,
  apiKey,
  price: null,
});

const optionsFor = (models: readonly PlannedModel[], more: Partial<ModelsOptions> = {}): ModelsOptions => ({
  host: nodeHost(),
  models,
  limits: { requestsPerMinute: null, agentsMax: 4, askedLately: false },
  places: {},
  record: null,
  ...more,
});

test("S18: models of one host and key share a limit, another key or host has its own", async () => {
  await using near = await serve(script);
  await using far = await serve(script);
  const models = openModels(
    optionsFor(
      [
        modelAt("a", near.url),
        modelAt("b", near.url),
        modelAt("other-key", near.url, "sk-test-of-another"),
        modelAt("other-host", far.url),
      ],
      { limits: { requestsPerMinute: 1, agentsMax: 4, askedLately: false } },
    ),
  );
  const open = async (name: string) => unwrap(await models.open(name), name);
  expect((await ask(await open("a"))).text).toBe("hello");
  const over = new AbortController();
  const waiting = ask(await open("b"), {}, over.signal);
  const others = [await ask(await open("other-key")), await ask(await open("other-host"))];
  over.abort();
  expect([(await waiting).end, others.map(({ end }) => end)]).toEqual(["aborted", ["end", "end"]]);
  expect([near.requests.map(({ model }) => model), far.requests.length]).toEqual([["a", "other-key"], 1]);
});

test("a process that follows another within a minute begins with its limit used up", async () => {
  await using server = await serve(script);
  const models = openModels(
    optionsFor([modelAt("a", server.url)], { limits: { requestsPerMinute: 3, agentsMax: 1, askedLately: true } }),
  );
  const provider = unwrap(await models.open("a"), "a");
  const over = new AbortController();
  const states: string[] = [];
  for await (const event of provider.request(request(), over.signal)) {
    states.push(event.kind === "attempt" ? event.attempt.kind : event.kind);
    if (states.length === 1) over.abort();
  }
  expect([states, server.requests.length]).toEqual([["waiting", "aborted"], 0]);
});

test("what is recorded holds no key, and a replay answers from it", async () => {
  await using server = await serve(`rules: [{ say: "your key is ${KEY}" }]`);
  const notes: string[] = [];
  const record = { directory: join(directory, "traffic"), onNote: (text: string) => void notes.push(text) };
  const models = openModels(optionsFor([modelAt("a", server.url)], { record }));
  const answered = await ask(unwrap(await models.open("a"), "a"));
  await models.close();
  const texts = readdirSync(record.directory).map((name) => readFileSync(join(record.directory, name), "utf8"));
  expect([answered.text, texts.length, texts.filter((text) => text.includes(KEY))]).toEqual([
    `your key is ${KEY}`,
    1,
    [],
  ]);

  const name = `replay:${record.directory}`;
  const replay = openModels(optionsFor([{ kind: "replay", name, directory: record.directory }]));
  const again = await ask(unwrap(await replay.open(name), name));
  expect([again.text, again.end, notes]).toEqual(["your key is [redacted]", "end", []]);
});

test("a model that the run does not have is not opened", async () => {
  expect(await openModels(optionsFor([])).open("a")).toEqual({
    ok: false,
    error: "the model a is not one of this run",
  });
});
