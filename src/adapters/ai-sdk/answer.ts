// One answer, put together from the parts of the SDK's stream. Text is passed on as it comes; calls only when the answer is
// whole, with what they said on the wire. Where the SDK closes or fills in what was cut off, the wire's text counts.

import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { unreachable } from "../../base/assert.ts";
import { asCallId } from "../../base/ids.ts";
import { cleanLine } from "../../base/text.ts";
import type { Clock } from "../../host/clock.ts";
import type { ToolCall } from "../../model/message.ts";
import type { ModelRequest, StreamEvent } from "../../model/provider.ts";
import { parseArguments } from "./arguments.ts";
import { errorOf, modelError } from "./errors.ts";
import type { AiSdkKind } from "./kinds.ts";
import type { Redact } from "./redact.ts";
import { usageOf } from "./usage.ts";

export type StreamPart = LanguageModelV4StreamPart;

/** Text and arguments of one answer, in UTF-16 units: far above any output limit, so only a runaway server meets it. */
const answerCharsMax = 16 * 1024 * 1024;
const shownChars = 1_000;

/** Names for a plain end that some servers use and the SDK does not know. */
const PLAIN_ENDS: ReadonlySet<string> = new Set(["eos", "eos_token", "end_turn", "stop_sequence"]);

export interface Taken {
  readonly events: readonly StreamEvent[];
  /** The answer has ended: nothing more is to be read. */
  readonly over: boolean;
}

interface AnswerContext {
  readonly kind: AiSdkKind;
  readonly clock: Clock;
  readonly redact: Redact;
}

interface OpenCall {
  readonly id: string;
  readonly name: string;
  /** What came in pieces; empty too where the SDK gives a call whole. */
  text: string;
  /** What the SDK says the whole is; null until it does. */
  whole: string | null;
}

/** What the SDK makes itself, also of an answer that holds nothing of the protocol. */
const OUTSIDE_PARTS: ReadonlySet<StreamPart["type"]> = new Set(["stream-start", "error", "finish", "raw"]);

const NOTHING: Taken = { events: [], over: false };

export class AnswerParts {
  private readonly context: AnswerContext;
  private readonly request: ModelRequest;
  private readonly contentType: string | null;
  private readonly calls: OpenCall[] = [];
  private text = "";
  private chars = 0;
  /** A part of the protocol's own came, if only a beginning without a text. */
  private begun = false;

  constructor(context: AnswerContext, request: ModelRequest, contentType: string | null) {
    this.context = context;
    this.request = request;
    this.contentType = contentType;
  }

  take(part: StreamPart): Taken {
    this.begun ||= !OUTSIDE_PARTS.has(part.type);
    switch (part.type) {
      case "text-delta":
        this.text += part.delta;
        return this.grown(part.delta.length, part.delta === "" ? [] : [{ kind: "text", text: part.delta }]);
      case "tool-input-start":
        if (part.providerExecuted !== true)
          this.calls.push({ id: part.id, name: part.toolName, text: "", whole: null });
        return NOTHING;
      case "tool-input-delta": {
        const open = this.calls.findLast(({ id }) => id === part.id);
        if (open !== undefined) open.text += part.delta;
        return this.grown(part.delta.length, []);
      }
      case "tool-call":
        if (part.providerExecuted !== true) this.close(part.toolCallId, part.toolName, part.input);
        return NOTHING;
      case "error":
        return part.error instanceof Error && this.isNoStream()
          ? this.brokenOff()
          : failing(errorOf(part.error, this.context));
      case "finish":
        return this.finish(part.finishReason, usageOf(this.context.kind, part.usage));
      default:
        // Reasoning, sources, files, metadata: nothing that an agent acts on.
        return NOTHING;
    }
  }

  /** The stream ended without a last part. */
  brokenOff(): Taken {
    if (this.isNoStream()) {
      const type = cleanLine(this.contentType ?? "", 100);
      const message = `the server answered with ${type}, not with a stream: is its address right?`;
      return this.bad(message, { uncharged: !this.begun && !type.includes("json") });
    }
    return this.bad(this.saidSomething() ? "the answer broke off" : "the stream was empty");
  }

  private isNoStream(): boolean {
    return !this.saidSomething() && this.contentType !== null && !this.contentType.includes("event-stream");
  }

  private saidSomething(): boolean {
    return this.text !== "" || this.calls.length > 0;
  }

  /** Calls keep the order in which they were announced: the model's. */
  private close(id: string, name: string, input: string): void {
    const open = this.calls.find((call) => call.id === id && call.whole === null);
    if (open === undefined) this.calls.push({ id, name, text: "", whole: input });
    else open.whole = input;
  }

  private finish(reason: LanguageModelV4FinishReason, usage: ReturnType<typeof usageOf>): Taken {
    switch (reason.unified) {
      case "stop":
      case "tool-calls":
        return this.whole(usage, reason.unified === "tool-calls");
      case "length":
        return ending([...this.callEvents(true), { kind: "done", stop: "length", usage }]);
      case "content-filter":
        return failing(modelError("refusal", this.clean(`the provider refused to answer${this.why(reason)}`)));
      case "other":
        if (reason.raw !== undefined && PLAIN_ENDS.has(reason.raw)) return this.whole(usage, false);
        return this.bad(`the answer ended for a reason that is not known${this.why(reason)}`);
      case "error":
        return this.bad(`the provider gave the answer up${this.why(reason)}`);
      case "interrupted":
        return this.brokenOff();
      default:
        return unreachable(reason.unified);
    }
  }

  private whole(usage: ReturnType<typeof usageOf>, callsSaid: boolean): Taken {
    if (this.calls.some(({ whole }) => whole === null)) return this.bad("a tool call broke off");
    if (this.calls.length === 0) {
      if (callsSaid) return this.bad("the answer announced tool calls and held none");
      if (this.text === "") return this.bad("the answer was empty: no text and no tool call");
    }
    const calls = this.callEvents(false);
    return ending([...calls, { kind: "done", stop: calls.length > 0 ? "calls" : "end", usage }]);
  }

  /** Only the last call of an answer can have been cut off by the output limit. */
  private callEvents(limited: boolean): readonly StreamEvent[] {
    return this.calls.map((call, index) => ({
      kind: "call",
      call: this.callOf(call, limited && index === this.calls.length - 1),
    }));
  }

  private callOf({ id, name, text, whole }: OpenCall, cut: boolean): ToolCall {
    const anthropic = this.context.kind === "anthropic";
    // The SDK writes `{}` where Anthropic sent nothing, also where the limit cut the call before its first character.
    const written = whole === null || (anthropic && text === "" && whole === "{}") ? text : whole;
    const tool = this.request.tools.find((spec) => spec.name === name);
    return {
      id: asCallId(id),
      name,
      arguments: parseArguments({ text: written, cut, emptyMeansNone: anthropic, tool }),
    };
  }

  private grown(chars: number, events: readonly StreamEvent[]): Taken {
    this.chars += chars;
    if (this.chars > answerCharsMax) return this.bad(`the answer is longer than ${answerCharsMax} characters`);
    return { events, over: false };
  }

  /** The provider's word for it, and what it said. */
  private why({ raw }: LanguageModelV4FinishReason): string {
    const word = raw === undefined ? "" : ` (${raw})`;
    return this.text === "" ? word : `${word}: ${this.text}`;
  }

  /** A whole answer in JSON has been paid for; a page of a proxy has not. */
  private bad(message: string, { uncharged = false }: { readonly uncharged?: boolean } = {}): Taken {
    const error = modelError("bad-answer", this.clean(message));
    return failing(uncharged ? { ...error, uncharged } : error);
  }

  private clean(message: string): string {
    return cleanLine(this.context.redact(message), shownChars);
  }
}

function failing(error: ReturnType<typeof modelError>): Taken {
  return ending([{ kind: "error", error }]);
}

function ending(events: readonly StreamEvent[]): Taken {
  return { events, over: true };
}
