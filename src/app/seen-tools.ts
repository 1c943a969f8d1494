// Lets other sessions see what our own agent does: its tools, each of which tells of its files or its command. What others did to the
// same files comes back with the tool's answer.

import { z } from "zod";
import type { Tool, ToolAnswer } from "../agent/tool.ts";
import type { ClientAction } from "../sessions/client-event.ts";
import type { OwnSession } from "./own-session.ts";

const EDITING = new Set(["edit_file", "write_file"]);
const SHELL = "bash";

const PATH = z.object({ path: z.string() });

/** The same tools; those that only read tell nothing. */
export function seenTools(tools: readonly Tool[], session: OwnSession): readonly Tool[] {
  return tools.map((tool) => {
    if (tool.spec.name === SHELL) return seenShell(tool, session);
    return EDITING.has(tool.spec.name) ? seenEdit(tool, session) : tool;
  });
}

function seenShell(tool: Tool, session: OwnSession): Tool {
  return {
    ...tool,
    run: async (input, context) => {
      // Two agents of one run may give their calls the same name.
      const call = `${context.agent}:${context.callId}`;
      const before = await session.note({ kind: "shell-started", call });
      const answer = await tool.run(input, context);
      const after = await session.note({ kind: "shell-ended", call, failed: answer.kind !== "text" });
      return withNews(answer, [before, after]);
    },
  };
}

function seenEdit(tool: Tool, session: OwnSession): Tool {
  return {
    ...tool,
    run: async (input, context) => {
      const answer = await tool.run(input, context);
      const named = PATH.safeParse(input);
      const edited: ClientAction =
        answer.kind === "text" && named.success ? { kind: "files-edited", paths: [named.data.path] } : { kind: "seen" };
      return withNews(answer, [await session.note(edited)]);
    },
  };
}

function withNews(answer: ToolAnswer, news: readonly (string | null)[]): ToolAnswer {
  const told = news.filter((text) => text !== null);
  return told.length === 0 ? answer : { ...answer, text: [answer.text, ...told].join("\n\n") };
}
