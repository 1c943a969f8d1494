// The head of a SKILL.md: YAML between two lines of dashes, of which name and description are read (https://agentskills.io/specification).
// The text is a stranger's: cleaned and capped.

import { parseDocument } from "yaml";
import { z } from "zod";
import { err, ok, type Result } from "../../base/result.ts";
import { cleanLine } from "../../base/text.ts";

export interface SkillHead {
  readonly name: string;
  readonly description: string;
}

const headCharsMax = 20_000;
const descriptionCharsMax = 1_024;

const HEAD = z.object({
  name: z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, { error: "a name of lower-case letters, digits and hyphens is needed" })
    .max(64),
  description: z.string().trim().min(1),
});

/** The error is a sentence for a person. */
export function readSkillHead(text: string): Result<SkillHead, string> {
  const [, head] = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text.slice(0, headCharsMax)) ?? [];
  if (head === undefined) return err("it does not begin with a head between two lines of ---");
  const document = parseDocument(head, { schema: "core" });
  if (document.errors.length > 0) return err("its head is not valid YAML");
  const parsed = HEAD.safeParse(plainValue(document));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return err(`${issue?.path.join(".") || "its head"}: ${issue?.message ?? "is not valid"}`);
  }
  const { name, description } = parsed.data;
  return ok({ name, description: cleanLine(description, descriptionCharsMax) });
}

function plainValue(document: { toJS(options: { readonly maxAliasCount: number }): unknown }): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    return null;
  }
}
