// H5 where lost calls are run again: wherever a session is killed, and however often, it comes to the end of an undisturbed one,
// and no turn whose answer is in the transcript is asked again. The tools may be repeated: a write says what is there afterwards.

import { expect, test } from "vitest";
import { asAgentId } from "../base/ids.ts";
import { unwrap } from "../base/result.ts";
import type { Message } from "../model/message.ts";
import type { Provider, StreamEvent } from "../model/provider.ts";
import { call, calling, rig, tool } from "../testing/agent/rig.ts";
import { type SimHost, simHost } from "../testing/sim/host.ts";
import { runAgent } from "./loop.ts";
import { loadSession } from "./session-load.ts";
import { openSessionLog } from "./session-log.ts";
import type { Tool, ToolAnswer } from "./tool.ts";

const path = "/agents/a1.jsonl";
const owner = { agent: asAgentId("a1"), parent: null };
const bytesMax = 1_000_000;
const GO: Message = { role: "user", text: "go" };

/** By how many answers the history has. Two writes of one key show whether calls ran in their order. */
const ANSWERS: readonly (readonly StreamEvent[])[] = [
  calling(
    call("c1", "put", { key: "x", value: "1", ms: 6 }),
    call("c2", "put", { key: "x", value: "2", ms: 4 }),
    call("c3", "get", { key: "x", ms: 9 }),
    call("c4", "get", { key: "x", ms: 3 }),
  ),
  calling(call("c1", "put", { key: "y", value: "3", ms: 5 }), call("c2", "get", { key: "x", ms: 2 })),
  calling(call("c1", "finish", { key: "end", value: "4", ms: 5 }), call("c2", "get", { key: "x", ms: 1 })),
];

/** What a session does that can be seen from outside. */
interface Watch {
  /** Turns asked for, and of which of ANSWERS. */
  readonly asked: { readonly turn: number; readonly answer: number }[];
  /** Each change that a tool has made. */
  readonly onEffect: (key: string, value: string) => Promise<void>;
}

interface Input {
  readonly key: string;
  readonly value: string;
  readonly ms: number;
}

function tools(host: SimHost, { onEffect }: Watch): readonly Tool[] {
  const act = (name: string, answer: (input: Input, before: string) => ToolAnswer) =>
    tool(name, name === "get" ? "read" : "exclusive", async (given) => {
      const input = given as Input;
      await host.clock.sleep(input.ms);
      const there = await host.files.read(`/effects/${input.key}`, bytesMax);
      if (name === "get") return answer(input, there.ok ? Buffer.from(there.value).toString() : "nothing");
      unwrap(await host.files.write(`/effects/${input.key}`, Buffer.from(input.value)), "effect");
      await onEffect(input.key, input.value);
      // The effect is there and its result is not recorded yet: a kill can come between.
      await host.clock.sleep(input.ms);
      return answer(input, "");
    });
  return [
    act("put", ({ key, value }) => ({ kind: "text", text: `${key} is ${value}` })),
    act("get", (_input, there) => ({ kind: "text", text: there })),
    act("finish", ({ value }) => ({ kind: "end", text: "good bye", value })),
  ];
}

function model(host: SimHost, { asked }: Watch): Provider {
  return {
    name: "test/by-history",
    scripted: true,
    price: null,
    async *request({ context: { turn }, messages }) {
      const answer = messages.filter((message) => message.role === "assistant").length;
      asked.push({ turn, answer });
      await host.clock.sleep(7);
      yield* ANSWERS[answer] ?? [];
    },
  };
}

/** Starts the session or goes on where its transcript ends. */
async function goOn(host: SimHost, watch: Watch): Promise<{ readonly kind: string; readonly value: unknown }> {
  const loaded = await loadSession(host.files, path, { lostCalls: "pending" });
  const { messages, turns, pending } = loaded.ok ? loaded.value : { messages: [], turns: 0, pending: null };
  const one = rig({ answers: [], tools: tools(host, watch) });
  const record = unwrap(await openSessionLog(host.files, path, owner), "open");
  const spec = {
    ...one.spec,
    messages: messages.length === 0 ? [GO] : messages,
    ...(pending === null ? {} : { pending }),
    messagesRecorded: messages.length,
    firstTurn: turns,
  };
  const ended = await runAgent(spec, { ...one.ports, clock: host.clock, record, provider: model(host, watch) });
  unwrap(await record.close(), "close");
  return { kind: ended.kind, value: ended.kind === "ended" ? ended.value : null };
}

async function machine(): Promise<SimHost> {
  const host = simHost({ seed: 1 });
  for (const directory of ["/agents", "/effects"]) unwrap(await host.files.makeDirectory(directory), "directory");
  return host;
}

async function transcript(host: SimHost): Promise<Buffer> {
  const bytes = await host.files.read(path, bytesMax);
  return bytes.ok ? Buffer.from(bytes.value) : Buffer.alloc(0);
}

/** What is left at the end: the history, and the files that the tools wrote. */
async function outcome(host: SimHost): Promise<unknown> {
  const { messages, pending } = unwrap(await loadSession(host.files, path), "load");
  return { messages, pending, effects: host.disk.dump().filter((line) => line.includes("/effects/")) };
}

/** Turns whose answers are in the transcript, read without the code under test. */
function answered(bytes: Buffer): readonly number[] {
  return bytes
    .toString("utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        const { type, turn, message } = JSON.parse(line);
        return type === "message" && message.role === "assistant" ? [Number(turn)] : [];
      } catch {
        return [];
      }
    });
}

/** Every length around a line's end, and every fifth within a line, which is torn alike wherever it is cut. */
function cuts(whole: Buffer): readonly number[] {
  const nearEnd = (bytes: number) => whole.subarray(Math.max(0, bytes - 3), bytes + 3).includes("\n");
  return Array.from({ length: whole.length + 1 }, (_, bytes) => bytes).filter(
    (bytes) => bytes % 5 === 0 || nearEnd(bytes),
  );
}

interface Effect {
  /** Length of the transcript when it was made. */
  readonly bytes: number;
  readonly key: string;
  readonly value: string;
}

async function undisturbed() {
  const host = await machine();
  const effects: Effect[] = [];
  const onEffect = async (key: string, value: string) =>
    void effects.push({ bytes: (await transcript(host)).length, key, value });
  const ending = await host.run(goOn(host, { asked: [], onEffect }));
  return { ending, whole: await transcript(host), effects, outcome: await outcome(host) };
}

test("H5 killed at any byte of the transcript, a session that repeats its lost calls ends as an undisturbed one", async () => {
  const right = await undisturbed();
  expect(right.ending).toEqual({ kind: "ended", value: "4" });
  const wrong: unknown[] = [];
  let repeated = 0;
  for (const bytes of cuts(right.whole)) {
    // Killed before or after the effect whose result would have been written next.
    const sure = right.effects.filter((effect) => effect.bytes < bytes);
    const possible = right.effects.filter((effect) => effect.bytes <= bytes);
    for (const effects of sure.length === possible.length ? [sure] : [sure, possible]) {
      const host = await machine();
      const left = right.whole.subarray(0, bytes);
      unwrap(await host.files.write(path, left), "transcript");
      for (const { key, value } of effects)
        unwrap(await host.files.write(`/effects/${key}`, Buffer.from(value)), "effect");
      const asked: Watch["asked"] = [];
      const onEffect = async () => void repeated++;
      const ending = await host.run(goOn(host, { asked, onEffect }));
      const turns = answered(left);
      const end = await outcome(host);
      const fine =
        JSON.stringify([ending, end]) === JSON.stringify([right.ending, right.outcome]) &&
        // Each missing answer is asked for once, under a turn of its own.
        JSON.stringify(asked.map((one) => one.answer)) === JSON.stringify([0, 1, 2].slice(turns.length)) &&
        asked.every(({ turn }, index) => turn > (asked[index - 1]?.turn ?? Math.max(0, ...turns)));
      if (!fine) wrong.push({ bytes, made: effects.length, ending, asked, turns });
    }
  }
  expect({ wrong: wrong.slice(0, 3), reached: repeated > 1_000 }).toEqual({ wrong: [], reached: true });
});

test("H5 killed again and again, while lost calls are run too, it ends as an undisturbed one", async () => {
  const right = await undisturbed();
  const wrong: unknown[] = [];
  let killedAmidPending = 0;
  for (let seed = 1; seed <= 80; seed++) {
    let host = await machine();
    const asked: Watch["asked"] = [];
    const again: unknown[] = [];
    const onEffect = async () => {};
    for (let kill = 0; kill < 6; kill++) {
      const before = answered(await transcript(host));
      const from = asked.length;
      void goOn(host, { asked, onEffect });
      await host.run(host.clock.sleep(((seed * 7 + kill * 13) % 17) + 1));
      again.push(...asked.slice(from).filter(({ turn }) => before.includes(turn)));
      const next = host.newProcess();
      const loaded = await loadSession(next.files, path, { lostCalls: "pending" });
      if (loaded.ok && loaded.value.pending !== null && before.length > 0 && asked.length === from) killedAmidPending++;
      host.kill();
      host = next;
    }
    const before = answered(await transcript(host));
    const from = asked.length;
    const ending = await host.run(goOn(host, { asked, onEffect }));
    again.push(...asked.slice(from).filter(({ turn }) => before.includes(turn)));
    const end = await outcome(host);
    const turns = answered(await transcript(host));
    const same = JSON.stringify([ending, end]) === JSON.stringify([right.ending, right.outcome]);
    if (!same || again.length > 0 || new Set(turns).size !== 3) wrong.push({ seed, ending, again, turns });
  }
  expect({ wrong: wrong.slice(0, 3), reached: killedAmidPending > 20 }).toEqual({ wrong: [], reached: true });
});
