// `resolve`: the arbiter's answer. Clean regions cannot be touched; each hunk's answer must keep both sides, and what a
// whole file's answer leaves out is named in the history.

import { z } from "zod";
import { defineTool, type Tool, type ToolAnswer } from "../../../agent/tool.ts";

export const hunkTakes = ["ours", "theirs", "ours-then-theirs", "theirs-then-ours"] as const;
export type HunkTake = (typeof hunkTakes)[number];

export type HunkAnswer =
  | { readonly path: string; readonly hunk: number; readonly text: string }
  | { readonly path: string; readonly hunk: number; readonly take: HunkTake };

export type FileWish =
  | { readonly path: string; readonly take: "ours" | "theirs"; readonly reason: string }
  | { readonly path: string; readonly content: string; readonly reason: string }
  | { readonly path: string; readonly delete: true; readonly reason: string }
  | { readonly path: string; readonly carry_to: string; readonly reason: string };

export interface ResolveInput {
  readonly hunks: readonly HunkAnswer[];
  readonly files: readonly FileWish[];
  readonly also: readonly { readonly path: string; readonly content: string }[];
}

const answersMax = 10_000;
const path = z.string().min(1).max(5_000);
const content = z.string().max(1_000_000);
const reason = z.string().min(1).max(2_000);

const input = z.object({
  hunks: z
    .array(
      z.union([
        z.strictObject({ path, hunk: z.int().min(1), text: content }),
        z.strictObject({ path, hunk: z.int().min(1), take: z.enum(hunkTakes) }),
      ]),
    )
    .max(answersMax)
    .default([]),
  files: z
    .array(
      z.union([
        z.strictObject({ path, take: z.enum(["ours", "theirs"]), reason }),
        z.strictObject({ path, content, reason }),
        z.strictObject({ path, delete: z.literal(true), reason }),
        z.strictObject({ path, carry_to: path, reason }),
      ]),
    )
    .max(answersMax)
    .default([]),
  also: z.array(z.strictObject({ path, content })).max(answersMax).default([]),
});

export function resolveTool(act: (input: ResolveInput) => Promise<ToolAnswer>): Tool {
  return defineTool({
    name: "resolve",
    description: `Answers the whole conflict at once.
hunks: for every numbered hunk its \`text\` (whole lines, with their line ends), or \`take\` with a side's exact bytes, alone or one after the other.
files: for every file without hunks one of \`take\` (a side whole), \`content\` (text that stands there), \`delete\`, or \`carry_to\` (the edit of a moved file, merged at its new path); always with the reason. A path that ends in / answers all files without hunks below it with the same \`take\` or \`delete\`.
also: content for a path beside the conflict that one of its commits added, such as a moved file's new path.
Refused if a hunk's answer loses a side's change or a check fails; then you see why and may answer again. A side that an answer in files leaves out is named in the commit with your reason.`,
    input,
    effect: "exclusive",
    run: act,
  });
}
