// Reads a transcript back into a history that a provider accepts: every call has exactly one result, in request order.
// Lost results become `interrupted` ones, here and not in the file, which stays what was recorded; those of the last answer
// can be left pending instead, to be run.

import { unreachable } from "../base/assert.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { FileError, Files } from "../host/files.ts";
import type { Message } from "../model/message.ts";
import { History, type LostCall, type PendingCalls } from "./session-history.ts";
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
  /** How the session ended; null while it runs, and after a crash. */
  readonly ended: { readonly outcome: string; readonly detail: string } | null;
  /** All finished requests, in order. */
  readonly requests: readonly RecordedRequest[];
}

export interface LoadOptions {
  /**
   * What becomes of the last answer's calls that were lost: `interrupted` gives them results that say so. `pending` leaves
   * them to be run again, with those that were cancelled or ended the session: for agents whose calls may be repeated.
   * A function decides for each that has no result at all.
   */
  readonly lostCalls?: "interrupted" | "pending" | ((lost: LostCall) => "run" | "interrupted");
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
  const reading = new Reading();
  for (const line of lines) {
    const read = readLine(line);
    if (read?.kind === "start" && read.version > SESSION_VERSION)
      return err({ kind: "newer", path, version: read.version });
    reading.take(read);
  }
  return ok(reading.finish(lostCalls));
}

/** Folds the lines of a transcript. */
class Reading {
  private readonly history = new History();
  private readonly requests: RecordedRequest[] = [];
  private turns = 0;
  private linesDamaged = 0;
  private ended: LoadedSession["ended"] = null;

  /** Null stands for a line that cannot be read. */
  take(read: ReadLine | null): void {
    this.ended = null;
    if (read === null) {
      this.linesDamaged++;
      return;
    }
    if (read.kind === "end") this.ended = { outcome: read.outcome, detail: read.detail };
    switch (read.kind) {
      case "message":
        if (read.message.role === "assistant") this.turns = Math.max(this.turns, read.turn);
        return this.history.say(read.message, read.turn);
      case "result":
        return this.history.answer(read);
      case "call":
        return this.history.start(read);
      case "compaction":
        return this.history.compact(read);
      case "request":
        this.requests.push(read.request);
        // A request that failed or was cut off has no answer: it is made again as the same turn.
        if (!["aborted", "error"].includes(read.request.outcome)) this.turns = Math.max(this.turns, read.request.turn);
        return;
      case "start":
      case "end":
        return;
      default:
        return unreachable(read);
    }
  }

  finish(lostCalls: NonNullable<LoadOptions["lostCalls"]>): LoadedSession {
    const { requests, turns, linesDamaged, ended } = this;
    const lastRequest = requests.findLast(({ outcome }) => outcome !== "aborted") ?? null;
    const pending = lostCalls === "interrupted" ? null : this.history.takePending(lastRequest, lostCalls);
    return { ...this.history.finish(), turns, linesDamaged, lastRequest, pending, ended, requests };
  }
}
