// Where a lone run's conversation begins or goes on: what the loop is given, read from the transcript. Nothing that has a result is run
// again, and what a crash left without one is decided by what the call may have done.

import { untoldChildren } from "../agent/deliveries.ts";
import { lostCallRule } from "../agent/lost-calls.ts";
import type { PendingCalls } from "../agent/session-history.ts";
import { type LoadError, loadSession } from "../agent/session-load.ts";
import type { Tool } from "../agent/tool.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Files } from "../host/files.ts";
import type { Message } from "../model/message.ts";
import { childEntries } from "./delegation-files.ts";
import { billOf } from "./run-bill.ts";
import type { Resumed } from "./run-types.ts";
import { soloAgent, soloTranscript } from "./solo-facts.ts";
import type { RunDirectories } from "./state-directory.ts";

export interface Session {
  /** Ends with what is to be answered, or with an answer whose calls are pending. */
  readonly messages: readonly Message[];
  readonly messagesRecorded: number;
  readonly firstTurn: number;
  readonly pending: PendingCalls | null;
  /** It had done its own part and waited for children in the background. */
  readonly waiting: boolean;
  /** Said once the pending calls have their results; null for nothing. */
  readonly afterPending: string | null;
  /** Null for a new one. */
  readonly resumed: Resumed | null;
}

export function newSession(task: string): Session {
  const messages = [{ role: "user", text: task }] as const;
  return {
    messages,
    messagesRecorded: 0,
    firstTurn: 0,
    pending: null,
    waiting: false,
    afterPending: null,
    resumed: null,
  };
}

export type SessionError =
  /** It is at its end, and nothing more was asked for. */
  { readonly kind: "needs-task" } | { readonly kind: "unreadable"; readonly path: string; readonly message: string };

export interface ResumeSession {
  readonly directories: RunDirectories;
  /** The task it was started with. */
  readonly started: string;
  /** What is to be done next; null to go on where it stopped. */
  readonly next: string | null;
  /** What it was last told to do next, which a crash may have kept out of its transcript. */
  readonly toldLast: string | null;
}

/** `tools` decide what becomes of calls without a result; a run's own, by name and effect. */
export async function resumedSession(
  files: Files,
  { directories, started, ...told }: ResumeSession,
  tools: readonly Pick<Tool, "spec" | "effect" | "resumable">[],
): Promise<Result<Session, SessionError>> {
  const path = soloTranscript(directories);
  const loaded = await loadSession(files, path, { lostCalls: lostCallRule(tools) });
  // It was killed before its transcript was begun.
  if (!loaded.ok && loaded.error.kind === "file" && loaded.error.code === "not-found")
    return ok(newSession(told.next ?? started));
  if (!loaded.ok) return err({ kind: "unreadable", path, message: sentence(loaded.error) });
  const { messages, turns, pending, interrupted, linesDamaged } = loaded.value;
  if (messages.length === 0) return ok(newSession(told.next ?? started));
  const next = told.next ?? unsaid(messages, told.toldLast);
  const isOver = messages.at(-1)?.role === "assistant" && pending === null;
  const waiting = isOver && next === null && (await waitsForChildren(files, directories, messages));
  if (isOver && next === null && !waiting) return err({ kind: "needs-task" });
  const callsPending = pending === null ? 0 : pending.calls.length - pending.results.size;
  const said = next !== null && pending === null;
  return ok({
    messages: said ? [...messages, { role: "user", text: next }] : messages,
    messagesRecorded: messages.length,
    firstTurn: turns,
    pending,
    waiting,
    afterPending: pending === null ? null : next,
    resumed: { bill: await billOf(files, directories), callsPending, callsInterrupted: interrupted, linesDamaged },
  });
}

/** Whether results of children in the background are still to come. */
async function waitsForChildren(
  files: Files,
  directories: RunDirectories,
  messages: readonly Message[],
): Promise<boolean> {
  const entries = await childEntries(files, directories.run);
  return entries.ok && untoldChildren(entries.value, soloAgent, messages).length > 0;
}

/** An opening that stands for older messages holds them too. */
function unsaid(messages: readonly Message[], text: string | null): string | null {
  const said = text === null || messages.some((message) => message.role === "user" && message.text.includes(text));
  return said ? null : text;
}

function sentence(error: LoadError): string {
  return error.kind === "newer" ? `it was written by a newer version of skein (${error.version})` : error.message;
}
