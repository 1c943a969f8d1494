// What becomes of calls that a crash left without a result, when their session goes on: nothing that may have taken effect is done twice.

import type { LostCall } from "./session-history.ts";
import type { Tool } from "./tool.ts";

/**
 * Run: what never began, what only reads, and tools that find what they had started. Else the model is told that the call was
 * interrupted. A call that no tool takes is run too, which refuses it.
 */
export function lostCallRule(
  tools: readonly Pick<Tool, "spec" | "effect" | "resumable">[],
): (lost: LostCall) => "run" | "interrupted" {
  return ({ call, started }) => {
    const tool = tools.find(({ spec }) => spec.name === call.name);
    if (tool === undefined || !started) return "run";
    return tool.effect === "read" || tool.resumable === true ? "run" : "interrupted";
  };
}
