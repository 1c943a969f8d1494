// A Provider over the AI SDK's provider packages. It uses their low-level interface (`doStream` of a language model), not
// `streamText`: one HTTP request a call, no retries, no tools run, no telemetry, and each part of the stream as it comes,
// so that what was cut off or broken can be told from what is whole. Calls are handed on only when the answer is whole.

import { orAborted } from "../../base/abort.ts";
import { unreachable } from "../../base/assert.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Clock } from "../../host/clock.ts";
import { LIMITER_SETTINGS } from "../../model/limiter.ts";
import { Patience } from "../../model/patience.ts";
import type { ModelRequest, Provider, StreamEvent } from "../../model/provider.ts";
import type { Price } from "../../model/usage.ts";
import { AnswerParts, type StreamPart } from "./answer.ts";
import { baseUrlOf } from "./base-url.ts";
import { errorOf } from "./errors.ts";
import type { Fetch } from "./http-fetch.ts";
import { type AiSdkKind, loadModel } from "./kinds.ts";
import { type Redact, redactor } from "./redact.ts";
import { callOptions } from "./request.ts";

export interface AiSdkSettings {
  readonly kind: AiSdkKind;
  /** The model's id as the provider knows it. */
  readonly model: string;
  /** As the person named it; `<kind>/<model>` if left out. */
  readonly name?: string;
  /** Null sends none: for servers on one's own machine. Never read from the environment. */
  readonly apiKey: string | null;
  /** Null is the provider's own address; an `openai-compatible` server has none. A bare host gets the usual path. */
  readonly baseUrl: string | null;
  readonly price: Price | null;
  /** Turns a Retry-After that is a date into milliseconds. */
  readonly clock: Clock;
  /** `httpFetch` if left out. It never follows a redirect: the key would go with it. */
  readonly fetch?: Fetch;
}

/**
 * The package of the kind is loaded at the first request. The error is a sentence for a person: the base URL is missing or
 * not one. What fails later is an `error` event: see `errorOf` for the codes.
 */
export function openAiSdkModel(settings: AiSdkSettings): Result<Provider, string> {
  const { kind, model, name = `${kind}/${model}`, price } = settings;
  const baseUrl = baseUrlOf(kind, settings.baseUrl);
  if (!baseUrl.ok) return err(baseUrl.error);
  const redact = redactor(settings.apiKey);
  const loaded = once(() => loadModel({ ...settings, baseUrl: baseUrl.value }));
  const open: Open = async (request, signal) => {
    const opened = await (await loaded()).doStream(callOptions(kind, request, signal));
    return { stream: opened.stream, contentType: opened.response?.headers?.["content-type"] ?? null };
  };
  return ok({
    name,
    scripted: false,
    price,
    request: (request, signal) => answer({ open, kind, clock: settings.clock, redact }, request, signal),
  });
}

type Open = (
  request: ModelRequest,
  signal: AbortSignal,
) => Promise<{ readonly stream: ReadableStream<StreamPart>; readonly contentType: string | null }>;

interface Asking {
  readonly open: Open;
  readonly kind: AiSdkKind;
  readonly clock: Clock;
  readonly redact: Redact;
}

async function* answer(asking: Asking, request: ModelRequest, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  if (signal.aborted) {
    yield { kind: "aborted" };
    return;
  }
  // Its own signal, so that a reader who goes away ends the request too.
  const ending = new AbortController();
  const end = () => ending.abort();
  signal.addEventListener("abort", end, { once: true });
  try {
    yield* read(asking, request, signal, ending.signal);
  } catch (thrown) {
    const { clock, redact } = asking;
    yield signal.aborted ? { kind: "aborted" } : { kind: "error", error: errorOf(thrown, { clock, redact }) };
  } finally {
    signal.removeEventListener("abort", end);
    end();
  }
}

/**
 * Milliseconds until an answer begins, its headers included. Anthropic and OpenAI's Responses begin at once; the others think first.
 * A server on one's own machine may load a model before: `silenceMsMax` is its limit.
 */
function beginMsMax(kind: AiSdkKind): number {
  switch (kind) {
    case "anthropic":
    case "openai":
      return 120_000;
    case "openai-chat":
    case "google":
      return 300_000;
    case "openai-compatible":
      return LIMITER_SETTINGS.silenceMsMax;
    default:
      return unreachable(kind);
  }
}

/** Throws what the SDK throws. */
async function* read(
  asking: Asking,
  request: ModelRequest,
  signal: AbortSignal,
  ending: AbortSignal,
): AsyncGenerator<StreamEvent> {
  const patience = new Patience(asking.clock, signal, beginMsMax(asking.kind));
  const opened = await patience.for(asking.open(request, ending)).finally(() => patience.end());
  if (opened.kind === "aborted") {
    yield patience.silent ? { kind: "error", error: patience.error() } : { kind: "aborted" };
    return;
  }
  const reader = opened.value.stream.getReader();
  const parts = new AnswerParts(asking, request, opened.value.contentType);
  try {
    for (;;) {
      const step = await orAborted(reader.read(), signal);
      if (step.kind === "aborted") {
        yield { kind: "aborted" };
        return;
      }
      const taken = step.value.done ? parts.brokenOff() : parts.take(step.value.value);
      yield* taken.events;
      if (taken.over) return;
    }
  } finally {
    // Not awaited: what the server still sends is nobody's wait.
    reader.cancel().catch(() => {});
  }
}

/** One shared attempt; a failed one is made again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make().catch((thrown: unknown) => {
      made = null;
      throw thrown;
    });
    return made;
  };
}
