// Reads a transcript back into a history that a provider accepts: every call has exactly one result, in request order.
// Lost results become `interrupted` ones, here and not in the file, which stays what was recorded; those of the last answer
// can be left pending instead, to be run.

import { err, ok, type Result } from "../base/result.ts";
import type { FileError, Files } from "../host/files.ts";
import type { Message, ToolCall, ToolResult } from "../model/message.ts";
import { type ReadLine, type RecordedRequest, readLine, SESSION_VERSION } from "./session-line.ts";

/** A transcript of more bytes is not loaded. */
const transcriptBytesMax = 256 * 1024 * 1024;

export interface LoadedSession {
  readonly messages: readonly Message[];
  /** Turn of the last model request that did not fail and was not cut off by an abort: the `firstTurn` of the run that goes on from here. */
  readonly turns: number;
  /** Calls without a recorded result that were given one which says so. */
  readonly interrupted: number;
  /** The newest request that was not cut off; null where there is none. */
  readonly lastRequest: RecordedRequest | null;
  /** The last answer's calls where some have no result that counts: then the history ends with that answer. */
  readonly pending: PendingCalls | null;
  /** Lines passed over because they were torn by a crash or damaged. */
  readonly linesDamaged: number;
}

/** Calls of the last answer that are to be run when the session goes on. */
export interface PendingCalls {
  readonly turn: number;
  readonly calls: readonly ToolCall[];
  /** By place: results that stand. */
  readonly results: ReadonlyMap<number, ToolResult>;
  /** The answer was cut off by the output limit. */
  readonly cut: boolean;
}

export interface LoadOptions {
  /**
   * What becomes of the last answer's calls that were lost: `interrupted` gives them results that say so. `pending` leaves
   * them to be run again, with those that were cancelled or ended the session: for agents whose calls may be repeated.
   */
  readonly lostCalls?: "interrupted" | "pending";
}

export type LoadError =
  | FileError
  /** Written by a newer version of this program. */
  | { readonly kind: "newer"; readonly path: string; readonly version: number };

export async function loadSession(
  files: Files,
  path: string,
  { lostCalls = "interrupted" }: LoadOptions = {},
): Promise<Result<LoadedSession, LoadError>> {
  const bytes = await files.read(path, transcriptBytesMax);
  if (!bytes.ok) return bytes;
  const lines = Buffer.from(bytes.value.buffer, bytes.value.byteOffset, bytes.value.byteLength)
    .toString("utf8")
    .split("\n");
  // A last line that lacks only its newline is whole: JSON shows where it ends.
  if (lines.at(-1) === "") lines.pop();
  const history = new History();
  let turns = 0;
  let lastRequest: RecordedRequest | null = null;
  let linesDamaged = 0;
  for (const line of lines) {
    const read = readLine(line);
    if (read === null) {
      linesDamaged++;
      continue;
    }
    if (read.kind === "start" && read.version > SESSION_VERSION)
      return err({ kind: "newer", path, version: read.version });
    if (read.kind === "message") history.say(read.message, read.turn);
    if (read.kind === "result") history.answer(read);
    if (read.kind === "message" && read.message.role === "assistant") turns = Math.max(turns, read.turn);
    // A request that failed or was cut off has no answer: it is made again as the same turn.
    if (read.kind === "request" && read.request.outcome !== "aborted") {
      if (read.request.outcome !== "error") turns = Math.max(turns, read.request.turn);
      lastRequest = read.request;
    }
  }
  const pending = lostCalls === "pending" ? history.takePending(lastRequest) : null;
  return ok({ ...history.finish(), turns, linesDamaged, lastRequest, pending });
}

/** Gathers results by the call they answer; an answer is closed by whatever is said next, or by the end. */
class History {
  private readonly messages: Message[] = [];
  private open: readonly ToolCall[] = [];
  private results = new Map<number, ToolResult>();
  private readonly void = new Set<number>();
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

  /** Opens the last answer again if any of its calls is to be repeated. */
  takePending(lastRequest: RecordedRequest | null): PendingCalls | null {
    const results = new Map([...this.results].filter(([index]) => !this.void.has(index)));
    if (this.open.length === 0 || results.size === this.open.length) return null;
    const cut = lastRequest?.turn === this.turn && lastRequest.outcome === "length";
    const pending = { turn: this.turn, calls: this.open, results, cut };
    this.open = [];
    return pending;
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
  }
}

/** Outcomes of calls that had not run to their end, or whose effect ended the session that now goes on. */
const REPEATED: ReadonlySet<string> = new Set(["cancelled", "skipped", "interrupted", "ended"]);

function interruptedResult(call: ToolCall): ToolResult {
  const text =
    "interrupted: the program ended before this call's result was recorded. The call may or may not have taken effect: look before you repeat it.";
  return { callId: call.id, name: call.name, text, isError: true };
}
