// What becomes of a stream: whole answers in unusual forms, and every way in which one can be no answer.

import { expect, test } from "vitest";
import { ask, KINDS, model, serve } from "../../../test/servers/asking.ts";
import type { Behaviour } from "../../../test/servers/behaviour.ts";
import { nodeHost } from "../node/host.ts";
import type { AiSdkKind } from "./kinds.ts";

const TWO_CALLS = `
rules:
  - say: "Grüße, 世界 👩‍🚀: reading both files now, one after the other."
    usage: { inputTokens: 100, cachedTokens: 40, outputTokens: 20 }
    calls:
      - { tool: look, input: { path: "src/élan/naïve-文字-🧵.ts", depth: 3 } }
      - { tool: look, input: { path: "docs/a-rather-long-name-that-takes-several-deltas.md" } }
`;

const WHOLE = {
  text: "Grüße, 世界 👩‍🚀: reading both files now, one after the other.",
  calls: [
    { name: "look", arguments: { kind: "parsed", value: { path: "src/élan/naïve-文字-🧵.ts", depth: 3 } } },
    {
      name: "look",
      arguments: { kind: "parsed", value: { path: "docs/a-rather-long-name-that-takes-several-deltas.md" } },
    },
  ],
  end: "calls",
};

/** What each kind makes of a script under a behaviour. */
async function each(behave: Behaviour, yaml = TWO_CALLS) {
  await using server = await serve(yaml, { behave });
  const asked = KINDS.map(async (kind) => [kind, await ask(model(kind, server.url))] as const);
  return Object.fromEntries(await Promise.all(asked));
}

function forEach<T>(value: T | ((kind: AiSdkKind) => T)) {
  return Object.fromEntries(KINDS.map((kind) => [kind, value instanceof Function ? value(kind) : value]));
}

test.each<[string, Behaviour]>([
  ["in one piece", {}],
  ["byte by byte, so that every character of more than a byte is split", { bytesPerChunk: 1 }],
  ["in pieces of 7 bytes with the deltas of both calls interleaved", { bytesPerChunk: 7, interleaved: true }],
  ["after thinking, which is not part of the answer", { thinking: "Both files matter." }],
])("an answer comes out the same %s", async (_name, behave) => {
  expect(await each(behave)).toMatchObject(forEach(WHOLE));
});

test("arguments that the output limit cut off are malformed, with their text, and the stop is length", async () => {
  const [first, second] = WHOLE.calls;
  // Gemini leaves out a call that was cut off.
  const cut = { name: "look", arguments: { kind: "malformed", text: '{"path":"docs/a-r' } };
  expect(await each({ cutOff: 17 })).toMatchObject(
    forEach((kind) => ({ calls: kind === "google" ? [first] : [first, cut], end: "length" })),
  );
  expect(second?.name).toBe("look");
});

test("a call cut off before its first argument is malformed, never a call with nothing", async () => {
  const [first] = WHOLE.calls;
  const cut = { name: "look", arguments: { kind: "malformed", text: "" } };
  expect(await each({ cutOff: 0 })).toMatchObject(
    forEach((kind) => ({ calls: kind === "google" ? [first] : [first, cut], end: "length" })),
  );
});

test("a call cut off right after its last brace is whole", async () => {
  expect(await each({ cutOff: 200 })).toMatchObject(
    forEach((kind) => ({ calls: kind === "google" ? WHOLE.calls.slice(0, 1) : WHOLE.calls, end: "length" })),
  );
});

test("a call without arguments is whole", async () => {
  expect(await each({}, "rules: [{calls: [{tool: look}]}]")).toMatchObject(
    forEach({ calls: [{ name: "look", arguments: { kind: "parsed", value: {} } }], end: "calls" }),
  );
});

test("text cut off by the output limit is no error", async () => {
  expect(await each({ cutOff: 0 }, "rules: [{say: half a sentence}]")).toMatchObject(
    forEach({ text: "half a sentence", calls: [], end: "length" }),
  );
});

test.each<[string, Behaviour, string]>([
  ["ends after a call was announced", { broken: { after: "call", how: "end" } }, "bad-answer"],
  ["is cut after a call was announced", { broken: { after: "call", how: "reset" } }, "network"],
  ["ends before anything was said", { broken: { after: 0, how: "end" } }, "bad-answer"],
  ["is cut before anything was said", { broken: { after: 0, how: "reset" } }, "network"],
  ["ends in the middle of an event", { broken: { after: 60, how: "end" } }, "bad-answer"],
  ["is cut in the middle of an event", { broken: { after: 60, how: "reset" } }, "network"],
  ["holds what is no JSON", { garbage: "in-stream" }, "bad-answer"],
  ["is empty", { garbage: "empty" }, "bad-answer"],
  ["is a page of HTML", { garbage: "html" }, "bad-answer"],
  ["is some JSON", { garbage: "json" }, "bad-answer"],
])("no call of a stream that %s is handed on", async (_name, behave, code) => {
  const asked = await each(behave);
  expect(asked).toMatchObject(forEach({ calls: [], end: code, usage: null }));
});

test("what is no stream says so", async () => {
  const asked = await each({ garbage: "html" });
  const messages = new Set(Object.values(asked).map(({ error }) => error?.message));
  expect(messages).toEqual(new Set(["the server answered with text/html, not with a stream: is its address right?"]));
});

/** An error of HTTP, in the protocol's own form. */
const refusing = (status: number, headers: Readonly<Record<string, string>> = {}): Behaviour => ({
  refuse: { code: "other", status, headers, retryAfterAs: "seconds" },
});

test.each<[string, Behaviour, true | undefined]>([
  ["500", refusing(500), true],
  ["504", refusing(504), true],
  ["408", refusing(408), true],
  ["403", refusing(403), true],
  ["a redirect", refusing(302, { location: "http://127.0.0.1:9/" }), true],
  ["a page of HTML", { garbage: "html" }, true],
  ["JSON, which may be a whole answer", { garbage: "json" }, undefined],
  ["an empty stream", { garbage: "empty" }, undefined],
  ["a connection that is reset before a byte", { broken: { after: 0, how: "reset" } }, undefined],
  ["a stream that breaks off", { broken: { after: 60, how: "end" } }, undefined],
  ["an error as a stream's first event", { streamError: { code: "other", message: "x", first: true } }, undefined],
])("S17 nobody bills for an error of HTTP or for what is no answer: %s", async (_name, behave, uncharged) => {
  const asked = Object.values(await each(behave));
  expect(asked.map(({ error }) => error?.uncharged)).toEqual(KINDS.map(() => uncharged));
});

test("S17 a body of HTML or none with the status is an error of HTTP too", async () => {
  const bodies = ["<html><title>Bad gateway</title></html>", ""];
  const asked = await Promise.all(
    bodies.map((body) => {
      const fetch = async () => new Response(body, { status: 502, headers: { "content-type": "text/html" } });
      return ask(model("anthropic", "http://127.0.0.1:9", { fetch }));
    }),
  );
  expect(asked.map(({ error }) => [error?.code, error?.uncharged])).toEqual([
    ["other", true],
    ["other", true],
  ]);
});

test("an answer that does not begin is not waited for longer than the protocol takes to begin", async () => {
  const waits = await Promise.all(
    KINDS.map(async (kind) => {
      const waited: number[] = [];
      // A clock that goes as fast as it is asked to.
      const clock = {
        ...nodeHost().clock,
        after: (ms: number, act: () => void) => {
          waited.push(ms);
          setImmediate(act);
          return { cancel: () => {} };
        },
      };
      const { error } = await ask(model(kind, "http://127.0.0.1:9", { clock, fetch: () => new Promise(() => {}) }));
      return [waited, error?.message, error?.silent, error?.uncharged];
    }),
  );
  const seconds = [120, 120, 300, 300, 600];
  expect(waits).toEqual(seconds.map((s) => [[s * 1_000], `the provider said nothing for ${s} s`, true, undefined]));
});

test("an error inside of the stream counts as what it stands for", async () => {
  const inside = (first: boolean) =>
    each({ streamError: { code: "overloaded", message: "Overloaded, please wait", first } });
  const quota = await each({ streamError: { code: "quota", message: "Your credit balance is too low", first: true } });
  expect(
    [await inside(true), await inside(false), quota].map((asked) => Object.values(asked).map(({ end }) => end)),
  ).toEqual([KINDS.map(() => "overloaded"), KINDS.map(() => "overloaded"), KINDS.map(() => "quota")]);
});

test("a refusal of the model is an error with its text", async () => {
  const asked = await each({ declined: "I will not help with that." });
  expect(Object.values(asked).map(({ end, error }) => [end, error?.message])).toEqual([
    ["refusal", "the provider refused to answer (refusal): I will not help with that."],
    ["refusal", "the provider refused to answer: I will not help with that."],
    ["refusal", "the provider refused to answer (content_filter): I will not help with that."],
    ["refusal", "the provider refused to answer (SAFETY)"],
    ["refusal", "the provider refused to answer (content_filter): I will not help with that."],
  ]);
});

test.each<[string, Behaviour]>([
  ["before it answers", { hang: "before-headers" }],
  ["after some of the stream", { hang: { afterBytes: 700 } }],
])("an abort ends a request to a server that hangs %s, and the server sees it go", async (_name, behave) => {
  const outcomes: unknown[] = [];
  const all = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  let count = 0;
  await using server = await serve(TWO_CALLS, {
    behave: () => {
      if (++count === KINDS.length) arrived.resolve();
      return behave;
    },
    onAnswered: ({ outcome }) => {
      outcomes.push(outcome);
      if (outcomes.length === KINDS.length) all.resolve();
    },
  });
  const abort = new AbortController();
  const asked = KINDS.map((kind) => ask(model(kind, server.url), {}, abort.signal));
  await arrived.promise;
  abort.abort();
  const ends = (await Promise.all(asked)).map(({ end }) => end);
  await all.promise;
  expect([ends, outcomes]).toEqual([KINDS.map(() => "aborted"), KINDS.map(() => "hanging")]);
});

test("a reader who goes away ends the request", async () => {
  const gone = Promise.withResolvers<unknown>();
  await using server = await serve(TWO_CALLS, {
    behave: { hang: { afterBytes: 900 } },
    onAnswered: ({ outcome }) => gone.resolve(outcome),
  });
  const { request } = await import("../../../test/servers/asking.ts");
  for await (const event of model("anthropic", server.url).request(request(), new AbortController().signal))
    if (event.kind === "text") break;
  expect(await gone.promise).toBe("hanging");
});
