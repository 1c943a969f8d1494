// The agent loop on real adapters against servers that refuse what the real ones refuse: a history with an unanswered call,
// results in the wrong place, more than four cache markers.

import { expect, test } from "vitest";
import { KINDS, model, serve } from "../../../test/servers/asking.ts";
import { runAgent } from "../../agent/loop.ts";
import type { AgentLimits } from "../../agent/spec.ts";
import type { Provider } from "../../model/provider.ts";
import { rig, textTool, tool } from "../../testing/agent/rig.ts";
import type { AiSdkKind } from "./kinds.ts";

const TOOLS = [
  textTool("read_file", "read", (input) => `contents of ${JSON.stringify(input)}`),
  tool("glob", "read", async (input) =>
    JSON.stringify(input).includes("[")
      ? { kind: "error", text: "glob: the pattern is broken" }
      : { kind: "text", text: "a.ts" },
  ),
];

async function run(provider: Provider, limits: Partial<AgentLimits> = {}) {
  const one = rig({ answers: [], tools: TOOLS, limits });
  return runAgent(one.spec, { ...one.ports, provider });
}

test.each<AiSdkKind>(KINDS)(
  "H4 %s: two globs of one response, one refused, and the provider takes the next request",
  async (kind) => {
    await using server = await serve(`
rules:
  - turn: 1
    say: Looking.
    calls: [{ tool: glob, input: { pattern: "*.ts" } }, { tool: glob, input: { pattern: "[" } }, { tool: nothing_like_it }]
  - { turn: 2, last: "a.ts[^]*the pattern is broken[^]*nothing_like_it", calls: [{ tool: read_file, input: { path: a.ts } }] }
  - { turn: 3, last: 'contents of ."path":"a.ts".', say: All seen. }
`);
    const result = await run(model(kind, server.url));
    expect([
      result.kind === "stopped" && result.text,
      result.requests,
      server.requests.map(({ turn }) => turn),
    ]).toEqual(["All seen.", 3, [1, 2, 3]]);
  },
);

test.each<AiSdkKind>(KINDS)("H16 %s: a provider's error ends the run as an error with its text", async (kind) => {
  await using server = await serve("rules: [{error: {code: quota, message: 'Your plan is used up.'}}]");
  const result = await run(model(kind, server.url));
  expect(result.kind === "model-error" && [result.error.code, result.error.message.replace(/\d+/, "4xx")]).toEqual([
    "quota",
    "status 4xx: Your plan is used up.",
  ]);
});

test.each<AiSdkKind>(KINDS)("H16 %s: reaching the turn limit is no success", async (kind) => {
  await using server = await serve("rules: [{calls: [{tool: glob, input: {pattern: '*'}}]}]");
  const result = await run(model(kind, server.url), { turnsMax: 2, repeatsMax: 10 });
  expect(result.kind).toBe("turn-limit");
});

test.each<AiSdkKind>(KINDS)(
  "%s: a call that the output limit cut off does not run, and the history goes on",
  async (kind) => {
    const ran: unknown[] = [];
    await using server = await serve(
      `
rules:
  - { turn: 1, calls: [{ tool: write, input: { path: a.ts, text: "a long text that is cut" } }] }
  - { say: I will write less. }
`,
      { behave: ({ turn }) => (turn === 1 ? { cutOff: 20 } : {}) },
    );
    const write = tool("write", "write", async (input) => {
      ran.push(input);
      return { kind: "text", text: "written" };
    });
    const one = rig({ answers: [], tools: [write] });
    const result = await runAgent(one.spec, { ...one.ports, provider: model(kind, server.url) });
    expect([result.kind === "stopped" && result.text, ran]).toEqual(["I will write less.", []]);
  },
);

test("H23 usage that a provider leaves out makes the totals unavailable, and says how many requests lack it", async () => {
  await using server = await serve(
    "rules: [{turn: 1, calls: [{tool: glob, input: {pattern: '*'}}], usage: {inputTokens: 5, cachedTokens: 0, outputTokens: 2}}, {say: done}]",
  );
  const { totals } = await run(model("openai-chat", server.url));
  expect([totals.usage.inputTokens, totals.requestsIncomplete]).toEqual(["unavailable", 1]);
});
