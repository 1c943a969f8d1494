// `verdict.json`: what is thought of one run's record, and why. Made again from what is on disk whenever the checks change, without asking
// a model. A run that is no evidence is excluded with the reason; it is listed, never counted, and never the model's failure.

import { z } from "zod";
import { err, ok, type Result } from "../base/result.ts";

export const verdictVersion = 1;

/** `value`: is what was found right? `format`: does it look as asked? `process`: was it done the way that was asked? */
export const ASPECTS = ["value", "format", "process"] as const;
export type Aspect = (typeof ASPECTS)[number];

const CHECKED = z.strictObject({
  name: z.string(),
  aspect: z.enum(ASPECTS),
  passed: z.boolean(),
  /** One line, for a person. */
  detail: z.string(),
  /** The known way in which it is wrong, by its name in the suite; null for right, and for any other way. */
  cause: z.string().nullable(),
});

export const FAILURE_KINDS = ["model", "limit", "provider", "environment", "judge"] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

export const EXCLUSIONS = ["other-model", "environment", "judge"] as const;

const VERDICT = z.strictObject({
  version: z.literal(verdictVersion),
  suite: z.string(),
  task: z.string(),
  condition: z.string(),
  repetition: z.number().int(),
  /** Of the checks that it was judged by. */
  checksDigest: z.string(),
  excluded: z.strictObject({ reason: z.enum(EXCLUSIONS), detail: z.string() }).nullable(),
  /** All checks; false for an excluded run too, which no rate counts. */
  passed: z.boolean(),
  /** Null where the task has no check of this aspect. */
  valueRight: z.boolean().nullable(),
  formatRight: z.boolean().nullable(),
  processRight: z.boolean().nullable(),
  checks: z.array(CHECKED),
  /** Null where it passed. */
  failure: z.strictObject({ kind: z.enum(FAILURE_KINDS), detail: z.string() }).nullable(),
});

export type Verdict = Readonly<z.infer<typeof VERDICT>>;
export type Checked = Verdict["checks"][number];
export type Exclusion = NonNullable<Verdict["excluded"]>;
export type Failure = NonNullable<Verdict["failure"]>;

export function parseVerdict(value: unknown): Result<Verdict, string> {
  const parsed = VERDICT.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  return err(parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
}
