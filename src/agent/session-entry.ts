// The SessionLog port and the entries of a transcript.

import type { AgentId, CallId, TaskId } from "../base/ids.ts";
import type { Result } from "../base/result.ts";
import type { FileError } from "../host/files.ts";
import type { Message, ToolResult } from "../model/message.ts";
import type { Role } from "../model/provider.ts";
import type { Figure } from "../model/usage.ts";
import type { RequestReport } from "./request-report.ts";

/**
 * How a call came to its result: `refused` before it ran (unknown tool, malformed arguments), `fault` of the environment,
 * `cancelled` by the agent's signal, `skipped` because the run ended first, `interrupted` by a crash.
 */
export type CallOutcome =
  | "ok"
  | "ended"
  | "error"
  | "refused"
  | "fault"
  | "internal-error"
  | "cancelled"
  | "skipped"
  | "interrupted";

export type SessionEntry =
  /** A run begins: a new session's first line, or where a session was resumed. */
  | {
      readonly kind: "start";
      readonly atMs: number;
      readonly role: Role;
      readonly task: TaskId | null;
      readonly provider: string;
      readonly scripted: boolean;
      readonly system: string;
      readonly tools: readonly string[];
      readonly firstTurn: number;
    }
  | {
      readonly kind: "message";
      readonly turn: number;
      readonly atMs: number;
      readonly message: Exclude<Message, { role: "tool" }>;
    }
  | { readonly kind: "request"; readonly report: RequestReport }
  /** A call that may change something begins: without its result it may or may not have taken effect. */
  | {
      readonly kind: "call";
      readonly turn: number;
      /** Place of the call in its response, from 0. */
      readonly index: number;
      readonly callId: CallId;
      readonly name: string;
      readonly atMs: number;
    }
  /** From here on the history is `opening` and the last `kept` messages of those before: the lines before stay in the file. */
  | {
      readonly kind: "compaction";
      /** Of the request for the summary; of the last one where none was made. */
      readonly turn: number;
      readonly atMs: number;
      readonly opening: string;
      readonly kept: number;
      readonly how: "summary" | "digest";
      /** Of the context before and after, counted or estimated. */
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    }
  | {
      readonly kind: "result";
      readonly turn: number;
      /** Place of the call in its response, from 0. */
      readonly index: number;
      readonly result: ToolResult;
      readonly outcome: CallOutcome;
      /** When the response was whole; waiting is from here to `startMs`. Unavailable times: the call never ran. */
      readonly queuedMs: Figure;
      /** Milliseconds in hooks and approvals before it. */
      readonly gateMs: Figure;
      /** Of them, for the person's approval. */
      readonly approvalMs: Figure;
      readonly startMs: Figure;
      readonly endMs: Figure;
    }
  | {
      readonly kind: "end";
      readonly turn: number;
      readonly atMs: number;
      readonly outcome: string;
      readonly detail: string;
    };

export interface SessionLog {
  /** Appends the entries with one write, between whose entries no kill can come: only one amid the write tears it. Entries are kept in the order of the calls. */
  append(entry: SessionEntry, ...more: readonly SessionEntry[]): Promise<Result<void, FileError>>;
}

export interface SessionOwner {
  readonly agent: AgentId;
  /** Null for a lone agent. */
  readonly parent: AgentId | null;
  /** The parent's call that it answers, for the start line; left out where no call started it. */
  readonly startedBy?: { readonly turn: number; readonly index: number };
}
