// The SessionLog port and its file: one JSON line per message, result, request, start and end of an agent's session,
// each appended with one write. Lines are only ever added; a line torn by a crash is closed off when the file is opened again.

import { dirname } from "node:path";
import type { AgentId, TaskId } from "../base/ids.ts";
import { ok, type Result } from "../base/result.ts";
import type { FileError, FileHandle, FileResult, Files } from "../host/files.ts";
import type { Message, ToolResult } from "../model/message.ts";
import type { Role } from "../model/provider.ts";
import type { Figure } from "../model/usage.ts";
import { entryLine } from "./session-line.ts";
import type { RequestReport } from "./spec.ts";

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
  /** Appends the entry; entries are kept in the order of the calls. */
  append(entry: SessionEntry): Promise<Result<void, FileError>>;
}

export interface SessionFile extends SessionLog {
  /** Makes everything durable and closes the file. */
  close(): FileResult<void>;
}

export interface SessionOwner {
  readonly agent: AgentId;
  /** Null for a lone agent. */
  readonly parent: AgentId | null;
}

/** Opens (or creates) the transcript `path` (`agents/<id>.jsonl`) for appending; its directory must exist. */
export async function openSessionLog(files: Files, path: string, owner: SessionOwner): FileResult<SessionFile> {
  const opened = await files.open(path, "append");
  if (!opened.ok) return opened;
  const handle = opened.value;
  const torn = await endsTorn(files, path);
  if (!torn.ok) {
    await handle.close();
    return torn;
  }
  const syncName = () => files.syncDirectory(dirname(path));
  return ok(sessionFile({ handle, owner, torn: torn.value, syncName }));
}

interface Opened {
  readonly handle: FileHandle;
  readonly owner: SessionOwner;
  readonly torn: boolean;
  readonly syncName: () => FileResult<void>;
}

function sessionFile({ handle, owner, syncName, ...opened }: Opened): SessionFile {
  let torn = opened.torn;
  let last: Promise<unknown> = Promise.resolve();
  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
  return {
    append: (entry) =>
      inOrder(async () => {
        const line = `${entryLine(entry, owner)}\n`;
        const appended = await handle.append([Buffer.from(torn ? `\n${line}` : line, "utf8")]);
        // After a failure any part of the line may be there: the next one must not run on from it.
        torn = !appended.ok;
        return appended;
      }),
    close: () =>
      inOrder(async () => {
        const synced = await handle.sync();
        const closed = await handle.close();
        const named = await syncName();
        return [synced, closed].find((done) => !done.ok) ?? named;
      }),
  };
}

/** Whether the last line lacks its newline. */
async function endsTorn(files: Files, path: string): FileResult<boolean> {
  const opened = await files.open(path, "read");
  if (!opened.ok) return opened;
  const size = await opened.value.size();
  const last = size.ok && size.value > 0 ? await opened.value.read(size.value - 1, 1) : ok(new Uint8Array([NEWLINE]));
  await opened.value.close();
  if (!size.ok) return size;
  return last.ok ? ok(last.value[0] !== NEWLINE) : last;
}

const NEWLINE = 0x0a;
