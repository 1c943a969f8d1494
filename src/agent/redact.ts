// Keeps the keys this program was given out of what its agents see and its transcripts keep: a command may find one in a process's
// environment, and would hand it to the model.

import { textWithoutSecrets } from "../base/secrets.ts";
import type { Tool } from "./tool.ts";

/** The same tools, whose answers hold none of the secrets. */
export function withoutSecrets(tools: readonly Tool[], secrets: readonly string[]): readonly Tool[] {
  if (secrets.length === 0) return tools;
  return tools.map((tool) => ({
    ...tool,
    run: async (input, context) => {
      const answer = await tool.run(input, context);
      return { ...answer, text: textWithoutSecrets(answer.text, secrets) };
    },
  }));
}
