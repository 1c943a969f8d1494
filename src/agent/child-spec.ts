// What a child's loop is given: a conversation that begins, or the one that a crash interrupted. One that had ended then is over, and is
// not asked again.

import type { Message } from "../model/message.ts";
import { childMessages } from "./child-context.ts";
import type { ChildHome, ChildPlan } from "./child-home.ts";
import { type ChildEnd, endedBefore } from "./child-outcome.ts";
import type { DelegationLimits } from "./delegation-limits.ts";
import type { LoadedSession } from "./session-load.ts";
import type { AgentSpec } from "./spec.ts";

export interface ChildSpecRequest {
  readonly plan: ChildPlan;
  /** Of its parent, up to and with the answer that makes the call. */
  readonly conversation: readonly Message[];
  readonly depth: number;
  readonly limits: DelegationLimits;
  /** Children of its own go on after a crash. */
  readonly hasChildren: boolean;
}

export type ChildSpec =
  | { readonly kind: "run"; readonly spec: AgentSpec }
  | { readonly kind: "over"; readonly end: Omit<ChildEnd, "changes"> };

export function childSpec(request: ChildSpecRequest, { spec, session, told = "" }: ChildHome): ChildSpec {
  const { asked, writes, hidden } = request.plan;
  const { child, parent } = asked;
  const { childTurnsMax: turnsMax, depthMax, resultBytesMax } = request.limits;
  const base = { ...spec, agent: child, parent, role: "child", task: null, taskKeys: [child] } as const;
  if (session !== null && session.messages.length > 0) return goingOn(base, session, { ...request, turnsMax });
  const role = { child, parent, mayDelegate: request.depth < depthMax, writes, hidden, resultBytesMax, told };
  const messages = childMessages(asked.request, request.conversation, role);
  const limits = { ...spec.limits, turnsMax };
  return { kind: "run", spec: { ...base, messages, messagesRecorded: 0, firstTurn: 0, limits } };
}

function goingOn(
  base: Omit<AgentSpec, "messages" | "messagesRecorded" | "firstTurn">,
  session: LoadedSession,
  { turnsMax, hasChildren }: { readonly turnsMax: number; readonly hasChildren: boolean },
): ChildSpec {
  const { messages, turns, pending, ended } = session;
  // It had said its last words, and waited for what its children find.
  const waiting = hasChildren && ended === null && pending === null && messages.at(-1)?.role === "assistant";
  const over = waiting ? null : endedBefore(session);
  if (over !== null) return { kind: "over", end: over };
  const limits = { ...base.limits, turnsMax: Math.max(1, turnsMax - turns) };
  const going = { ...base, messages, messagesRecorded: messages.length, firstTurn: turns, limits, waiting };
  return { kind: "run", spec: pending === null ? going : { ...going, pending } };
}
