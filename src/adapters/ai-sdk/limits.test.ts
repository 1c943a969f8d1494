// Real adapters behind the limiter, against a server that allows fewer requests at once, or breaks streams.

import { expect, test } from "vitest";
import { ask, KINDS, model, serve } from "../../../test/servers/asking.ts";
import { limited } from "../../model/limited.ts";
import { createLimiter, LIMITER_SETTINGS } from "../../model/limiter.ts";
import { nodeHost } from "../node/host.ts";

function limiter() {
  const { clock, random } = nodeHost();
  return createLimiter({ clock, random, settings: { ...LIMITER_SETTINGS, concurrentMax: 6 } });
}

test("H18 six agents on a provider that allows three at once are all answered, and nobody is answered twice", async () => {
  await using server = await serve("rules: [{say: hello}]", {
    concurrentMax: 3,
    retryAfterMs: 50,
    behave: { delayMs: 200 },
  });
  const shared = limiter();
  const asked = await Promise.all(
    [1, 2, 3, 4, 5, 6].map(() => ask(limited(model("openai-compatible", server.url), shared))),
  );
  const outcomes = Object.groupBy(server.requests, ({ outcome }) => String(outcome));
  expect([asked.map(({ text }) => text), outcomes.whole?.length, Object.keys(outcomes).toSorted()]).toEqual([
    [1, 2, 3, 4, 5, 6].map(() => "hello"),
    6,
    ["refused 429", "whole"],
  ]);
});

test("a stream that breaks after a call was announced is asked again, and the call comes once", async () => {
  for (const how of ["reset", "end"] as const) {
    await using server = await serve("rules: [{calls: [{tool: look, input: {path: a}}]}]", {
      behave: ({ number }) => (number <= KINDS.length ? { broken: { after: "call", how } } : {}),
    });
    const shared = limiter();
    const asked = await Promise.all(KINDS.map((kind) => ask(limited(model(kind, server.url), shared))));
    expect([asked.map(({ calls }) => calls.length), server.requests.length]).toEqual([KINDS.map(() => 1), 10]);
  }
});
