// What a lone run's agent is told at the start beside its task: of other sessions that are here, in a message of its own behind the task, and
// what the person's hooks say. A history that has been recorded stays as it was.

import { ok, type Result } from "../base/result.ts";
import type { OwnSession } from "./own-session.ts";
import type { HookRefusal, RunHooks } from "./run-hooks.ts";
import type { Session } from "./run-session.ts";

export interface OpeningPorts {
  readonly own: OwnSession;
  readonly hooks: Pick<RunHooks, "started" | "prompted"> | null;
  readonly signal: AbortSignal;
}

export async function openingOf(
  { task, session }: { readonly task: string; readonly session: Session },
  { own, hooks, signal }: OpeningPorts,
): Promise<Result<Session, HookRefusal>> {
  const source = session.resumed === null ? "startup" : "resume";
  // Registers this run among the sessions.
  const others = await own.note({ kind: "session-started", source });
  const prompt = unsaid(session);
  await own.note({ kind: "prompt", text: prompt ?? task, byPerson: true });
  const started = await hooks?.started(source, signal);
  if (started?.ok === false) return started;
  const prompted = prompt === null ? undefined : await hooks?.prompted(prompt, signal);
  if (prompted?.ok === false) return prompted;
  const told = [started?.value ?? "", prompted?.value ?? ""].filter((text) => text !== "");
  return ok(withBlock(told.length === 0 ? session : withTold(session, told.join("\n\n")), others));
}

/** What the person has to say now; null where the run goes on without a word of theirs. */
function unsaid({ messages, messagesRecorded, afterPending }: Session): string | null {
  const last = messages.at(-1);
  const isNew = messages.length > messagesRecorded && last?.role === "user";
  return afterPending ?? (isNew ? last.text : null);
}

/** The block is nobody's task: where it is said, the person's words before it stay as they were. */
function withBlock(session: Session, block: string | null): Session {
  if (block === null) return session;
  const { messages, pending, afterPending } = session;
  if (pending !== null)
    return { ...session, afterPending: afterPending === null ? block : `${afterPending}\n\n${block}` };
  // Who waits for children asks nothing now, and is told at its next event.
  if (messages.at(-1)?.role !== "user") return session;
  return { ...session, messages: [...messages, { role: "user", text: block }] };
}

function withTold(session: Session, told: string): Session {
  const { messages, afterPending } = session;
  if (afterPending !== null) return { ...session, afterPending: `${afterPending}\n\n${told}` };
  const last = messages.at(-1);
  if (unsaid(session) === null || last?.role !== "user") return session;
  return { ...session, messages: [...messages.slice(0, -1), { role: "user", text: `${last.text}\n\n${told}` }] };
}
