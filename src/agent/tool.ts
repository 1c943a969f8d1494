// The tool contract: what a tool declares, what it is given for one call, and what it may answer.

import { z } from "zod";
import type { AgentId, CallId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Message, ToolSpec } from "../model/message.ts";
import { CLAIMS_NOTHING, type Claim, claimOf } from "./claim.ts";
import { unknownNames } from "./unknown-names.ts";

/**
 * `read` changes nothing and may run beside other reads; `write` changes files of the agent's workspace;
 * `exclusive` (shell commands, anything that talks to the swarm) runs alone; `delegate` works through other agents and
 * touches nothing by itself.
 */
export type Effect = "read" | "write" | "exclusive" | "delegate";

export interface ToolContext {
  readonly agent: AgentId;
  /** Who delegated to the agent; null for one that nobody did. */
  readonly parent: AgentId | null;
  readonly callId: CallId;
  /** With `index`, the call's place in its response, names the call for good: a provider may give an id again. */
  readonly turn: number;
  readonly index: number;
  /** The call was begun before a crash and is made again. */
  readonly resumed: boolean;
  /** The history up to and with the answer that makes the call. */
  readonly conversation: readonly Message[];
  /** Aborts when the agent is cancelled; the tool stops what it started and answers soon after. */
  readonly signal: AbortSignal;
}

/** What names a call before it runs. */
export type AnnouncedCall = Pick<ToolContext, "agent" | "callId" | "turn" | "index">;

/** For a call that no answer of a model made: a check, a probe. */
export function loneCall(call: Pick<ToolContext, "agent" | "callId" | "signal">): ToolContext {
  return { ...call, parent: null, turn: 0, index: 0, resumed: false, conversation: [] };
}

export type ToolAnswer =
  | { readonly kind: "text"; readonly text: string }
  /** The call failed in a way the model can act on. */
  | { readonly kind: "error"; readonly text: string }
  /** The machine lacks something (a missing program, a full disk): not the model's mistake, and counted apart. */
  | { readonly kind: "fault"; readonly text: string }
  /** The tool stopped because the signal aborted. */
  | { readonly kind: "cancelled"; readonly text: string }
  /** The agent's last act: its loop ends with `value` after this response's results are recorded. */
  | { readonly kind: "end"; readonly text: string; readonly value: unknown };

/** What a call would make of one file. */
export interface CallPreview {
  /** Relative to the root of the tree, the real name. */
  readonly path: string;
  /** Null where there is no such file. */
  readonly before: string | null;
  readonly after: string;
}

export interface Tool {
  readonly spec: ToolSpec;
  readonly effect: Effect;
  /** What a call with this input touches; without it the effect is taken to be on the whole tree. Must not reject. */
  claim?(input: unknown): Promise<Claim>;
  /** For the person who is asked whether the call may run; null where it cannot be told, or the call would fail. Changes nothing. Must not reject. */
  preview?(input: unknown): Promise<CallPreview | null>;
  /** A call that a crash interrupted may be made again: the tool finds what it had begun (`resumed`). */
  readonly resumable?: boolean;
  /**
   * Told of each call of an answer, in request order, before any of them runs, so that what is numbered has the same number however
   * the calls are scheduled. Must not reject.
   */
  announce?(input: unknown, call: AnnouncedCall): Promise<void>;
  /** Told once when an announced call has its result, also where it never ran. */
  settled?(call: AnnouncedCall): void;
  /** Never rejects for an expected failure: that is an `error` answer, as are arguments the schema refuses. */
  run(input: unknown, context: ToolContext): Promise<ToolAnswer>;
}

export interface ToolDefinition<Schema extends z.ZodObject> {
  readonly name: string;
  /** For the model: what it does, when to use it and when not. */
  readonly description: string;
  readonly input: Schema;
  readonly effect: Effect;
  claim?(input: z.infer<Schema>): Promise<Claim>;
  preview?(input: z.infer<Schema>): Promise<CallPreview | null>;
  readonly resumable?: boolean;
  announce?(input: z.infer<Schema>, call: AnnouncedCall): Promise<void>;
  settled?(call: AnnouncedCall): void;
  run(input: z.infer<Schema>, context: ToolContext): Promise<ToolAnswer>;
}

/** Each agent has tools of its own over the same schemas, whose JSON form takes a millisecond to make. */
const jsonSchemas = new WeakMap<z.ZodType, Record<string, unknown>>();

function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  const known = jsonSchemas.get(schema) ?? (z.toJSONSchema(schema) as Record<string, unknown>);
  jsonSchemas.set(schema, known);
  return known;
}

/** A tool whose input is checked by its schema before `run` sees it; what the schema does not name is refused, never dropped. */
export function defineTool<Schema extends z.ZodObject>(definition: ToolDefinition<Schema>): Tool {
  const { name, description, input, effect, resumable = false } = definition;
  const { announce, settled, preview } = definition;
  const inputSchema = jsonSchemaOf(input);
  const read = (value: unknown): Result<z.infer<Schema>, string> => {
    const unknown = unknownNames(value, inputSchema);
    const parsed = input.safeParse(value);
    if (parsed.success && unknown.length === 0) return ok(parsed.data);
    const faults = parsed.success ? unknown : [z.prettifyError(parsed.error), ...unknown];
    return err(`${name}: invalid arguments\n${faults.join("\n")}`);
  };
  return {
    spec: { name, description, inputSchema },
    effect,
    resumable,
    async claim(value) {
      const parsed = read(value);
      // What the schema refuses does nothing.
      if (!parsed.ok) return CLAIMS_NOTHING;
      return definition.claim === undefined ? claimOf(effect) : definition.claim(parsed.value);
    },
    ...(preview === undefined
      ? {}
      : {
          preview: async (value) => {
            const parsed = read(value);
            return parsed.ok ? preview(parsed.value) : null;
          },
        }),
    ...(announce === undefined
      ? {}
      : {
          announce: async (value, call) => {
            const parsed = read(value);
            if (parsed.ok) await announce(parsed.value, call);
          },
        }),
    ...(settled === undefined ? {} : { settled }),
    async run(value, context) {
      const parsed = read(value);
      return parsed.ok ? definition.run(parsed.value, context) : { kind: "error", text: parsed.error };
    },
  };
}
