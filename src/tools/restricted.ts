// The same tools for an agent with fewer rights: what it may not use is offered as it is to others and refuses, so that all agents of a
// run begin with one prompt.

import { CLAIMS_NOTHING } from "../agent/claim.ts";
import type { Tool } from "../agent/tool.ts";
import type { WriteScope } from "../agent/write-scope.ts";

/** For an agent in a tree that others work in. Which files it writes is its environment's to check (`ToolEnv.writeScope`). */
export function restrictedTools(tools: readonly Tool[], writes: WriteScope): readonly Tool[] {
  if (writes.kind === "all") return tools;
  return tools.map((tool) => {
    if (tool.effect === "exclusive")
      return refusing(
        tool,
        `${tool.spec.name} is not for you: you share the tree with other agents. Say in your result what should be run`,
      );
    if (tool.effect === "write" && writes.kind === "none")
      return refusing(
        tool,
        `${tool.spec.name} is not for you: you may read the tree and change nothing in it. Say in your result what should be changed`,
      );
    return tool;
  });
}

function refusing(tool: Tool, reason: string): Tool {
  return {
    spec: tool.spec,
    effect: "read",
    claim: async () => CLAIMS_NOTHING,
    run: async () => ({ kind: "error", text: `not run: ${reason}` }),
  };
}
