// wait_task: waits for children in the background and returns their results.

import { z } from "zod";
import type { Family } from "../agent/family.ts";
import { defineTool, type Tool } from "../agent/tool.ts";
import { asAgentId } from "../base/ids.ts";

const idsMax = 1_000;
const idCharsMax = 40;

export function waitTaskTool(family: Pick<Family, "wait">): Tool {
  return defineTool({
    name: "wait_task",
    description: [
      "Waits for children that delegate_task started in the background, and returns their results.",
      "Use it when you cannot go on without them. Without it a result comes by itself, as a message, once its child is done.",
    ].join("\n"),
    input: z.object({
      children: z
        .array(z.string().min(1).max(idCharsMax))
        .max(idsMax)
        .optional()
        .describe("Ids of the children, as delegate_task gave them. Default: all whose results are still to come."),
    }),
    effect: "delegate",
    resumable: true,
    claim: async () => ({ kind: "delegate", writes: true, background: "takes" }),
    run: ({ children = [] }, call) => family.wait(children.map(asAgentId), call),
  });
}
