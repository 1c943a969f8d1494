// One model request: the provider's stream gathered into one answer. Never rejects; whatever a provider does wrong
// (ends early, throws, repeats a call id) comes out as a failed answer or is put right here. What an attempt said that
// failed and was made again is in no answer; what it may have cost is.

import { orAborted } from "../base/abort.ts";
import { unreachable } from "../base/assert.ts";
import { asCallId } from "../base/ids.ts";
import { BROKE_OFF, EMPTY_ANSWER } from "../model/bad-answer.ts";
import type { ToolCall } from "../model/message.ts";
import type {
  AttemptReport,
  AttemptState,
  ModelError,
  ModelRequest,
  Provider,
  StreamEvent,
} from "../model/provider.ts";
import { USAGE_UNKNOWN, type Usage } from "../model/usage.ts";

export type Answer =
  | {
      readonly kind: "whole";
      readonly text: string;
      /** With ids that are unique in the answer. */
      readonly calls: readonly ToolCall[];
      readonly stop: "end" | "calls" | "length";
    }
  | { readonly kind: "failed"; readonly error: ModelError }
  | { readonly kind: "aborted" };

export interface Asked {
  readonly answer: Answer;
  /** The attempts that are over, where the provider tells of them; an abort may come before the last one's report. */
  readonly attempts: readonly AttemptReport[];
  /** Usage of each attempt that may have been charged for, in order: none if all were refused or nothing was sent. */
  readonly charges: readonly Usage[];
}

export interface AskWatcher {
  /** Each piece of text as it streams. */
  onText(text: string): void;
  /** After an `ended` with an error the text so far is void. */
  onAttempt(attempt: AttemptState): void;
}

export async function ask(
  provider: Provider,
  request: ModelRequest,
  signal: AbortSignal,
  watcher: AskWatcher,
): Promise<Asked> {
  const gathering = new Gathering(watcher);
  let iterator: AsyncIterator<StreamEvent> | null = null;
  try {
    iterator = provider.request(request, signal)[Symbol.asyncIterator]();
    for (;;) {
      const step = await orAborted(iterator.next(), signal);
      if (step.kind === "aborted") return gathering.aborted();
      if (step.value.done === true) return gathering.failed(BROKE_OFF);
      const asked = gathering.take(step.value.value);
      if (asked !== null) return asked;
    }
  } catch (thrown) {
    const message = `the provider ${provider.name} threw: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
    return gathering.failed({ kind: "model", code: "other", message, retryAfterMs: null });
  } finally {
    // Not awaited: a provider that hangs must not hang the agent.
    iterator?.return?.().catch(() => {});
  }
}

class Gathering {
  private readonly watcher: AskWatcher;
  private text = "";
  private calls: ToolCall[] = [];
  private readonly attempts: AttemptReport[] = [];
  /** Whether something has been sent that no report speaks of: at first, since most providers do not tell of attempts. */
  private unreported = true;

  constructor(watcher: AskWatcher) {
    this.watcher = watcher;
  }

  /** What was asked, once the event ends it. */
  take(event: StreamEvent): Asked | null {
    switch (event.kind) {
      case "text":
        this.text += event.text;
        this.watcher.onText(event.text);
        return null;
      case "call":
        this.calls.push(event.call);
        return null;
      case "attempt":
        this.attempt(event.attempt);
        return null;
      case "done": {
        const { text, calls } = this;
        if (text === "" && calls.length === 0 && event.stop !== "length") return this.failed(EMPTY_ANSWER, event.usage);
        return this.asked({ kind: "whole", text, calls: withUniqueIds(calls), stop: event.stop }, event.usage);
      }
      case "error":
        return this.failed(event.error);
      case "aborted":
        return this.aborted();
      default:
        return unreachable(event);
    }
  }

  failed(error: ModelError, usage: Usage = USAGE_UNKNOWN): Asked {
    return this.asked({ kind: "failed", error }, usage);
  }

  aborted(): Asked {
    return this.asked({ kind: "aborted" }, USAGE_UNKNOWN);
  }

  private attempt(attempt: AttemptState): void {
    this.unreported = attempt.kind === "started";
    if (attempt.kind === "ended") {
      this.attempts.push(attempt.report);
      if (attempt.report.outcome === "error") {
        this.text = "";
        this.calls = [];
      }
    }
    this.watcher.onAttempt(attempt);
  }

  private asked(answer: Answer, usage: Usage): Asked {
    const { attempts } = this;
    const reported = attempts.filter((attempt) => attempt.mayCost).map((attempt) => attempt.usage);
    return { answer, attempts, charges: this.unreported ? [...reported, usage] : reported };
  }
}

/** Some servers number every call 0: a result could then not be matched with its call. */
function withUniqueIds(calls: readonly ToolCall[]): readonly ToolCall[] {
  const taken = new Set<string>();
  return calls.map((call, index) => {
    let id: string = call.id === "" ? `call-${index + 1}` : call.id;
    for (let copy = 2; taken.has(id); copy++) id = `${call.id}-${copy}`;
    taken.add(id);
    return id === call.id ? call : { ...call, id: asCallId(id) };
  });
}
