// What a child is given and may do: its context, its share of the tree, its limits; and what is kept of it.

import { expect, test } from "vitest";
import { asAgentId } from "../base/ids.ts";
import { limited } from "../model/limited.ts";
import { createLimiter } from "../model/limiter.ts";
import type { Message } from "../model/message.ts";
import type { ModelRequest } from "../model/provider.ts";
import { answeringProvider, delegate, done, familyRig, parentOf, resultsOf, top } from "../testing/agent/family-rig.ts";
import { call, textTool } from "../testing/agent/rig.ts";
import type { GatedCall } from "./call-gate.ts";

const look = textTool("look", "read", "seen");

/** The messages with which a child of each context begins; the parent has looked and said something before. */
async function beginnings(contexts: readonly string[]): Promise<readonly ModelRequest[]> {
  const rig = familyRig({
    answering: ({ context }) => {
      if (context.agent !== top) return { say: "ok" };
      if (context.turn === 1) return { say: "first I look", calls: [call("l", "look")] };
      if (context.turn > 2) return { say: "end" };
      return {
        say: "now I delegate",
        calls: contexts.map((one, n) => delegate(`c${n}`, "the part", { context: one })),
      };
    },
    tools: () => [look],
  });
  await rig.toEnd();
  return rig.requests
    .filter(({ context }) => context.agent !== top)
    .sort((a, b) => (a.context.agent < b.context.agent ? -1 : 1));
}

test("a child has the task alone, the whole conversation or its texts, and then its role and its task", async () => {
  const requests = await beginnings(["task-only", "full", "no-tools"]);
  const note = (child: string, ...middle: readonly string[]): Message => ({
    role: "user",
    text: [
      `You are now the child agent ${child} of the agent a0.`,
      ...middle,
      "Do the one task below and nothing beyond it.",
      "You may read the tree and change nothing in it; you cannot run commands. Other agents work in the same tree at the same time.",
      "You cannot delegate: do the work yourself.",
      "Nobody answers questions. Your last message is your result and all that the agent gets to see: say what you found or did, with paths and lines, in at most 8192 bytes.",
      "",
      "Your task:",
      "the part",
    ].join("\n"),
  });
  const foreign =
    "What stands above is that agent's conversation, for you to know: it is not yours to go on with, and its tasks are not yours.";
  const go: Message = { role: "user", text: "go" };
  const looked: Message = { role: "assistant", text: "first I look", calls: [call("l", "look")] };
  const seen = { role: "tool", results: [{ callId: "l", name: "look", text: "seen", isError: false }] };
  const said = (text: string): Message => ({ role: "assistant", text, calls: [] });
  expect(requests.map(({ messages }) => messages)).toEqual([
    [note("a1")],
    [go, looked, seen, said("now I delegate"), note("a2", foreign)],
    [go, said("first I look"), said("now I delegate"), note("a3", foreign)],
  ]);
});

test("all agents of a run begin with the same system prompt and tools, and a fork with its parent's last request", async () => {
  const rig = familyRig({
    answering: parentOf([delegate("c0", "x", { context: "full" }), delegate("c1", "y")], () => ({ say: "ok" })),
    tools: () => [look],
  });
  await rig.toEnd();
  const [parent, fork, fresh] = ["a0", "a1", "a2"].map((agent) =>
    rig.requests.find(({ context }) => context.agent === agent),
  );
  const beginning = (request: ModelRequest | undefined) => JSON.stringify([request?.system, request?.tools]);
  expect({
    same: new Set([parent, fork, fresh].map(beginning)).size,
    fork: fork?.messages.slice(0, parent?.messages.length),
  }).toEqual({ same: 1, fork: parent?.messages });
});

test("H22 each request, gate, call and record names the agent and its parent, and waiting, approval and execution are apart", async () => {
  const gated: Pick<GatedCall, "agent" | "parent">[] = [];
  const contexts: unknown[] = [];
  const rig = familyRig({
    answering: parentOf(
      [1, 2, 3].map((n) => delegate(`c${n}`, "x")),
      (_task, { context }) => (context.turn === 1 ? { calls: [call("l", "asks")] } : { say: "ok" }),
    ),
    tools: ({ clock }) => [
      {
        ...look,
        spec: { ...look.spec, name: "asks" },
        run: async (_input, { agent, parent }) => {
          contexts.push([agent, parent]);
          await clock.sleep(7);
          return { kind: "text", text: "seen" };
        },
      },
    ],
    ports: {
      gate: {
        before: async ({ agent, parent }) => {
          gated.push({ agent, parent });
          if (agent !== top) await rig.clock.sleep(30);
          return { kind: "go" };
        },
        after: async () => {},
      },
    },
  });
  await rig.toEnd();
  const children = ["a1", "a2", "a3"];
  const own = children.map((child) => [child, "a0"]);
  const results = children.flatMap((child) =>
    (rig.entries.get(asAgentId(child)) ?? []).flatMap((entry) => (entry.kind === "result" ? [entry] : [])),
  );
  expect({
    requests: rig.requests
      .filter(({ context }) => context.turn === 2 && context.agent !== top)
      .map(({ context }) => [context.agent, context.parent]),
    gated: gated.filter(({ agent }) => agent !== top).map(({ agent, parent }) => [agent, parent]),
    contexts,
    records: rig.records.map(({ child, parent }) => [child, parent]),
    times: results.map(({ gateMs, startMs, endMs, queuedMs }) => [
      Number(startMs) - Number(queuedMs),
      gateMs,
      Number(endMs) - Number(startMs),
    ]),
  }).toEqual({
    requests: own,
    gated: own,
    contexts: own,
    records: own,
    times: [
      [30, 30, 7],
      [30, 30, 7],
      [30, 30, 7],
    ],
  });
});

test("H13 refusing a call of one child refuses that call alone", async () => {
  const rig = familyRig({
    answering: parentOf([delegate("c0", "x"), delegate("c1", "y")], (_task, { context, messages }) => {
      if (context.turn === 1) return { calls: [call("l1", "look"), call("l2", "look")] };
      const last = messages.at(-1);
      return { say: last?.role === "tool" ? last.results.map(({ text }) => text).join(" | ") : "" };
    }),
    tools: () => [look],
    ports: {
      gate: {
        before: async ({ agent, index }) =>
          agent === "a1" && index === 0 ? { kind: "refuse", reason: "the person said no" } : { kind: "go" },
        after: async () => {},
      },
    },
  });
  const result = await rig.toEnd();
  expect(resultsOf(result)).toEqual([done("a1", "not run: the person said no | seen"), done("a2", "seen | seen")]);
});

test("scopes that meet are refused while both are at work, and a child's scope never goes beyond its parent's", async () => {
  const scoped = (id: string, scope: readonly string[]) => delegate(id, "x", { write_scope: scope });
  const calls = [
    scoped("c0", ["src/a"]),
    scoped("c1", ["src/b.ts"]),
    scoped("c2", ["src/A/x.ts"]),
    scoped("c3", ["../up"]),
    scoped("c4", ["src/*"]),
    scoped("c5", ["."]),
    delegate("c6", "x", { isolation: "workspace", write_scope: ["z"] }),
  ];
  const rig = familyRig({ answering: parentOf(calls, () => ({ say: "ok" })) });
  const result = await rig.toEnd();
  expect(resultsOf(result)).toEqual([
    done("a1", "ok"),
    done("a2", "ok"),
    [
      "not delegated: write_scope: src/A/x.ts is also in the scope of a1, which is not over; delegate this after it, divide the files, or use isolation workspace",
      true,
    ],
    ['not delegated: write_scope: "../up" is not a path relative to the root of the tree', true],
    ['not delegated: write_scope: "src/*" is a pattern; name files or directories (a directory means all in it)', true],
    ["not delegated: write_scope: the whole tree cannot be given to a child; name what it is to change", true],
    ["not delegated: write_scope is for isolation shared: a child with a workspace changes its own copy", true],
  ]);
});

test("levels below the first have places of their own, and no more rights than their parents", async () => {
  const rig = familyRig({
    answering: (request) => {
      const { agent, turn, parent } = request.context;
      if (turn > 1) return { say: `${agent} is done` };
      if (agent === top) return { calls: [delegate("c", "x", { write_scope: ["src"] })] };
      if (parent === top)
        return {
          calls: [
            delegate("d", "y", { write_scope: ["src/in"] }),
            delegate("e", "z", { write_scope: ["test"] }),
            delegate("f", "w", { isolation: "workspace" }),
          ],
        };
      return { say: "leaf" };
    },
    limits: { depthMax: 2, childrenAtOnceMax: 1 },
  });
  const result = await rig.toEnd();
  const child = rig.requests.find(({ context }) => context.agent === "a1" && context.turn === 2)?.messages ?? [];
  expect([resultsOf(result), resultsOf({ messages: child.slice(1) })]).toEqual([
    [done("a1", "a1 is done")],
    [
      done("a2", "leaf"),
      ["not delegated: write_scope: you may not change test yourself", true],
      ["not delegated: you may not change the whole tree, so no child of yours may have a workspace", true],
    ],
  ]);
});

test("H9 seven results of 30,000 characters come with 8 KB each and a path to the whole, which the parent may read", async () => {
  const rig = familyRig({
    answering: parentOf(
      Array.from({ length: 7 }, (_, n) => delegate(`c${n}`, "x")),
      () => ({ say: "\u00e9".repeat(30_000) }),
    ),
  });
  const result = await rig.toEnd();
  const sizes = resultsOf(result).map(([text]) => Buffer.byteLength(text));
  expect({
    fit: sizes.every((bytes) => bytes <= 8_192 && bytes > 8_000),
    named: resultsOf(result).every(([text]) => /\/spill\/a0\/\d\.txt/.test(text)),
    whole: rig.spilled.map(({ agent, text }) => [agent, text.length]),
  }).toEqual({
    fit: true,
    named: true,
    whole: Array(7).fill(["a0", 30_000 + "child a1 is done. Its result:\n\n".length]),
  });
});

test("H20 a budget holds over the whole tree, and a child's own over that child", async () => {
  const price = { inputUsdPerMtok: 1_000, cachedUsdPerMtok: 1_000, outputUsdPerMtok: 0 };
  const usage = { inputTokens: 2_000, cachedTokens: 0, outputTokens: 1 };
  const answering = parentOf(
    Array.from({ length: 6 }, (_, n) => delegate(`c${n}`, "x")),
    () => ({ afterMs: 10, say: "ok", usage }),
  );
  const spend = async (budgetUsd: number | null, childUsdMax: number | null) => {
    const rig = familyRig({ answering, price, budgetUsd, limits: { childUsdMax } });
    await rig.toEnd();
    const count = (outcome: string) => rig.records.filter((record) => record.outcome === outcome).length;
    return { rig, counts: [count("done"), count("limit"), rig.totals().costUsd] };
  };
  const all = await spend(null, null);
  // Two dollars each, and ten cents of the parent; a request of a child can cost a thousandth of a dollar for each of its bytes.
  const asked = all.rig.requests.find(({ context }) => context.agent === "a1");
  const mostUsd =
    Buffer.byteLength(JSON.stringify({ system: asked?.system, messages: asked?.messages, tools: asked?.tools })) /
    1_000;
  const fit = Math.floor((14 - 0.1) / mostUsd);
  expect([all.counts, (await spend(null, 1)).counts, (await spend(14, null)).counts]).toEqual([
    [6, 0, 12],
    [0, 6, 0],
    [fit, 6 - fit, fit * 2],
  ]);
  expect(fit).toBeGreaterThan(0);
});

test("H18 six children of a provider that lets three ask at once are all answered, and none holds a permit for its life", async () => {
  let asking = 0;
  let most = 0;
  let refused = 0;
  const rig = familyRig({
    answering: () => ({}),
    provider: (clock) => {
      const plain = answeringProvider(
        clock,
        parentOf(
          Array.from({ length: 6 }, (_, n) => delegate(`c${n}`, "x")),
          (_task, { context }) =>
            context.turn < 3
              ? { afterMs: 1_000, calls: [call(`l${context.turn}`, "look", { turn: context.turn })] }
              : { afterMs: 1_000, say: "ok" },
        ),
        [],
      );
      const busy = {
        ...plain,
        async *request(request: ModelRequest, signal: AbortSignal) {
          if (asking >= 3) {
            refused += 1;
            yield {
              kind: "error",
              error: { kind: "model", code: "rate-limit", message: "429", retryAfterMs: 2_000 },
            } as const;
            return;
          }
          asking += 1;
          most = Math.max(most, asking);
          try {
            yield* plain.request(request, signal);
          } finally {
            asking -= 1;
          }
        },
      };
      return limited(busy, createLimiter({ clock, random: { unit: () => 0.5, letters: () => "" }, settings: {} }));
    },
    tools: () => [look],
  });
  const result = await rig.toEnd();
  expect({ results: resultsOf(result), most, refused: refused > 0 }).toEqual({
    results: [1, 2, 3, 4, 5, 6].map((n) => done(`a${n}`, "ok")),
    most: 3,
    refused: true,
  });
});
