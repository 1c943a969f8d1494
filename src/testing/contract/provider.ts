// What every Provider keeps: a stream of pieces that ends in exactly one of done, error and aborted, and never rejects.
// Reports of attempts may stand between the pieces, but not after the end.

import { describe, expect, test } from "vitest";
import { asAgentId } from "../../base/ids.ts";
import type { ModelRequest, Provider, StreamEvent } from "../../model/provider.ts";

export interface ProviderUnderTest {
  /** Answers with the text "hello", then two calls of `look`. */
  readonly answering: Provider;
  /** Fails with the code `overloaded`. */
  readonly failing: Provider;
}

export function describeProvider(name: string, make: () => ProviderUnderTest): void {
  describe(`provider contract: ${name}`, () => {
    test("an answer is its text, its calls in order with different ids, and one done", async () => {
      const events = await eventsOf(make().answering);
      const calls = events.flatMap((event) => (event.kind === "call" ? [event.call] : []));
      expect({
        text: events.flatMap((event) => (event.kind === "text" ? [event.text] : [])).join(""),
        names: calls.map((call) => call.name),
        ids: new Set(calls.map((call) => call.id)).size,
        ends: endings(events),
        stop: events.flatMap((event) => (event.kind === "done" ? [event.stop] : [])),
      }).toEqual({ text: "hello", names: ["look", "look"], ids: 2, ends: ["done"], stop: ["calls"] });
    });

    test("a failure is the last event, not a rejection", async () => {
      const events = await eventsOf(make().failing);
      expect(events.map((event) => (event.kind === "error" ? event.error.code : event.kind)).slice(-1)).toEqual([
        "overloaded",
      ]);
      expect(endings(events)).toEqual(["error"]);
    });

    test("after an abort the stream ends in aborted", async () => {
      const abort = new AbortController();
      abort.abort();
      expect(endings(await eventsOf(make().answering, abort.signal))).toEqual(["aborted"]);
    });

    test("it names itself and says whether it is scripted", () => {
      const { name: named, scripted } = make().answering;
      expect([typeof named, typeof scripted, named.length > 0]).toEqual(["string", "boolean", true]);
    });
  });
}

const REQUEST: ModelRequest = {
  context: { agent: asAgentId("a1"), parent: null, role: "solo", task: null, taskKeys: [], turn: 1 },
  system: "You test.",
  messages: [{ role: "user", text: "go" }],
  tools: [{ name: "look", description: "Looks.", inputSchema: { type: "object" } }],
  outputTokensMax: 1_000,
};

async function eventsOf(provider: Provider, signal = new AbortController().signal): Promise<readonly StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of provider.request(REQUEST, signal)) events.push(event);
  return events;
}

/** The ending events, and anything that came after the first of them. */
function endings(events: readonly StreamEvent[]): readonly string[] {
  const first = events.findIndex((event) => event.kind !== "text" && event.kind !== "call" && event.kind !== "attempt");
  return first < 0 ? ["none"] : events.slice(first).map((event) => event.kind);
}
