// H5 for agents whose tools may not be repeated: what had begun is told as interrupted, what had not is run, and nothing has two results.

import { expect, test } from "vitest";
import { asAgentId } from "../base/ids.ts";
import { unwrap } from "../base/result.ts";
import type { Message } from "../model/message.ts";
import { call, calling, rig, saying, textTool, tool } from "../testing/agent/rig.ts";
import { type SimHost, simHost } from "../testing/sim/host.ts";
import { runAgent } from "./loop.ts";
import { lostCallRule } from "./lost-calls.ts";
import { loadSession } from "./session-load.ts";
import { openSessionLog } from "./session-log.ts";
import type { Tool } from "./tool.ts";

const path = "/agents/a1.jsonl";
const owner = { agent: asAgentId("a1"), parent: null };

/** Runs of each call, by its argument. */
function toolsOf(runs: Map<string, number>): readonly Tool[] {
  const act = (input: unknown) => {
    const key = JSON.stringify(input);
    runs.set(key, (runs.get(key) ?? 0) + 1);
    return `did ${key}`;
  };
  return [
    textTool("look", "read", act),
    textTool("act", "exclusive", act),
    {
      ...tool("ask_child", "delegate", async (input, { resumed }) => ({
        kind: "text",
        text: `${act(input)} ${resumed}`,
      })),
      resumable: true,
    },
  ];
}

const calls = [
  call("c1", "act", { n: 1 }),
  call("c2", "ask_child", { n: 2 }),
  call("c3", "look", { n: 3 }),
  call("c4", "act", { n: 4 }),
  call("c5", "gone", {}),
];

async function goOn(host: SimHost, runs: Map<string, number>, then?: string) {
  const tools = toolsOf(runs);
  const loaded = await loadSession(host.files, path, { lostCalls: lostCallRule(tools) });
  const { messages, turns, pending } = loaded.ok ? loaded.value : { messages: [], turns: 0, pending: null };
  const isAnswered = messages.some(({ role }) => role === "assistant");
  const one = rig({ answers: isAnswered ? [saying("done")] : [calling(...calls), saying("done")], tools });
  const record = unwrap(await openSessionLog(host.files, path, owner), "open");
  const spec = {
    ...one.spec,
    messages: messages.length === 0 ? one.spec.messages : messages,
    ...(pending === null ? {} : { pending }),
    ...(then === undefined ? {} : { afterPending: then }),
    messagesRecorded: messages.length,
    firstTurn: turns,
  };
  const ended = await runAgent(spec, { ...one.ports, clock: host.clock, record });
  unwrap(await record.close(), "close");
  return ended;
}

async function recorded(): Promise<{ readonly lines: readonly string[]; readonly host: SimHost }> {
  const host = simHost({ seed: 1 });
  unwrap(await host.files.makeDirectory("/agents"), "directory");
  await host.run(goOn(host, new Map()));
  const whole = Buffer.from(unwrap(await host.files.read(path, 1_000_000), "read")).toString("utf8");
  return { lines: whole.trimEnd().split("\n"), host };
}

function textsOf(messages: readonly Message[]): readonly string[] {
  const results = messages.find(({ role }) => role === "tool");
  return results?.role === "tool" ? results.results.map(({ text }) => text.split(":")[0] ?? "") : [];
}

test("H5 of calls without a result, begun ones are interrupted, unbegun, reading and resumable ones are run", async () => {
  const { lines, host } = await recorded();
  const answer = lines.findIndex((line) => line.includes('"role":"assistant"'));
  const begun = lines.filter((line) => line.includes('"type":"call"'));
  expect(begun.map((line) => JSON.parse(line).name).toSorted()).toEqual(["act", "act", "ask_child"]);
  const runs = new Map<string, number>();
  // c1 and c2 had begun, and no result was recorded.
  const left = [...lines.slice(0, answer + 1), ...begun.filter((line) => /"call_id":"c[12]"/.test(line))];
  unwrap(await host.files.write(path, Buffer.from(`${left.join("\n")}\n`)), "write");
  const ended = await host.run(goOn(host, runs, "and now?"));
  expect({
    texts: textsOf(ended.messages),
    runs: [...runs].toSorted(),
    roles: ended.messages.map(({ role }) => role),
  }).toEqual({
    texts: ["interrupted", 'did {"n"', 'did {"n"', 'did {"n"', "not run"],
    runs: [
      ['{"n":2}', 1],
      ['{"n":3}', 1],
      ['{"n":4}', 1],
    ],
    roles: ["user", "assistant", "tool", "user", "assistant"],
  });
  const again = unwrap(await loadSession(host.files, path), "load");
  expect(again.messages).toEqual(ended.messages);
});

test("H5 cut at any line and gone on with, each call has one result and what may have taken effect is not run again", async () => {
  const { lines, host } = await recorded();
  const wrong: unknown[] = [];
  for (let count = 1; count <= lines.length; count++) {
    const left = lines.slice(0, count);
    unwrap(await host.files.write(path, Buffer.from(`${left.join("\n")}\n`)), "write");
    const runs = new Map<string, number>();
    const isOver = left.some((line) => /"turn":2,.*"role":"assistant"/.test(line));
    if (isOver) continue;
    const ended = await host.run(goOn(host, runs));
    const after = unwrap(await loadSession(host.files, path), "load again");
    for (const id of ["c1", "c4"]) {
      const key = JSON.stringify({ n: Number(id.slice(1)) });
      const had = left.some((line) => line.includes('"type":"call"') && line.includes(`"call_id":"${id}"`));
      if ((runs.get(key) ?? 0) !== (had ? 0 : 1)) wrong.push([count, id, runs.get(key)]);
    }
    if (textsOf(ended.messages).length !== calls.length) wrong.push([count, "results"]);
    if (JSON.stringify(after.messages) !== JSON.stringify(ended.messages)) wrong.push([count, "read back"]);
  }
  expect(wrong).toEqual([]);
});
