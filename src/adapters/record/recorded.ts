// A provider whose traffic is recorded: what each request sends, and what comes back with its times. The caller sees the stream as it
// is; its end comes only after the answer has been written, so that nothing is acted on that a crash could lose.

import type { ModelRequest, Provider, StreamEvent } from "../../model/provider.ts";
import { answerLine, partLine, type RecordedEvent, requestLine, type TimedEvent } from "./format.ts";
import { digestOf } from "./json.ts";
import type { Recording } from "./recording.ts";

/** Inside a limiter, so that each attempt is recorded for itself: `limited(recorded(provider, recording), limiter)`. */
export function recorded(provider: Provider, recording: Recording): Provider {
  const { name, scripted, price } = provider;
  const send = sender(name, recording);
  return {
    name,
    scripted,
    price,
    request: (request, signal) => stream(provider.request(request, signal), recording, () => send(request)),
  };
}

async function* stream(
  events: AsyncIterable<StreamEvent>,
  recording: Recording,
  send: () => number,
): AsyncGenerator<StreamEvent> {
  const { clock } = recording;
  const id = send();
  const startedMs = clock.monotonicMs();
  const said: TimedEvent[] = [];
  const keep = (event: RecordedEvent) =>
    void said.push({ ms: Math.round((clock.monotonicMs() - startedMs) * 1_000) / 1_000, event });
  let ended = false;
  const end = (): Promise<void> => {
    ended = true;
    return recording.write(answerLine(id, recording.neutral(joinWhereRedacted(said, recording))));
  };
  try {
    for await (const event of events) {
      if (event.kind !== "attempt") keep(event);
      if (event.kind === "done" || event.kind === "error" || event.kind === "aborted") await end();
      yield event;
    }
  } finally {
    // The reader left, or the stream broke off or threw: what there is, is kept without an end.
    if (!ended) void end();
  }
}

/** A secret may be cut between two pieces: then the pieces are recorded as one, at the time of the first. */
function joinWhereRedacted(events: readonly TimedEvent[], recording: Recording): readonly TimedEvent[] {
  const text = events.map(({ event }) => (event.kind === "text" ? event.text : "")).join("");
  const first = events.find(({ event }) => event.kind === "text");
  if (first === undefined || recording.neutral(text) === text) return events;
  const rest = events.filter(({ event }) => event.kind !== "text");
  return [{ ms: first.ms, event: { kind: "text", text } }, ...rest];
}

/** Writes a request with those of its parts that the file does not have yet; answers its number. */
function sender(provider: string, recording: Recording): (request: ModelRequest) => number {
  // Messages are values that go from request to request: each is hashed once.
  const digests = new WeakMap<object, string>();
  const part = (value: object | string): string => {
    const known = typeof value === "string" ? undefined : digests.get(value);
    if (known !== undefined) return known;
    const neutral = recording.neutral(value);
    const digest = digestOf(neutral);
    if (typeof value !== "string") digests.set(value, digest);
    if (recording.isNew(digest)) void recording.write(partLine(digest, neutral));
    return digest;
  };
  return ({ context, system, messages, tools, outputTokensMax }) => {
    const id = recording.nextId();
    const sent = { system: part(system), tools: part(tools), messages: messages.map(part) };
    void recording.write(requestLine({ id, atMs: recording.clock.now(), provider, context, ...sent, outputTokensMax }));
    return id;
  };
}
