// Reads a transcript back into a history that a provider accepts: every call has exactly one result, in request order.
// Lost results become `interrupted` ones, here and not in the file: the file stays what was recorded.

import { err, ok, type Result } from "../base/result.ts";
import type { FileError, Files } from "../host/files.ts";
import type { Message, ToolCall, ToolResult } from "../model/message.ts";
import { readLine, SESSION_VERSION } from "./session-line.ts";

/** A transcript of more bytes is not loaded. */
const transcriptBytesMax = 256 * 1024 * 1024;

export interface LoadedSession {
  readonly messages: readonly Message[];
  /** Number of the last model request: the `firstTurn` of the run that goes on from here. */
  readonly turns: number;
  /** Calls without a recorded result. */
  readonly interrupted: number;
  /** Lines passed over because they were torn by a crash or damaged. */
  readonly linesDamaged: number;
}

export type LoadError =
  | FileError
  /** Written by a newer version of this program. */
  | { readonly kind: "newer"; readonly path: string; readonly version: number };

export async function loadSession(files: Files, path: string): Promise<Result<LoadedSession, LoadError>> {
  const bytes = await files.read(path, transcriptBytesMax);
  if (!bytes.ok) return bytes;
  const lines = Buffer.from(bytes.value.buffer, bytes.value.byteOffset, bytes.value.byteLength)
    .toString("utf8")
    .split("\n");
  // A last line that lacks only its newline is whole: JSON shows where it ends.
  if (lines.at(-1) === "") lines.pop();
  const history = new History();
  let turns = 0;
  let linesDamaged = 0;
  for (const line of lines) {
    const read = readLine(line);
    if (read === null) {
      linesDamaged++;
      continue;
    }
    if (read.kind === "start" && read.version > SESSION_VERSION)
      return err({ kind: "newer", path, version: read.version });
    if (read.kind === "message") history.say(read.message);
    if (read.kind === "result") history.answer(read.index, read.result);
    if (read.kind === "request" || (read.kind === "message" && read.message.role === "assistant"))
      turns = Math.max(turns, read.turn);
  }
  return ok({ ...history.finish(), turns, linesDamaged });
}

/** Gathers results by the call they answer; an answer is closed by whatever is said next, or by the end. */
class History {
  private readonly messages: Message[] = [];
  private open: readonly ToolCall[] = [];
  private results = new Map<number, ToolResult>();
  private interrupted = 0;

  say(message: Message): void {
    this.close();
    this.messages.push(message);
    if (message.role === "assistant") this.open = message.calls;
  }

  /** A result whose call is not the open answer's (its line was damaged) has no place in a valid history. */
  answer(index: number, result: ToolResult): void {
    if (this.open[index]?.id === result.callId && !this.results.has(index)) this.results.set(index, result);
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
  }
}

function interruptedResult(call: ToolCall): ToolResult {
  const text =
    "interrupted: the program ended before this call's result was recorded. The call may or may not have taken effect: look before you repeat it.";
  return { callId: call.id, name: call.name, text, isError: true };
}
