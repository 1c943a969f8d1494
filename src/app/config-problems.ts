// What is wrong with a configuration file, a sentence for each problem: the field, what is allowed there, what was probably meant.
// Invariant: no sentence repeats a value of the file but a model's name, since a value may be a key.

import { z } from "zod";
import { mostAlike } from "../base/similar.ts";
import { cleanLine } from "../base/text.ts";

export const problemsMax = 20;

/** One sentence for each problem of what `schema` refused. */
export function schemaProblems(schema: z.ZodType, error: z.ZodError): readonly string[] {
  const problems = error.issues.flatMap((issue) => issueProblems(schema, issue));
  const left = problems.length - problemsMax;
  return left > 0 ? [...problems.slice(0, problemsMax), `and ${left} more`] : problems;
}

/** `limits.budgetUsd`, `prices["openai/gpt-4o"].input`; names are cleaned and cut. */
export function fieldText(path: readonly PropertyKey[]): string {
  const text = path
    .map((part) => {
      if (typeof part === "number") return `[${part}]`;
      const name = cleanLine(String(part), 100);
      return /^[\w$-]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
    })
    .join("");
  return text.replace(/^\./, "");
}

function issueProblems(schema: z.ZodType, issue: z.core.$ZodIssue): readonly string[] {
  const field = fieldText(issue.path);
  const before = field === "" ? "" : `${field}: `;
  if (issue.code === "unrecognized_keys") {
    const known = knownKeys(schema, issue.path);
    return issue.keys.map((key) => `${fieldText([...issue.path, key])}: ${unknownKey(key, known)}`);
  }
  // Zod says only that a record's key is wrong; why is one level down.
  if (issue.code === "invalid_key") return issue.issues.map(({ message }) => `${before}${message}`);
  return [`${before}${issue.message.replace(/^Invalid input: /, "")}`];
}

const likenessMin = 0.35;

function unknownKey(key: string, known: readonly string[]): string {
  if (/^(api_?)?(key|token|secret)$|password|authorization|^bearer/i.test(key)) return keysBelongElsewhere;
  const [nearest] = mostAlike(key, known, 1, likenessMin);
  const hint = nearest === undefined ? "" : `; did you mean ${known[nearest]}?`;
  return `is not a setting${hint} (allowed: ${known.join(", ")})`;
}

export const keysBelongElsewhere =
  "keys are never read from this file: put the key into an environment variable and name that variable in apiKeyEnv";

/** The keys of the object that the schema has at this path. */
function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  const here = unwrapOptional(schema);
  const [first, ...rest] = path;
  if (first === undefined) return here instanceof z.ZodObject ? Object.keys(here.shape) : [];
  if (here instanceof z.ZodRecord) return knownKeys(here.valueType as z.ZodType, rest);
  if (here instanceof z.ZodObject) return knownKeys(here.shape[String(first)] as z.ZodType, rest);
  return [];
}

function unwrapOptional(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
}
