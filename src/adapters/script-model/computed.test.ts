// Scripts whose answers are computed from what the model received, and draws by a seed: the same name gives the same, and nothing is put in
// for what is missing.

import { expect, test } from "vitest";
import { asAgentId, asCallId } from "../../base/ids.ts";
import { unwrap } from "../../base/result.ts";
import type { Clock } from "../../host/clock.ts";
import type { Message } from "../../model/message.ts";
import type { ModelRequest, RequestContext, StreamEvent } from "../../model/provider.ts";
import { parseScript, type Script } from "./format.ts";
import { scriptProvider } from "./provider.ts";
import { namedScript, SCRIPT_SETTINGS, type ScriptSettings } from "./settings.ts";

const result = (name: string, text: string) => ({ callId: asCallId(`c-${text}`), name, text, isError: false });
const asked: Message = { role: "user", text: "Look at module auth" };
const tools = (...results: readonly ReturnType<typeof result>[]): Message => ({ role: "tool", results });

interface Ask extends Partial<RequestContext> {
  readonly messages?: readonly Message[];
  readonly settings?: Partial<ScriptSettings>;
}

const parsed = new Map<string, Script>();

async function ask(yaml: string, { messages = [asked], settings = {}, ...context }: Ask = {}) {
  const waits: number[] = [];
  const clock: Clock = {
    now: () => 0,
    monotonicMs: () => 0,
    sleep: async (ms) => void waits.push(ms),
    after: () => ({ cancel: () => {} }),
  };
  const script = parsed.get(yaml) ?? unwrap(parseScript(yaml, "s.yaml"), "script");
  parsed.set(yaml, script);
  const request: ModelRequest = {
    context: { agent: asAgentId("a1"), parent: null, role: "child", task: null, taskKeys: ["a1"], turn: 2, ...context },
    system: "12345678",
    messages,
    tools: [],
    outputTokensMax: 100,
  };
  const provider = scriptProvider(script, clock, "script:s.yaml", { ...SCRIPT_SETTINGS, ...settings });
  const events: StreamEvent[] = [];
  for await (const event of provider.request(request, new AbortController().signal)) events.push(event);
  return { events, waits, said: saidIn(events) };
}

function saidIn([first]: readonly StreamEvent[]): string {
  if (first?.kind === "text") return first.text;
  return first?.kind === "error" ? `${first.error.code}: ${first.error.message}` : String(first?.kind);
}

const sums = `
rules:
  - capture:
      port: { tool: read_file, match: '^port = (\\d+)$' }
      module: { from: told, match: 'module (\\w+)' }
      newest: { from: last, match: '\\d+' }
    say: "{{module}}: {{sum port}} of {{count port}} ({{list port}}), {{first port}} to {{last port}}, {{ newest }}"
`;

test("an answer is made of the results that came back: one more, one less or one changed makes another answer", async () => {
  const say = async (...ports: readonly string[]) =>
    (
      await ask(sums, {
        messages: [
          asked,
          tools(...ports.map((port) => result("read_file", `port = ${port}`))),
          tools(result("grep", "port = 9")),
        ],
      })
    ).said;
  expect([
    await say("7311", "8420"),
    await say("7311"),
    await say("7311", "8420", "8420"),
    await say("7312", "8420"),
  ]).toEqual([
    "auth: 15731 of 2 (7311, 8420), 7311 to 8420, 9",
    "auth: 7311 of 1 (7311), 7311 to 7311, 9",
    "auth: 24151 of 3 (7311, 8420, 8420), 7311 to 8420, 9",
    "auth: 15732 of 2 (7312, 8420), 7312 to 8420, 9",
  ]);
});

test("what is not there is an error that names the rule and the capture, never a guess", async () => {
  const one = (say: string) => `rules: [{capture: {x: {match: '\\w+=(\\w+)'}}, say: "${say}"}]`;
  const results = (...texts: readonly string[]) => ({
    messages: [asked, tools(...texts.map((text) => result("t", text)))],
  });
  expect([
    (await ask(one("{{x}}"), results("nothing"))).said,
    (await ask(one("{{x}}"), results("a=1", "b=2"))).said,
    (await ask(one("{{x}}"), results("a=1", "b=1"))).said,
    (await ask(one("{{sum x}}"), results("a=1", "b=c"))).said,
    (await ask(one("{{count x}}"), results("nothing"))).said,
  ]).toEqual([
    "script: rule 1: {{x}}: x matches nothing of what was received",
    "script: rule 1: {{x}}: x matches 2 different texts: 1, 2",
    "1",
    "script: rule 1: {{sum x}}: c is not a whole number",
    "0",
  ]);
});

test("inputs of calls are filled in too, at any depth; a rule without captures says braces as they are", async () => {
  const call = `rules: [{capture: {m: {from: told, match: 'module (\\w+)'}}, calls: [{tool: look, input: {at: ["src/{{m}}", {deep: "{{m}}"}], n: 3}}]}]`;
  const { events } = await ask(call);
  expect([events[0], (await ask('rules: [{say: "{{m}}"}]')).said]).toEqual([
    {
      kind: "call",
      call: {
        id: "call-a1-2-1",
        name: "look",
        arguments: { kind: "parsed", value: { at: ["src/auth", { deep: "auth" }], n: 3 } },
      },
    },
    "{{m}}",
  ]);
});

test("mistakes in a template, a variant or a range are found when the script is read", () => {
  const problems = (yaml: string) => {
    const parsed = parseScript(yaml, "s");
    return parsed.ok ? [] : parsed.error.message.split("\n");
  };
  expect([
    ...problems("rules: [{capture: {a: {match: x}}, say: '{{b}} {{average a}}'}]"),
    ...problems("rules: [{capture: {a: {match: '('}}, say: a}]"),
    ...problems("variants: [one]\nrules: [{variant: two, say: a}]"),
    ...problems("rules: [{delayMs: {min: 2, max: 1}, say: a}]"),
    ...problems("rules: [{chance: 2, say: a}]"),
  ]).toEqual([
    "rule 1 capture: {{b}}: the rule captures nothing by this name",
    "rule 1 capture: {{average a}}: average is not one of sum, count, first, last, list",
    "rule 1 capture.a.match: Invalid regular expression: /(/gm: Unterminated group",
    "rule 1 variant: two is not among the script's variants",
    "rule 1 delayMs: min is above max",
    "rule 1 chance: Too big: expected number to be <=1",
  ]);
});

test("told and variant choose rules; variants go round", async () => {
  const yaml = `
variants: [plain, odd]
rules:
  - { told: module billing, say: billing }
  - { variant: odd, say: odd }
  - { say: plain }
`;
  const of = async (variant: number) => (await ask(yaml, { settings: { variant } })).said;
  const billing = await ask(yaml, { messages: [{ role: "user", text: "module billing" }, tools(result("t", "x"))] });
  expect([billing.said, await of(1), await of(2), await of(3), await of(4)]).toEqual([
    "billing",
    "plain",
    "odd",
    "plain",
    "odd",
  ]);
});

test("delays are drawn evenly by seed, agent and turn, whoever asks first, and scaled", async () => {
  const yaml = "delayMs: { min: 600, max: 1200 }\nrules: [{ say: a }]";
  const wait = async (turn: number, settings: Partial<ScriptSettings>) =>
    (await ask(yaml, { turn, settings })).waits[0] ?? -1;
  const turns = Array.from({ length: 400 }, (_, index) => index + 1);
  const drawn = await Promise.all(turns.map((turn) => wait(turn, { seed: "s" })));
  const mean = drawn.reduce((sum, ms) => sum + ms, 0) / drawn.length;
  expect({
    again: await Promise.all(turns.toReversed().map((turn) => wait(turn, { seed: "s" }))),
    within: drawn.every((ms) => ms >= 600 && ms < 1200),
    // Of 400 draws the mean's standard error is 600 / sqrt(12 · 400) = 8.7 ms.
    mean: Math.abs(mean - 900) < 40,
    other: (await wait(1, { seed: "t" })) === drawn[0],
    tenth: (await wait(1, { seed: "s", scale: 0.1 })) * 10,
    none: (await ask(yaml, { settings: { scale: 0 } })).waits,
    own: (await ask("delayMs: 5\nrules: [{ delayMs: 70, say: a }]", { settings: { scale: 2 } })).waits,
  }).toEqual({
    again: drawn.toReversed(),
    within: true,
    mean: true,
    other: false,
    tenth: expect.closeTo(drawn[0] ?? -1, 6),
    none: [],
    own: [140],
  });
});

test("a chance is kept to, and is the same for the same seed", async () => {
  const yaml = "rules: [{ chance: 0.25, say: rare }, { say: often }]";
  const said = (seed: string) =>
    Promise.all(Array.from({ length: 400 }, (_, turn) => ask(yaml, { turn, settings: { seed } })));
  const [first, again] = [await said("s"), await said("s")];
  const rare = first.filter((one) => one.said === "rare").length;
  expect(again).toEqual(first);
  // 100 of 400, with a standard deviation of 8.7.
  expect(Math.abs(rare - 100)).toBeLessThan(40);
});

test("estimated usage: four characters a token of what was sent and said, cached up to the agent's last answer", async () => {
  const messages: readonly Message[] = [
    { role: "user", text: "x".repeat(40) },
    { role: "assistant", text: "y".repeat(8), calls: [] },
    tools(result("t", "z".repeat(20))),
  ];
  const { events } = await ask("usage: estimated\nrules: [{ say: abcdefgh }]", { messages });
  // System 8 and "[]" 2: 3 tokens; 10, 2 and 5 tokens of messages.
  expect(events.at(-1)).toEqual({
    kind: "done",
    stop: "end",
    usage: { inputTokens: 20, cachedTokens: 13, outputTokens: 2 },
  });
});

test("a script's name may end in settings; what is none of them is refused or part of the file's name", () => {
  const named = (name: string) => {
    const read = namedScript(name);
    return read.ok ? read.value : read.error;
  };
  const after = "after # a script's name has seed=, variant= and scale=, with commas between them";
  expect(
    [
      "/a.yaml",
      "/a#1.yaml",
      "/a.yaml#seed=7.read.1,variant=3,scale=0.1",
      "/a.yaml#scale=x",
      "/a.yaml#variant=0",
      "/a.yaml#seed=1,pace=2",
      "/a.yaml#seed=",
    ].map(named),
  ).toEqual([
    { path: "/a.yaml", settings: SCRIPT_SETTINGS },
    { path: "/a#1.yaml", settings: SCRIPT_SETTINGS },
    { path: "/a.yaml", settings: { seed: "7.read.1", variant: 3, scale: 0.1 } },
    "scale=x: a number from 0 to 100 is needed",
    "variant=0: a whole number from 1 to 1000000 is needed",
    `pace=2: ${after}`,
    "seed= needs a value",
  ]);
});
