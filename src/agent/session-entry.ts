// The SessionLog port and the entries of a transcript.

import type { AgentId, TaskId } from "../base/ids.ts";
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
  | {
      readonly kind: "result";
      readonly turn: number;
      /** Place of the call in its response, from 0. */
      readonly index: number;
      readonly result: ToolResult;
      readonly outcome: CallOutcome;
      /** When the response was whole; waiting is from here to `startMs`. Unavailable times: the call never ran. */
      readonly queuedMs: Figure;
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
}
