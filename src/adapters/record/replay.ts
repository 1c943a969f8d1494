// A Provider that answers from recordings: the request of the same role, task keys and turn with the same messages gets the answer that
// was recorded. It asks no model, says so, and where nothing fits it answers with an error, never with a guess.

import { basename } from "node:path";
import { unreachable } from "../../base/assert.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { cleanLine } from "../../base/text.ts";
import type { Clock } from "../../host/clock.ts";
import type { FileError, Files } from "../../host/files.ts";
import type { Message } from "../../model/message.ts";
import type { ModelRequest, Provider, StreamEvent } from "../../model/provider.ts";
import type { Price } from "../../model/usage.ts";
import { differenceOf, type Wanted } from "./difference.ts";
import type { RecordedEvent, TimedEvent } from "./format.ts";
import { digestOf } from "./json.ts";
import { loadRecordings, type RecordedRequest, type Recordings, type ReplayError } from "./load.ts";
import { type Neutral, type NeutralSettings, neutralText } from "./neutral.ts";

export interface ReplaySettings extends NeutralSettings {
  /** The directory as the person named it; its base name by default. */
  readonly shownAs?: string;
  /** `original` takes the time that the recorded answer took; by default it comes at once. */
  readonly timing?: "at-once" | "original";
  /** For the bill of what is replayed; by default none is known. */
  readonly price?: Price | null;
}

export interface ReplayPorts {
  readonly files: Files;
  readonly clock: Clock;
}

const nameCharsMax = 200;

/** Reads the recordings in the absolute `directory`. */
export async function openReplay(
  ports: ReplayPorts,
  directory: string,
  settings: ReplaySettings = {},
): Promise<Result<Provider, FileError | ReplayError>> {
  const loaded = await loadRecordings(ports.files, directory);
  if (!loaded.ok) return err(loaded.error);
  const replay = new Replay(ports.clock, loaded.value, settings);
  const models = [...new Set(loaded.value.requests.map((request) => request.provider))].join(", ");
  const { shownAs = basename(directory), price = null } = settings;
  return ok({
    name: `replay:${shownAs} (replayed ${cleanLine(models, nameCharsMax)})`,
    scripted: true,
    price,
    request: (request, signal) => replay.answer(request, signal),
  });
}

class Replay {
  private readonly clock: Clock;
  private readonly recordings: Recordings;
  private readonly settings: ReplaySettings;
  private readonly text: Neutral;
  /** Answers by what was asked, in the order of recording. */
  private readonly answers: ReadonlyMap<string, readonly (readonly TimedEvent[])[]>;
  private readonly given = new Map<string, number>();
  private readonly digests = new WeakMap<Message, string>();

  constructor(clock: Clock, recordings: Recordings, settings: ReplaySettings) {
    this.clock = clock;
    this.recordings = recordings;
    this.settings = settings;
    this.text = neutralText(settings);
    this.answers = answersOf(recordings.requests);
  }

  async *answer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<StreamEvent> {
    if (signal.aborted) return yield { kind: "aborted" };
    const events = this.find(request);
    if (events === null) {
      const message = `the recording has no answer: ${differenceOf(this.wanted(request), this.recordings)}`;
      return yield { kind: "error", error: { kind: "model", code: "replay", message, retryAfterMs: null } };
    }
    const startedMs = this.clock.monotonicMs();
    for (const { ms, event } of events) {
      if (this.settings.timing === "original")
        await this.clock.sleep(Math.max(0, startedMs + ms - this.clock.monotonicMs()), signal);
      if (signal.aborted) return yield { kind: "aborted" };
      yield this.local(event);
    }
  }

  /** Asked the same again, the next recorded answer comes; after the last one, the last one. */
  private find(request: ModelRequest): readonly TimedEvent[] | null {
    const { role, taskKeys, turn } = request.context;
    const key = keyOf({
      role,
      taskKeys: [...taskKeys].sort(),
      turn,
      messages: request.messages.map((message) => this.digest(message)),
    });
    const answers = this.answers.get(key) ?? [];
    const given = this.given.get(key) ?? 0;
    this.given.set(key, given + 1);
    return answers[Math.min(given, answers.length - 1)] ?? null;
  }

  private digest(message: Message): string {
    const known = this.digests.get(message);
    if (known !== undefined) return known;
    const digest = digestOf(this.text.neutral(message));
    this.digests.set(message, digest);
    return digest;
  }

  private wanted({ context, messages }: ModelRequest): Wanted {
    return {
      role: context.role,
      taskKeys: [...context.taskKeys].sort(),
      turn: context.turn,
      roles: messages.map((message) => message.role),
      messages: messages.map((message) => this.text.neutral(message)),
      digests: messages.map((message) => this.digest(message)),
    };
  }

  /** Arguments are a copy each time: whoever gets them may do with them what it likes. */
  private local(event: RecordedEvent): StreamEvent {
    switch (event.kind) {
      case "text":
        return { kind: "text", text: String(this.text.local(event.text)) };
      case "call": {
        const { arguments: given } = event.call;
        const local = given.kind === "malformed" ? given : { kind: given.kind, value: this.text.local(given.value) };
        return { kind: "call", call: { ...event.call, arguments: local } };
      }
      case "done":
      case "error":
      case "aborted":
        return event;
      default:
        return unreachable(event);
    }
  }
}

/** Failed attempts are passed over where the same request was answered in the end: nobody wants a rate limit again. */
function answersOf(requests: readonly RecordedRequest[]): ReadonlyMap<string, readonly (readonly TimedEvent[])[]> {
  const all = new Map<string, (readonly TimedEvent[])[]>();
  for (const request of requests) {
    if (request.events === null) continue;
    const key = keyOf(request);
    all.set(key, [...(all.get(key) ?? []), request.events]);
  }
  return new Map(
    [...all].map(([key, answers]) => {
      const good = answers.filter((events) => events.at(-1)?.event.kind === "done");
      return [key, good.length > 0 ? good : answers];
    }),
  );
}

function keyOf({ role, taskKeys, turn, messages }: Omit<RecordedRequest, "provider" | "events">): string {
  return JSON.stringify([role, taskKeys, turn, digestOf(messages)]);
}
