// The person's hooks in a lone run: made for its agents, and fired where the run itself begins, is given a task, and is over.

import { isDeepStrictEqual } from "node:util";
import type { CallHooks } from "../agent/call-hooks.ts";
import { agentHooks, fireFor, fromHooks, type HookedAgent, type HookSession } from "../agent/hooks/agent-hooks.ts";
import type { HookList } from "../agent/hooks/hook-file.ts";
import { Hooks } from "../agent/hooks/hooks.ts";
import type { AgentTrace } from "../agent/trace.ts";
import type { RunId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import { agentType, fromHook, responseFor, toHook } from "../tools/hook-form.ts";
import type { Surroundings } from "./surroundings.ts";

export interface RunHooksSetup {
  readonly surroundings: Surroundings;
  readonly list: HookList;
  readonly runId: RunId;
  readonly first: HookedAgent;
  /** The top of the project, for scripts that lie in it. */
  readonly projectDirectory: string;
  /** As Claude Code names it. */
  readonly permissionMode: string;
  /** Keys of models, which no hook gets with its environment. */
  readonly secrets: readonly string[];
  readonly trace: AgentTrace;
  readonly onNote: (text: string) => void;
}

/** A hook of the person's said no. */
export interface HookRefusal {
  readonly kind: "hook-refused";
  readonly event: "SessionStart" | "UserPromptSubmit";
  readonly reason: string;
}

export interface RunHooks {
  of(agent: HookedAgent): CallHooks;
  /** What the first agent is to be told beside its task; empty for nothing. */
  started(source: "startup" | "resume", signal: AbortSignal): Promise<Result<string, HookRefusal>>;
  prompted(text: string, signal: AbortSignal): Promise<Result<string, HookRefusal>>;
  /** What a child is to be told beside its task; empty for nothing. */
  childStarted(child: HookedAgent, signal: AbortSignal): Promise<string>;
  /** A question for the person is about to be shown: what hooks answer in their place; null where they leave it to them. */
  asking(agent: HookedAgent, asked: Asked, signal: AbortSignal): Promise<AskedAnswer | null>;
  ended(reason: string): Promise<void>;
}

export interface Asked {
  readonly tool: string;
  readonly input: unknown;
  /** One line. */
  readonly question: string;
}

export type AskedAnswer = { readonly kind: "allow" } | { readonly kind: "deny"; readonly reason: string };

/** Null without hooks. */
export function runHooks(setup: RunHooksSetup): RunHooks | null {
  const { surroundings, list, runId, first, permissionMode, trace, onNote } = setup;
  if (list.commands.length === 0) return null;
  const { processes, clock } = surroundings.host;
  const hooks = new Hooks({ processes, clock, list, env: environmentOf(setup), onNote });
  const session: HookSession = {
    hooks,
    forms: { toHook, fromHook, responseFor, agentType },
    sessionId: runId,
    transcript: first.transcript,
    permissionMode,
    onRuns: (who, runs) => trace.hooks(who, runs),
    onNote,
  };
  const said = (
    event: HookRefusal["event"],
    fired: Awaited<ReturnType<typeof fireFor>>,
  ): Result<string, HookRefusal> => {
    const { decision, reason, context, end } = fired;
    if (end !== null) return err({ kind: "hook-refused", event, reason: end });
    if (decision === "deny") return err({ kind: "hook-refused", event, reason });
    return ok(context === "" ? "" : fromHooks(event, context));
  };
  return {
    of: (agent) => agentHooks(session, agent),
    started: async (source, signal) =>
      said(
        "SessionStart",
        await fireFor(session, first, { event: "SessionStart", names: [source], payload: { source } }, signal),
      ),
    prompted: async (prompt, signal) =>
      said(
        "UserPromptSubmit",
        await fireFor(session, first, { event: "UserPromptSubmit", names: null, payload: { prompt } }, signal),
      ),
    childStarted: async (child, signal) => {
      const fired = { event: "SubagentStart", names: [agentType], payload: {} } as const;
      const { context } = await fireFor(session, child, fired, signal);
      return context === "" ? "" : fromHooks("SubagentStart", context);
    },
    asking: (agent, asked, signal) => asking(session, agent, asked, signal),
    ended: async (reason) => {
      // Nobody can abort it: its hooks have a time limit of seconds.
      const { signal } = new AbortController();
      await fireFor(session, first, { event: "SessionEnd", names: [reason], payload: { reason } }, signal);
      await hooks.close();
    },
  };
}

async function asking(
  session: HookSession,
  agent: HookedAgent,
  { tool, input, question }: Asked,
  signal: AbortSignal,
): Promise<AskedAnswer | null> {
  const { names, input: given } = toHook(tool, input, agent.root);
  const request = { event: "PermissionRequest", names, payload: { tool_name: names[0], tool_input: given } } as const;
  const { decision, reason, end, updatedInput } = await fireFor(session, agent, request, signal);
  if (end !== null || decision === "deny") return { kind: "deny", reason: end ?? reason };
  if (decision === "allow") {
    // Allowed was another call than this one, which its own hooks and the rules have seen.
    if (updatedInput === undefined || isDeepStrictEqual(updatedInput, given)) return { kind: "allow" };
    session.onNote(
      "hook PermissionRequest: it allowed the call with other arguments, which only PreToolUse can give: it is asked of you",
    );
  }
  const payload = { message: question, title: "Skein", notification_type: "permission_prompt" };
  await fireFor(session, agent, { event: "Notification", names: ["permission_prompt"], payload }, signal);
  return null;
}

/** The person's own, which their scripts may need, but no key of a model. */
function environmentOf({
  surroundings: { env },
  secrets,
  projectDirectory,
  runId,
}: RunHooksSetup): Readonly<Record<string, string>> {
  const kept = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || secrets.includes(value) ? [] : [[name, value] as const],
  );
  return {
    ...Object.fromEntries(kept),
    CLAUDE_PROJECT_DIR: projectDirectory,
    SKEIN_PROJECT_DIR: projectDirectory,
    SKEIN_RUN: runId,
  };
}
