// Siblings and a provider's prompt cache: a stable beginning is found by those that ask after it was answered once. Measured with a
// model that caches as Anthropic's does: what stands before the last message of an answered request is read from the cache.

import { expect, test } from "vitest";
import type { ModelRequest, Provider } from "../model/provider.ts";
import { answeringProvider, delegate, familyRig, parentOf } from "../testing/agent/family-rig.ts";
import { call, textTool } from "../testing/agent/rig.ts";

/** A token a character; the cache holds the beginnings of requests that have been answered. */
function cachingProvider(inner: Provider): Provider {
  const cached: string[] = [];
  return {
    ...inner,
    async *request(request: ModelRequest, signal: AbortSignal) {
      const beginnings = request.messages.map((_message, n) =>
        JSON.stringify([request.tools, request.system, ...request.messages.slice(0, n + 1)]),
      );
      const head = JSON.stringify([request.tools, request.system]);
      const found = Math.max(
        0,
        ...[head, ...beginnings].filter((one) => cached.includes(one)).map(({ length }) => length),
      );
      for await (const event of inner.request(request, signal)) {
        if (event.kind === "done") {
          cached.push(head, ...beginnings);
          const inputTokens = beginnings.at(-1)?.length ?? head.length;
          yield { ...event, usage: { inputTokens, cachedTokens: found, outputTokens: 1 } };
        } else yield event;
      }
    },
  };
}

async function measured(
  context: "task-only" | "full",
  start: "together" | "after-first-answer",
  model: "same" | "other",
) {
  const answering = parentOf(
    [1, 2, 3, 4].map((n) => delegate(`c${n}`, `part ${n}`, { context })),
    () => ({ afterMs: 1_000, say: "ok" }),
  );
  const rig = familyRig({
    answering: () => ({}),
    tools: () => [textTool("look", "read", "seen")],
    limits: { start },
    provider: (clock) => {
      const parent = answeringProvider(clock, answering, []);
      const warm = cachingProvider(parent);
      const cold = cachingProvider(parent);
      return {
        ...parent,
        request: (request, signal) =>
          (model === "other" && request.context.role === "child" ? cold : warm).request(request, signal),
      };
    },
  });
  await rig.toEnd();
  const from = rig.records.map(({ startedAtMs }) => Number(startedAtMs));
  const { inputTokens, cachedTokens } = rig.totals().known;
  return {
    cachedPercent: Math.round((100 * cachedTokens) / inputTokens),
    spanMs: Math.max(...rig.records.map(({ endedAtMs }) => endedAtMs)) - Math.min(...from),
  };
}

test("siblings of a model of their own find nothing when they start together, and the prompt when the first has been answered", async () => {
  const [together, staggered] = [
    await measured("task-only", "together", "other"),
    await measured("task-only", "after-first-answer", "other"),
  ];
  // Staggering costs one answer; three of four then read tools and system prompt, most of a request, from the cache.
  expect([together, staggered.spanMs]).toEqual([{ cachedPercent: 0, spanMs: 1_000 }, 2_000]);
  expect(staggered.cachedPercent).toBeGreaterThan(50);
  expect(staggered.cachedPercent).toBeLessThan(75);
});

test("children of the parent's own model find its prompt though they start together, a fork nearly all of its first request", async () => {
  const [fresh, fork] = [await measured("task-only", "together", "same"), await measured("full", "together", "same")];
  expect([fresh.spanMs, fork.spanMs]).toEqual([1_000, 1_000]);
  expect(fresh.cachedPercent).toBeGreaterThan(70);
  expect(fork.cachedPercent).toBeGreaterThan(70);
});

test("where the first is aborted before its answer the next asks first, and nobody waits for ever", async () => {
  let asked = 0;
  const rig = familyRig({
    answering: parentOf(
      [1, 2, 3].map((n) => delegate(`c${n}`, `${n}`)),
      (task) => {
        asked += 1;
        return task === "1"
          ? { error: { kind: "model", code: "other", message: "no", retryAfterMs: null } }
          : { afterMs: 10, say: task };
      },
    ),
    limits: { start: "after-first-answer" },
    tools: () => [textTool("look", "read", call("x", "look").name)],
  });
  const result = await rig.toEnd();
  expect([asked, result.kind, rig.records.map(({ child, outcome }) => [child, outcome])]).toEqual([
    3,
    "stopped",
    [
      ["a1", "failed"],
      ["a2", "done"],
      ["a3", "done"],
    ],
  ]);
});
