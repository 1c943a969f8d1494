// Records a run into its session log, in order. After the first failure nothing more is written and `failure` tells the loop to stop.

import type { FileError } from "../host/files.ts";
import type { Message } from "../model/message.ts";
import type { SessionEntry, SessionLog } from "./session-entry.ts";

type StartedCall = Omit<Extract<SessionEntry, { kind: "call" }>, "kind">;

export class Recorder {
  private readonly log: SessionLog;
  private failed: FileError | null = null;
  private last: Promise<void> = Promise.resolve();

  constructor(log: SessionLog) {
    this.log = log;
  }

  get failure(): FileError | null {
    return this.failed;
  }

  /** Resolves when this entry and all before it are written, or one has failed. */
  write(entry: SessionEntry, ...more: readonly SessionEntry[]): Promise<void> {
    this.last = this.last.then(async () => {
      if (this.failed !== null) return;
      const appended = await this.log.append(entry, ...more);
      if (!appended.ok) this.failed = appended.error;
    });
    return this.last;
  }

  /** Before a call that may change something is run: after a crash it is then known to have begun. */
  callStarted(call: StartedCall): Promise<void> {
    return this.write({ kind: "call", ...call });
  }

  /** Messages that a run was given and the log does not have yet; when their calls ran is not known here. */
  async writeGiven(messages: readonly Message[], turn: number, atMs: number): Promise<void> {
    for (const message of messages) {
      if (message.role !== "tool") {
        await this.write({ kind: "message", turn, atMs, message });
        continue;
      }
      for (const [index, result] of message.results.entries()) {
        const outcome = result.isError ? "error" : "ok";
        const unknown = {
          queuedMs: "unavailable",
          gateMs: "unavailable",
          approvalMs: "unavailable",
          startMs: "unavailable",
          endMs: "unavailable",
        } as const;
        await this.write({ kind: "result", turn, index, result, outcome, ...unknown });
      }
    }
  }
}
