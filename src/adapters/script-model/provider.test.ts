// A scripted model: who gets which answer, that answers are the same each time, and what an abort and a missing rule are.

import { join } from "node:path";
import { expect, test } from "vitest";
import { runAgent } from "../../agent/loop.ts";
import { asAgentId, asCallId } from "../../base/ids.ts";
import { unwrap } from "../../base/result.ts";
import type { Message } from "../../model/message.ts";
import type { ModelRequest, Provider, RequestContext, StreamEvent } from "../../model/provider.ts";
import { call, calling, PreparedProvider, rig, StillClock, textTool } from "../../testing/agent/rig.ts";
import { describeProvider } from "../../testing/contract/provider.ts";
import { temporaryDirectory } from "../../testing/git/real-repository.ts";
import { nodeHost } from "../node/host.ts";
import { parseScript } from "./format.ts";
import { loadScript, scriptProvider } from "./provider.ts";

const clock = new StillClock();

const provider = (yaml: string): Provider =>
  scriptProvider(unwrap(parseScript(yaml, "demo.yaml"), "script"), clock, "script:demo.yaml");

describeProvider("script-model", () => ({
  answering: provider("rules: [{say: hello, calls: [{tool: look}, {tool: look}]}]"),
  failing: provider("rules: [{error: {code: overloaded}}]"),
}));

describeProvider("the fake of the agent's tests", () => ({
  answering: new PreparedProvider([
    [{ kind: "text", text: "hello" }, ...calling(call("c1", "look"), call("c2", "look"))],
  ]),
  failing: new PreparedProvider([
    [{ kind: "error", error: { kind: "model", code: "overloaded", message: "", retryAfterMs: null } }],
  ]),
}));

const told: Message = { role: "user", text: "build it" };
const results: Message = {
  role: "tool",
  results: [
    { callId: asCallId("c1"), name: "bash", text: "1 test\nfailed", isError: true },
    { callId: asCallId("c2"), name: "read_file", text: "spec", isError: false },
  ],
};

async function answer(
  from: Provider,
  context: Partial<RequestContext> = {},
  last: Message = told,
  signal = new AbortController().signal,
) {
  const request: ModelRequest = {
    context: {
      agent: asAgentId("a3"),
      parent: null,
      role: "worker",
      task: null,
      taskKeys: ["parse"],
      turn: 2,
      ...context,
    },
    system: "",
    messages: [last],
    tools: [],
    outputTokensMax: 100,
  };
  const events: StreamEvent[] = [];
  for await (const event of from.request(request, signal)) events.push(event);
  return events;
}

/** The text that is said, or the error's. */
async function said(...args: Parameters<typeof answer>): Promise<string> {
  const [first] = await answer(...args);
  return first?.kind === "text" ? first.text : first?.kind === "error" ? first.error.message : String(first?.kind);
}

test("the first rule that matches role, task, turn and last message answers", async () => {
  const script = provider(`
rules:
  - {role: planner, say: for planners}
  - {role: [worker, arbiter], task: [parse, format], turn: 1, say: first turn}
  - {task: modulo, say: for modulo}
  - {last: 'failed\\nspec$', say: after the failure}
  - {turn: [2, 3], say: later}
`);
  expect([
    await said(script, { role: "planner" }),
    await said(script, { turn: 1 }),
    await said(script, { role: "arbiter", taskKeys: ["power", "modulo"] }),
    await said(script, {}, results),
    await said(script),
    await said(script, { role: "solo", taskKeys: [], turn: 9 }),
  ]).toEqual([
    "for planners",
    "first turn",
    "for modulo",
    "after the failure",
    "later",
    "the script has no rule for role solo, no task, turn 9, with the last message: build it",
  ]);
});

test("calls have ids made of agent, turn and place; usage that is not given is unavailable", async () => {
  const script = provider(
    "rules: [{say: hm, usage: {inputTokens: 12}, calls: [{tool: look, input: {path: a}}, {tool: look}]}]",
  );
  expect([await answer(script), script.name, script.scripted, script.price]).toEqual([
    [
      { kind: "text", text: "hm" },
      { kind: "call", call: { id: "call-a3-2-1", name: "look", arguments: { kind: "parsed", value: { path: "a" } } } },
      { kind: "call", call: { id: "call-a3-2-2", name: "look", arguments: { kind: "parsed", value: {} } } },
      {
        kind: "done",
        stop: "calls",
        usage: { inputTokens: 12, cachedTokens: "unavailable", outputTokens: "unavailable" },
      },
    ],
    "script:demo.yaml",
    true,
    null,
  ]);
});

test("no rule is an error of code script, and a rule may be an error", async () => {
  const script = provider("rules: [{turn: 2, error: {code: rate-limit, message: slow down, retryAfterMs: 1000}}]");
  const noRule =
    "the script has no rule for role worker, task parse, turn 3, with the last message: 1 test failed spec";
  expect([await answer(script), await answer(script, { turn: 3 }, results)]).toEqual([
    [{ kind: "error", error: { kind: "model", code: "rate-limit", message: "slow down", retryAfterMs: 1000 } }],
    [{ kind: "error", error: { kind: "model", code: "script", message: noRule, retryAfterMs: null } }],
  ]);
});

test("a delay waits on the host's clock, and an abort ends it", async () => {
  const script = provider("rules: [{delayMs: 300, say: at last}]");
  const abort = new AbortController();
  const [waited, aborted] = [said(script), said(script, {}, told, abort.signal)];
  await Promise.resolve();
  abort.abort();
  const early = await aborted;
  clock.move(300);
  expect([early, await waited]).toEqual(["aborted", "at last"]);
});

test("H23 an agent on a script without usage has totals that say how many are missing", async () => {
  const script = provider(
    "rules: [{turn: 1, usage: {inputTokens: 5, cachedTokens: 0, outputTokens: 2}, calls: [{tool: look}]}, {say: done}]",
  );
  const one = rig({ answers: [], tools: [textTool("look", "read", "seen")] });
  const { kind, totals } = await runAgent(one.spec, { ...one.ports, provider: script });
  expect({ kind, totals }).toEqual({
    kind: "stopped",
    totals: {
      requests: 2,
      usage: { inputTokens: "unavailable", cachedTokens: "unavailable", outputTokens: "unavailable" },
      costUsd: "unavailable",
      known: { inputTokens: 5, cachedTokens: 0, outputTokens: 2, costUsd: 0 },
      requestsIncomplete: 1,
      requestsUnpriced: 2,
    },
  });
});

test("a script is loaded from a file; a missing one is a file error", async () => {
  const { files } = nodeHost();
  const path = new URL("../../../assets/demo/script.yaml", import.meta.url).pathname;
  const loaded = await loadScript({ files, clock }, path);
  const missing = await loadScript({ files, clock }, "/nowhere/script.yaml");
  expect([loaded.ok && loaded.value.name, missing.ok ? null : missing.error.kind]).toEqual([
    "script:script.yaml",
    "file",
  ]);
});

test("a script that is not UTF-8 is refused, naming the line; a byte order mark is none", async () => {
  using directory = temporaryDirectory();
  const { files } = nodeHost();
  const load = async (bytes: Uint8Array) => {
    const path = join(directory.path, "s.yaml");
    unwrap(await files.write(path, bytes), "write");
    const loaded = await loadScript({ files, clock }, path);
    return loaded.ok ? "loaded" : loaded.error.message;
  };
  const bytes = (text: string) => Buffer.from(text, "latin1");
  expect([
    await load(bytes('rules:\n - say: "\xff"\n')),
    await load(bytes('rules:\n - say: "caf\xe9"')),
    await load(bytes("\xe4\nrules: [{say: a}]\n")),
    await load(Buffer.from("\ufeffrules: [{say: caf\u00e9 \u{1f600}}]\n")),
  ]).toEqual([
    "line 2 is not UTF-8 text: save the script as UTF-8",
    "line 2 is not UTF-8 text: save the script as UTF-8",
    "line 1 is not UTF-8 text: save the script as UTF-8",
    "loaded",
  ]);
});

test("the examples in the documentation are valid scripts", async () => {
  const { files } = nodeHost();
  const page = unwrap(
    await files.read(new URL("../../../docs/script-model.md", import.meta.url).pathname, 100_000),
    "read",
  );
  const examples = [...new TextDecoder().decode(page).matchAll(/```yaml\n([\s\S]*?)```/g)].map(
    (match) => match[1] ?? "",
  );
  expect(examples.map((example) => parseScript(example, "docs").ok)).toEqual([true, true]);
});
