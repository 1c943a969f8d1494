// The hooks around one agent: tells them of its calls and of its end in Claude Code's form, with who it is and whose child, and turns
// their answers into what the loop acts on.

import { unreachable } from "../../base/assert.ts";
import type { AgentId } from "../../base/ids.ts";
import type { AfterCall, BeforeCall, BeforeStop, CallHooks, HookedCall, HookRun } from "../call-hooks.ts";
import type { CallOutcome } from "../session-entry.ts";
import type { HookEvent } from "./hook-event.ts";
import type { Fired, FiredAnswer, Hooks } from "./hooks.ts";
import type { MatchNames } from "./matcher.ts";

/** Times in a row that hooks may keep one agent from ending. */
const stopsHeldMax = 8;

export interface CallForm {
  readonly names: MatchNames;
  readonly input: Readonly<Record<string, unknown>>;
  readonly command: string | null;
  readonly path: string | null;
}

/** Between a tool's own form and the one that hooks know. */
export interface CallForms {
  toHook(name: string, value: unknown, root: string): CallForm;
  fromHook(name: string, value: unknown, root: string): unknown;
  responseFor(
    name: string,
    input: CallForm["input"],
    result: { readonly text: string; readonly cancelled: boolean },
  ): unknown;
  /** Of children. */
  readonly agentType: string;
}

export interface HookSession {
  readonly hooks: Hooks;
  readonly forms: CallForms;
  readonly sessionId: string;
  /** Of the first agent. */
  readonly transcript: string;
  readonly permissionMode: string;
  /** Commands of hooks that are over and belong to no call. */
  readonly onRuns: (who: HookedAgent, runs: readonly HookRun[]) => void;
  readonly onNote: (text: string) => void;
}

export interface HookedAgent {
  readonly agent: AgentId;
  readonly parent: AgentId | null;
  /** Its tree. */
  readonly root: string;
  /** Its own. */
  readonly transcript: string;
}

/** Fires what is about the agent and no call of it. */
export async function fireFor(
  session: HookSession,
  who: HookedAgent,
  { event, names, payload }: Pick<Fired, "event" | "names" | "payload">,
  signal: AbortSignal,
): Promise<FiredAnswer> {
  const whole = { ...common(session, who, event), ...payload };
  const answer = await session.hooks.fire({ event, names, payload: whole, cwd: who.root }, signal);
  if (answer.runs.length > 0) session.onRuns(who, answer.runs);
  return answer;
}

export function agentHooks(session: HookSession, who: HookedAgent): CallHooks {
  const { hooks } = session;
  let held = 0;
  return {
    looksAtCalls: hooks.has("PreToolUse"),
    beforeCall: (call, signal) => beforeCall(session, who, call, signal),
    afterCall: (call, ran, signal) => afterCall(session, who, { call, ...ran }, signal),
    beforeStop: async (text, signal) => {
      const verdict = await beforeStop(session, who, { text, again: held > 0 }, signal);
      if (verdict.kind === "stop") return verdict;
      held += 1;
      if (held <= stopsHeldMax) return verdict;
      session.onNote(`hooks have kept ${who.agent} from ending ${stopsHeldMax} times: it ends all the same`);
      return { kind: "stop" };
    },
    beforeCompaction: async (signal) => {
      const payload = { trigger: "auto", custom_instructions: "" };
      const { decision } = await fireFor(session, who, { event: "PreCompact", names: ["auto"], payload }, signal);
      return decision !== "deny";
    },
    afterCompaction: async (summary, signal) => {
      await fireFor(
        session,
        who,
        { event: "PostCompact", names: ["auto"], payload: { trigger: "auto", compact_summary: summary } },
        signal,
      );
      if (who.parent !== null) return "";
      const payload = { source: "compact" };
      const { context } = await fireFor(session, who, { event: "SessionStart", names: ["compact"], payload }, signal);
      return context === "" ? "" : fromHooks("SessionStart", context);
    },
  };
}

/** As the model reads it: whose words they are. */
export function fromHooks(event: HookEvent, text: string): string {
  return `[the person's ${event} hooks say]\n${text}`;
}

async function beforeCall(
  session: HookSession,
  who: HookedAgent,
  call: HookedCall,
  signal: AbortSignal,
): Promise<BeforeCall & { readonly runs: readonly HookRun[] }> {
  const { hooks, forms } = session;
  const { name, arguments: given, id } = call.call;
  const value = given.kind === "parsed" ? given.value : {};
  const { names, input, command, path } = forms.toHook(name, value, who.root);
  const event = "PreToolUse";
  const payload = { ...common(session, who, event, call), tool_name: names[0], tool_input: input, tool_use_id: id };
  const answer = await hooks.fire({ event, names, call: { names, command, path }, payload, cwd: who.root }, signal);
  const { decision, reason, updatedInput, end, runs } = answer;
  if (end !== null) return { kind: "end", reason: end, runs };
  if (decision === "deny") return { kind: "refuse", reason, runs };
  return {
    kind: "go",
    input: updatedInput === undefined ? value : forms.fromHook(name, updatedInput, who.root),
    decision,
    context: answer.context === "" ? "" : fromHooks(event, answer.context),
    runs,
  };
}

interface Ran {
  readonly call: HookedCall;
  readonly result: { readonly text: string };
  readonly outcome: CallOutcome;
  readonly durationMs: number;
}

async function afterCall(
  session: HookSession,
  who: HookedAgent,
  { call, result, outcome, durationMs }: Ran,
  signal: AbortSignal,
): Promise<AfterCall & { readonly runs: readonly HookRun[] }> {
  const { hooks, forms } = session;
  const { name, arguments: given, id } = call.call;
  const { names, input, command, path } = forms.toHook(name, given.kind === "parsed" ? given.value : {}, who.root);
  const event = failed(outcome) ? "PostToolUseFailure" : "PostToolUse";
  const cancelled = outcome === "cancelled";
  const came =
    event === "PostToolUse"
      ? { tool_response: forms.responseFor(name, input, { text: result.text, cancelled }) }
      : { error: result.text, is_interrupt: cancelled };
  const payload = {
    ...common(session, who, event, call),
    tool_name: names[0],
    tool_input: input,
    tool_use_id: id,
    ...came,
    duration_ms: durationMs,
  };
  const answer = await hooks.fire({ event, names, call: { names, command, path }, payload, cwd: who.root }, signal);
  const context = answer.context === "" ? "" : fromHooks(event, answer.context);
  return { context, end: answer.end, runs: answer.runs };
}

function failed(outcome: CallOutcome): boolean {
  switch (outcome) {
    case "ok":
    case "ended":
      return false;
    case "error":
    case "refused":
    case "fault":
    case "internal-error":
    case "cancelled":
    case "skipped":
    case "interrupted":
      return true;
    default:
      return unreachable(outcome);
  }
}

async function beforeStop(
  session: HookSession,
  who: HookedAgent,
  { text, again }: { readonly text: string; readonly again: boolean },
  signal: AbortSignal,
): Promise<BeforeStop> {
  const isChild = who.parent !== null;
  const event = isChild ? "SubagentStop" : "Stop";
  const payload = {
    stop_hook_active: again,
    ...(isChild ? { agent_transcript_path: who.transcript } : {}),
    last_assistant_message: text,
    background_tasks: [],
    session_crons: [],
  };
  const names: MatchNames | null = isChild ? [session.forms.agentType] : null;
  const { decision, reason, end } = await fireFor(session, who, { event, names, payload }, signal);
  return decision === "deny" && end === null ? { kind: "go-on", reason: fromHooks(event, reason) } : { kind: "stop" };
}

/** What every hook is told; `skein` holds what Claude Code has no name for. */
function common(
  { sessionId, transcript, permissionMode, forms }: HookSession,
  { agent, parent, root }: HookedAgent,
  event: HookEvent,
  call?: HookedCall,
): Readonly<Record<string, unknown>> {
  const at = call === undefined ? {} : { turn: call.turn, index: call.index, tool: call.call.name };
  return {
    session_id: sessionId,
    transcript_path: transcript,
    cwd: root,
    permission_mode: permissionMode,
    ...(parent === null ? {} : { agent_id: agent, agent_type: forms.agentType }),
    hook_event_name: event,
    skein: { agent, parent, ...at },
  };
}
