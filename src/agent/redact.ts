// Keeps the keys this program was given out of what its agents see and its transcripts keep: a command may find one in a process's
// environment, and would hand it to the model.

import type { Tool } from "./tool.ts";

/** A shorter text is no key, and would be removed where it is a word. */
const secretCharsMin = 8;

/** The same tools, whose answers hold none of the secrets. */
export function withoutSecrets(tools: readonly Tool[], secrets: readonly string[]): readonly Tool[] {
  const known = secrets.filter((secret) => secret.length >= secretCharsMin);
  if (known.length === 0) return tools;
  return tools.map((tool) => ({
    ...tool,
    run: async (input, context) => {
      const answer = await tool.run(input, context);
      return { ...answer, text: known.reduce((text, secret) => text.replaceAll(secret, "[key removed]"), answer.text) };
    },
  }));
}
