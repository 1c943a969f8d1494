// The tool contract: what a tool declares, what it is given for one call, and what it may answer.

import { z } from "zod";
import type { AgentId, CallId } from "../base/ids.ts";
import type { ToolSpec } from "../model/message.ts";

/**
 * `read` changes nothing and may run beside other reads; `write` changes files of the agent's workspace;
 * `exclusive` (shell commands, anything that talks to the swarm) runs alone.
 */
export type Effect = "read" | "write" | "exclusive";

export interface ToolContext {
  readonly agent: AgentId;
  readonly callId: CallId;
  /** Aborts when the agent is cancelled; the tool stops what it started and answers soon after. */
  readonly signal: AbortSignal;
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

export interface Tool {
  readonly spec: ToolSpec;
  readonly effect: Effect;
  /** Never rejects for an expected failure: that is an `error` answer, as are arguments the schema refuses. */
  run(input: unknown, context: ToolContext): Promise<ToolAnswer>;
}

export interface ToolDefinition<Schema extends z.ZodType> {
  readonly name: string;
  /** For the model: what it does, when to use it and when not. */
  readonly description: string;
  readonly input: Schema;
  readonly effect: Effect;
  run(input: z.infer<Schema>, context: ToolContext): Promise<ToolAnswer>;
}

/** A tool whose input is checked by its schema before `run` sees it. */
export function defineTool<Schema extends z.ZodType>(definition: ToolDefinition<Schema>): Tool {
  const { name, description, input, effect } = definition;
  return {
    spec: { name, description, inputSchema: z.toJSONSchema(input) as Record<string, unknown> },
    effect,
    async run(value, context) {
      const parsed = input.safeParse(value);
      if (!parsed.success)
        return { kind: "error", text: `${name}: invalid arguments\n${z.prettifyError(parsed.error)}` };
      return definition.run(parsed.data, context);
    },
  };
}
