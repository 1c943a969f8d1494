// H5 on the simulated machine: the process is killed or the power goes at some moment of a session, and another process resumes it.

import { expect, test } from "vitest";
import { parseScript } from "../adapters/script-model/format.ts";
import { scriptProvider } from "../adapters/script-model/provider.ts";
import { asAgentId } from "../base/ids.ts";
import { unwrap } from "../base/result.ts";
import type { Message } from "../model/message.ts";
import { rig, tool } from "../testing/agent/rig.ts";
import { type SimHost, simHost } from "../testing/sim/host.ts";
import { runAgent } from "./loop.ts";
import { loadSession } from "./session-load.ts";
import { openSessionLog } from "./session-log.ts";
import type { AgentResult } from "./spec.ts";

const path = "/agents/a1.jsonl";
const owner = { agent: asAgentId("a1"), parent: null };
const SCRIPT = `
rules:
  - {last: all three, say: finished}
  - delayMs: 20
    calls: [{tool: wait, input: {ms: 30}}, {tool: wait, input: {ms: 10}}, {tool: write, input: {ms: 15}}]
`;

/** Starts or resumes the agent in this process. */
async function session(
  host: SimHost,
  messages: readonly Message[],
  recorded: number,
  firstTurn: number,
): Promise<AgentResult> {
  const waits = async (input: unknown) => {
    await host.clock.sleep(typeof input === "object" && input !== null && "ms" in input ? Number(input.ms) : 0);
    return { kind: "text", text: firstTurn > 0 ? "all three" : "waited" } as const;
  };
  const one = rig({ answers: [], tools: [tool("wait", "read", waits), tool("write", "write", waits)] });
  const record = unwrap(await openSessionLog(host.files, path, owner), "open");
  const provider = scriptProvider(unwrap(parseScript(SCRIPT, "script"), "script"), host.clock, "script:crash");
  const spec = {
    ...one.spec,
    messages,
    messagesRecorded: recorded,
    firstTurn,
    limits: { ...one.spec.limits, turnsMax: 4 },
  };
  const result = await runAgent(spec, { ...one.ports, clock: host.clock, record, provider });
  unwrap(await record.close(), "close");
  return result;
}

function killed(host: SimHost): SimHost {
  const next = host.newProcess();
  host.kill();
  return next;
}

/** Calls of the history with more or fewer than one result. */
function unanswered(messages: readonly Message[]): number {
  return messages.filter((message, index) => {
    const next = messages[index + 1];
    const calls = message.role === "assistant" ? message.calls.map((call) => call.id) : [];
    const results = next?.role === "tool" ? next.results.map((result) => result.callId) : [];
    return message.role === "assistant" && JSON.stringify(calls) !== JSON.stringify(results) && calls.length > 0;
  }).length;
}

test("H5 after kill -9 or a loss of power at any moment the session goes on, and every call has its result", async () => {
  const wrong: unknown[] = [];
  let interrupted = 0;
  for (let seed = 1; seed <= 60; seed++) {
    const host = simHost({ seed });
    unwrap(await host.files.makeDirectory("/agents"), "directory");
    unwrap(await host.files.syncDirectory("/"), "sync");
    void session(host, [{ role: "user", text: "go" }], 0, 0);
    await host.run(host.clock.sleep(seed * 4));
    // Every other seed is a kill -9: then the disk keeps what was written, flushed or not.
    const next = seed % 2 === 0 ? host.powerLoss() : killed(host);
    const loaded = await loadSession(next.files, path);
    const before = loaded.ok ? loaded.value : { messages: [], turns: 0, interrupted: 0 };
    interrupted += before.interrupted;
    const told: readonly Message[] = [...before.messages, { role: "user", text: "go on" }];
    const result = await next.run(session(next, told, before.messages.length, Math.max(1, before.turns)));
    const after = unwrap(await loadSession(next.files, path), "load again");
    const same = JSON.stringify(after.messages) === JSON.stringify(result.messages);
    if (result.kind !== "stopped" || !same || unanswered(result.messages) > 0)
      wrong.push({ seed, kind: result.kind, same });
  }
  expect({ wrong, reached: interrupted > 20 }).toEqual({ wrong: [], reached: true });
});

test("S21 a full disk stops the agent before the next call, with what was recorded", async () => {
  const host = simHost({ seed: 1 });
  unwrap(await host.files.makeDirectory("/agents"), "directory");
  const running = session(host, [{ role: "user", text: "go" }], 0, 0);
  await host.run(host.clock.sleep(10));
  host.disk.failNext({ op: "append", code: "no-space", afterBytes: 5 });
  const result = await host.run(running);
  const loaded = unwrap(await loadSession(host.files, path), "load");
  expect({ kind: result.kind, unanswered: unanswered(result.messages), loaded }).toEqual({
    kind: "record-failed",
    unanswered: 0,
    loaded: {
      messages: [{ role: "user", text: "go" }],
      turns: 0,
      interrupted: 0,
      lastRequest: null,
      pending: null,
      linesDamaged: 0,
      ended: null,
      requests: [],
    },
  });
});
