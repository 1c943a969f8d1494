// `handoff`: how every planner and worker ends. What it does with the work differs by role and is passed in.

import { z } from "zod";
import { defineTool, type Tool, type ToolAnswer } from "../../../agent/tool.ts";
import type { Handoff } from "../../records.ts";

export interface HandoffInput {
  readonly report: Handoff;
  readonly message: string;
  readonly outsideScopeReason: string | null;
}

const notes = z.array(z.string().max(2_000)).max(20).default([]);

/** `act` commits what is left and reports to the coordinator; an `error` answer lets the agent go on. */
export function handoffTool(act: (input: HandoffInput) => Promise<ToolAnswer>): Tool {
  return defineTool({
    name: "handoff",
    description:
      'Your last act. status "done": what is left is committed and your task\'s check must pass. status "failed": say in the summary what is in the way; nothing more is committed and your workspace is kept.',
    input: z.object({
      status: z.enum(["done", "failed"]),
      summary: z.string().min(1).max(8_000).describe("What was done and what its reader must know"),
      concerns: notes.describe("What may be wrong or fragile"),
      deviations: notes.describe("Where you did not follow the instructions, and why"),
      findings: notes.describe("What others should know"),
      message: z
        .string()
        .max(4_000)
        .default("")
        .describe("Commit message for what is left; default: the summary's first line"),
      outside_scope_reason: z
        .string()
        .max(2_000)
        .optional()
        .describe("Only if you changed files outside your scope: why it was needed"),
    }),
    effect: "exclusive",
    async run({ status, summary, concerns, deviations, findings, message, outside_scope_reason }) {
      return act({
        report: { status, summary, concerns, deviations, findings },
        message,
        outsideScopeReason: outside_scope_reason ?? null,
      });
    },
  });
}
