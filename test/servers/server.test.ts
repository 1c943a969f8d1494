// The fake servers themselves: as strict as the real ones, countable, limited, and startable as a program.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ask, KEY, KINDS, model, serve } from "./asking.ts";
import { drawn, parseFaults } from "./behaviour.ts";

async function post(url: string, body: unknown): Promise<readonly [number, string]> {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  return [response.status, await response.text()];
}

const unanswered = {
  anthropic: {
    path: "/v1/messages",
    body: {
      model: "m",
      max_tokens: 1,
      stream: true,
      messages: [
        { role: "user", content: "go" },
        { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "look", input: {} }] },
        { role: "user", content: "and?" },
      ],
    },
  },
  chat: {
    path: "/v1/chat/completions",
    body: {
      model: "m",
      stream: true,
      messages: [
        { role: "user", content: "go" },
        {
          role: "assistant",
          tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: "{}" } }],
        },
        { role: "user", content: "and?" },
      ],
    },
  },
  responses: {
    path: "/v1/responses",
    body: {
      model: "m",
      stream: true,
      input: [
        { role: "user", content: "go" },
        { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
        { role: "user", content: "and?" },
      ],
    },
  },
  gemini: {
    path: "/v1beta/models/m:streamGenerateContent",
    body: {
      contents: [
        { role: "user", parts: [{ text: "go" }] },
        { role: "model", parts: [{ functionCall: { name: "look", args: {} } }] },
        { role: "user", parts: [{ text: "and?" }] },
      ],
    },
  },
};

test.each(Object.entries(unanswered))(
  "%s: a history with an unanswered call is refused",
  async (_name, { path, body }) => {
    await using server = await serve("rules: [{say: hello}]");
    const [status, text] = await post(server.url + path, body);
    expect([status, /tool_use ids|tool_call_ids|No tool output|function response/.test(text)]).toEqual([400, true]);
  },
);

test("a fifth cache marker is refused", async () => {
  await using server = await serve("rules: [{say: hello}]");
  const part = { type: "text", text: "a", cache_control: { type: "ephemeral" } };
  const body = {
    model: "m",
    max_tokens: 1,
    stream: true,
    messages: [{ role: "user", content: [part, part, part, part] }],
  };
  const tools = [{ name: "a", input_schema: {}, cache_control: { type: "ephemeral" } }];
  expect((await post(`${server.url}/v1/messages`, body))[0]).toBe(200);
  const marked = {
    ...body,
    tools,
    system: [part],
    messages: [...body.messages, { role: "assistant", content: [part] }, { role: "user", content: [part] }],
  };
  expect((await post(`${server.url}/v1/messages`, marked))[0]).toBe(400);
});

test("H18 more requests at once, or a minute, than allowed get 429 with a time to wait", async () => {
  // Those that are let in stay until the others have their refusals: how busy the machine is says nothing then.
  await using atOnce = await serve("rules: [{say: hello}]", { concurrentMax: 3, behave: { hang: "before-headers" } });
  await using aMinute = await serve("rules: [{say: hello}]", { perMinuteMax: 4 });
  const leave = new AbortController();
  let ended = 0;
  const six = (url: string) =>
    Promise.all(
      [1, 2, 3, 4, 5, 6].map(async () => {
        const { end, error } = await ask(model("openai-chat", url), {}, leave.signal);
        ended += 1;
        if (ended === 9) leave.abort();
        return [end, error?.retryAfterMs ?? null];
      }),
    );
  // Six of the one and the three refusals of the other.
  const [minute, once] = await Promise.all([six(aMinute.url), six(atOnce.url)]);
  expect([minute.sort(), aMinute.mostInAMinute(), once.sort()]).toEqual([
    [...[1, 2, 3, 4].map(() => ["end", null]), ...[1, 2].map(() => ["rate-limit", 1_000])],
    6,
    [...[1, 2, 3].map(() => ["aborted", null]), ...[1, 2, 3].map(() => ["rate-limit", 1_000])],
  ]);
});

test("faults are drawn by number: the same each time, and near their shares", () => {
  const parsed = parseFaults(
    "{seed: 7, faults: [{share: 0.5, refuse: {code: rate-limit}}, {share: 0.1, garbage: empty}]}",
  );
  if (!parsed.ok) throw new Error(parsed.error);
  const draw = () => Array.from({ length: 10_000 }, (_, number) => Object.keys(drawn(parsed.value, number + 1)).join());
  const counts = Object.entries(Object.groupBy(draw(), (kind) => kind)).map(
    ([kind, all]) => [kind, all?.length ?? 0] as const,
  );
  const near = Object.fromEntries(counts.map(([kind, count]) => [kind, Math.round(count / 500)]));
  expect([draw(), near]).toEqual([draw(), { "": 8, garbage: 2, refuse: 10 }]);
  expect(parseFaults("faults: [{share: 2}]").ok).toBe(false);
});

test("it runs as a program: prints its address, answers by a script, writes a log", async () => {
  const directory = await mkdtemp(join(tmpdir(), "skein-fake-"));
  const [script, log] = [join(directory, "script.yaml"), join(directory, "requests.jsonl")];
  await writeFile(script, "rules: [{turn: 1, say: hello}]");
  const main = fileURLToPath(new URL("./main.ts", import.meta.url));
  const child = spawn(process.execPath, [main, "--script", script, "--port", "0", "--key", KEY, "--log", log], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const [url] = await once(createInterface(child.stdout), "line");
  const asked = await Promise.all(KINDS.map((kind) => ask(model(kind, String(url)))));
  child.kill("SIGTERM");
  await ended;
  const lines = (await readFile(log, "utf8")).trim().split("\n");
  await rm(directory, { recursive: true });
  expect([asked.map(({ text }) => text), lines.length, lines.join("").includes(KEY)]).toEqual([
    KINDS.map(() => "hello"),
    KINDS.length,
    false,
  ]);
});
