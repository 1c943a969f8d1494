// `commit`: a worker lands what its workspace holds so far, without ending its task.

import { z } from "zod";
import { defineTool, type Tool, type ToolAnswer } from "../../../agent/tool.ts";
import { cleanLine } from "../../../base/text.ts";
import type { UnheardCommit, Workbench } from "../workbench.ts";

const nothingToCommit: ToolAnswer = {
  kind: "error",
  text: "there is nothing to commit: no file differs from what you started from or last committed",
};

export function commitTool(bench: Workbench): Tool {
  return defineTool({
    name: "commit",
    description:
      "Lands all changes of your workspace as one commit and brings your workspace up to the newest state. Use it after a step that others may need; handoff commits the rest by itself.",
    input: z.object({
      message: z.string().min(1).max(4_000).describe("Subject line, then optionally a blank line and a body"),
      outside_scope_reason: z
        .string()
        .max(2_000)
        .optional()
        .describe("Only if you changed files outside your scope: why it was needed"),
    }),
    effect: "exclusive",
    async run({ message, outside_scope_reason }): Promise<ToolAnswer> {
      const work = await bench.collect(message, outside_scope_reason ?? null);
      if (!work.ok) return { kind: "error", text: work.error };
      const unheard = bench.takeUnheard();
      if (work.value === null) return unheard === null ? nothingToCommit : { kind: "text", text: describe(unheard) };
      const outcome = await bench.land(work.value);
      switch (outcome.kind) {
        case "refused":
          return { kind: "error", text: `not committed: ${outcome.reason}` };
        case "conflict":
          return {
            kind: "text",
            text: `kept as conflict ${outcome.conflict}: others changed the same lines. An arbiter brings both sides together; go on with your task.`,
          };
        case "unchanged":
          return { kind: "text", text: "all of it is already on the head: no commit was needed" };
        case "landed": {
          const merged = outcome.merged.map((path) => cleanLine(path, 200)).join(", ");
          const moved = outcome.moved
            .map(({ from, to }) => `${cleanLine(from, 200)} → ${cleanLine(to, 200)}`)
            .join(", ");
          return {
            kind: "text",
            // Without its position, which depends on what others did meanwhile: a recording would answer one order of events only.
            text: `landed${merged === "" ? "" : `, merged with others' changes in ${merged}`}${moved === "" ? "" : `, at the new place of what was renamed (${moved})`}; your workspace is up to date`,
          };
        }
      }
    },
  });
}

function describe({ held }: UnheardCommit): string {
  return held
    ? "kept as a conflict already, before you were interrupted: others changed the same lines. An arbiter brings both sides together; go on with your task."
    : `landed already, before you were interrupted; your workspace is up to date`;
}
