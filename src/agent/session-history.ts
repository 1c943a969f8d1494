// The history that a transcript's lines make: every answer is followed by one result a call, in request order, wherever the lines end.
// Results are gathered by the call they answer; what was lost gets an `interrupted` result or is left pending, to be run.

import type { Message, ToolCall, ToolResult } from "../model/message.ts";
import type { ReadLine, RecordedRequest } from "./session-line.ts";

/** Calls of the last answer that are to be run when the session goes on. */
export interface PendingCalls {
  readonly turn: number;
  readonly calls: readonly ToolCall[];
  /** By place: results that stand. */
  readonly results: ReadonlyMap<number, ToolResult>;
  /** The answer was cut off by the output limit. */
  readonly cut: boolean;
}

/** A call of the last answer that has no result. */
export interface LostCall {
  readonly call: ToolCall;
  readonly turn: number;
  /** Place of the call in its response, from 0. */
  readonly index: number;
  /** It may have taken effect: that it began was recorded. Calls that only read begin unrecorded. */
  readonly started: boolean;
}

/** All that the agent has been told, results of an answer that is still open included: for whoever looks for something in it. */
export function heardIn({
  messages,
  pending,
}: {
  readonly messages: readonly Message[];
  readonly pending: PendingCalls | null;
}): readonly Message[] {
  return pending === null ? messages : [...messages, { role: "tool", results: [...pending.results.values()] }];
}

/** Gathers results by the call they answer; an answer is closed by whatever is said next, or by the end. */
export class History {
  private messages: Message[] = [];
  private open: readonly ToolCall[] = [];
  private results = new Map<number, ToolResult>();
  private readonly void = new Set<number>();
  private readonly started = new Set<number>();
  private turn = 0;
  private interrupted = 0;

  say(message: Message, turn: number): void {
    this.close();
    this.turn = turn;
    this.messages.push(message);
    if (message.role === "assistant") this.open = message.calls;
  }

  /** A result whose call is not the open answer's (its line was damaged) has no place in a valid history. */
  answer({ turn, index, result, outcome }: Extract<ReadLine, { kind: "result" }>): void {
    if (this.turn !== turn || this.open[index]?.id !== result.callId) return;
    // A later line is of the call run again.
    if (this.results.has(index) && !this.void.has(index)) return;
    this.results.set(index, result);
    if (REPEATED.has(outcome)) this.void.add(index);
    else this.void.delete(index);
  }

  start({ turn, index, callId }: Extract<ReadLine, { kind: "call" }>): void {
    if (this.turn === turn && this.open[index]?.id === callId) this.started.add(index);
  }

  compact({ opening, kept }: Extract<ReadLine, { kind: "compaction" }>): void {
    this.close();
    const left = this.messages.slice(Math.max(0, this.messages.length - kept));
    // Where a line was damaged the kept part begins elsewhere: results without their calls are no history.
    while (left[0]?.role === "tool") left.shift();
    this.messages = [{ role: "user", text: opening }, ...left];
  }

  /** Opens the last answer again if any of its calls is to be repeated. */
  takePending(
    lastRequest: RecordedRequest | null,
    lostCalls: "pending" | ((lost: LostCall) => "run" | "interrupted"),
  ): PendingCalls | null {
    const results = lostCalls === "pending" ? this.standing() : this.decided(lostCalls);
    if (this.open.length === 0 || results.size === this.open.length) return null;
    const cut = lastRequest?.turn === this.turn && lastRequest.outcome === "length";
    const pending = { turn: this.turn, calls: this.open, results, cut };
    this.open = [];
    return pending;
  }

  private standing(): Map<number, ToolResult> {
    return new Map([...this.results].filter(([index]) => !this.void.has(index)));
  }

  /** Lost calls that are not to be run have their result here. */
  private decided(decide: (lost: LostCall) => "run" | "interrupted"): Map<number, ToolResult> {
    const results = new Map(this.results);
    for (const [index, call] of this.open.entries()) {
      if (results.has(index)) continue;
      const decision = decide({ call, turn: this.turn, index, started: this.started.has(index) });
      if (decision === "interrupted") results.set(index, interruptedResult(call));
    }
    // Nothing is left to run: `close` then gives the same results, and counts them.
    if (results.size < this.open.length) this.interrupted += results.size - this.results.size;
    return results;
  }

  finish(): { messages: readonly Message[]; interrupted: number } {
    this.close();
    return { messages: this.messages, interrupted: this.interrupted };
  }

  private close(): void {
    if (this.open.length === 0) return;
    const results = this.open.map((call, index) => this.results.get(index) ?? interruptedResult(call));
    this.interrupted += this.open.length - this.results.size;
    this.messages.push({ role: "tool", results });
    this.open = [];
    this.results = new Map();
    this.void.clear();
    this.started.clear();
  }
}

/** Outcomes of calls that had not run to their end, or whose effect ended the session that now goes on. */
const REPEATED: ReadonlySet<string> = new Set(["cancelled", "skipped", "interrupted", "ended"]);

function interruptedResult(call: ToolCall): ToolResult {
  const text =
    "interrupted: the program ended before this call's result was recorded. The call may or may not have taken effect: look before you repeat it.";
  return { callId: call.id, name: call.name, text, isError: true };
}
