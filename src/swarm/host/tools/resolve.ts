// `resolve`: the arbiter's answer. Clean regions cannot be touched; each hunk's answer must keep both sides.

import { z } from "zod";
import { defineTool, type Tool, type ToolAnswer } from "../../../agent/tool.ts";

export interface ResolveInput {
  readonly hunks: readonly { readonly path: string; readonly hunk: number; readonly text: string }[];
  readonly files: readonly { readonly path: string; readonly take: "ours" | "theirs"; readonly reason: string }[];
}

export function resolveTool(act: (input: ResolveInput) => Promise<ToolAnswer>): Tool {
  return defineTool({
    name: "resolve",
    description:
      "Answers the whole conflict at once: for every numbered hunk of every file the text that replaces it (whole lines, with their line ends), and for every file without hunks the side to take. Refused if a side's change is gone or a check fails; then you see why and may answer again.",
    input: z.object({
      hunks: z
        .array(z.object({ path: z.string(), hunk: z.int().min(1), text: z.string().max(1_000_000) }))
        .max(10_000)
        .default([]),
      files: z
        .array(z.object({ path: z.string(), take: z.enum(["ours", "theirs"]), reason: z.string().min(1).max(2_000) }))
        .max(10_000)
        .default([]),
    }),
    effect: "exclusive",
    run: act,
  });
}
