// The script format: which answers a scripted model gives to whom. Parsed once, with errors that name the rule and the field.

import { parse } from "yaml";
import { z } from "zod";
import { err, ok, type Result } from "../../base/result.ts";
import { templateProblems } from "./capture.ts";

export interface ScriptError {
  readonly kind: "script";
  readonly path: string;
  /** For a person: one problem a line, each with the rule (from 1) and the field. */
  readonly message: string;
}

const ROLE = z.enum(["solo", "child", "planner", "worker", "arbiter"]);
const TOKENS = z.number().int().min(0);
const DOLLARS = z.number().min(0);
const CODE = z.enum([
  "unauthorized",
  "quota",
  "rate-limit",
  "overloaded",
  "bad-request",
  "not-found",
  "refusal",
  "bad-answer",
  "no-content",
  "unreachable",
  "network",
  "script",
  "other",
]);
const delayMsMax = 600_000;

const MS = z.number().min(0).max(delayMsMax);
/** A range is drawn from, evenly, anew for each request. */
const DELAY = z.union([
  MS,
  z.strictObject({ min: MS, max: MS }).refine(({ min, max }) => min <= max, "min is above max"),
]);
const USAGE = z.union([
  z.literal("estimated"),
  z.strictObject({ inputTokens: TOKENS.optional(), cachedTokens: TOKENS.optional(), outputTokens: TOKENS.optional() }),
]);
const NAME = z.string().regex(/^\w{1,40}$/, "a name has 1 to 40 letters, digits and _");
const CAPTURE = z.strictObject({
  from: z.enum(["results", "last", "told"]).default("results"),
  tool: z.string().optional(),
  match: z.string().transform(toPatternWith("gm")),
});

const RULE = z
  .strictObject({
    role: oneOrMore(ROLE).optional(),
    task: oneOrMore(z.string()).optional(),
    turn: oneOrMore(z.number().int().min(1)).optional(),
    told: z.string().transform(toPatternWith("")).optional(),
    last: z.string().transform(toPatternWith("")).optional(),
    variant: oneOrMore(z.string()).optional(),
    chance: z.number().min(0).max(1).optional(),
    delayMs: DELAY.optional(),
    usage: USAGE.optional(),
    capture: z.record(NAME, CAPTURE).optional(),
    say: z.string().min(1).optional(),
    calls: z
      .array(z.strictObject({ tool: z.string().min(1), input: z.record(z.string(), z.unknown()).default({}) }))
      .default([]),
    error: z
      .strictObject({
        code: CODE,
        message: z.string().default("scripted error"),
        retryAfterMs: z.number().min(0).optional(),
      })
      .optional(),
  })
  .superRefine((rule, context) => {
    const answers = rule.say !== undefined || rule.calls.length > 0;
    if (answers && rule.error !== undefined)
      context.addIssue({
        code: "custom",
        path: ["error"],
        message: "stands instead of an answer: leave out say and calls",
      });
    if (!answers && rule.error === undefined)
      context.addIssue({ code: "custom", message: "the rule answers nothing: it needs say, calls or error" });
    if (rule.capture === undefined) return;
    const names = Object.keys(rule.capture);
    for (const message of templateProblems(JSON.stringify([rule.say, rule.calls]), names))
      context.addIssue({ code: "custom", path: ["capture"], message });
  });

const SCRIPT = z
  .strictObject({
    name: z.string().optional(),
    price: z
      .strictObject({
        inputUsdPerMtok: DOLLARS,
        /** As everywhere: what is read from a cache costs what other input does, unless it says otherwise. */
        cachedUsdPerMtok: DOLLARS.optional(),
        outputUsdPerMtok: DOLLARS,
      })
      .transform((price) => ({ ...price, cachedUsdPerMtok: price.cachedUsdPerMtok ?? price.inputUsdPerMtok }))
      .optional(),
    /** Of rules that have none of their own. */
    delayMs: DELAY.default(0),
    usage: USAGE.optional(),
    /** Ways in which the whole run can go, of which the model's name chooses one. */
    variants: z.array(z.string().min(1).max(40)).min(1).optional(),
    rules: z.array(RULE).min(1),
  })
  .superRefine(({ rules, variants = [] }, context) => {
    for (const [index, { variant = [] }] of rules.entries())
      for (const name of variant)
        if (!variants.includes(name))
          context.addIssue({
            code: "custom",
            path: ["rules", index, "variant"],
            message: `${name} is not among the script's variants`,
          });
  });

export type Script = z.infer<typeof SCRIPT>;
export type ScriptRule = z.infer<typeof RULE>;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The script's text. Bytes that are no UTF-8 are refused, since a replacement character would be said as if it were meant. */
export function scriptText(bytes: Uint8Array, path: string): Result<string, ScriptError> {
  const text = decode(bytes);
  if (text !== null) return ok(text);
  // No character of more than one byte holds a line feed, so each line stands by itself.
  let line = 1;
  for (let start = 0, end = bytes.indexOf(0x0a); end !== -1; start = end + 1, end = bytes.indexOf(0x0a, start)) {
    if (decode(bytes.subarray(start, end)) === null) break;
    line += 1;
  }
  return err({ kind: "script", path, message: `line ${line} is not UTF-8 text: save the script as UTF-8` });
}

function decode(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

/** Parses YAML or JSON (which is YAML too); `path` only names the script in errors. */
export function parseScript(text: string, path: string): Result<Script, ScriptError> {
  let value: unknown;
  try {
    value = parse(text, { merge: true });
  } catch (thrown) {
    return err({
      kind: "script",
      path,
      message: `not valid YAML: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    });
  }
  const parsed = SCRIPT.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  return err({ kind: "script", path, message: parsed.error.issues.map(issueText).join("\n") });
}

function issueText(issue: z.core.$ZodIssue): string {
  const [first, index, ...rest] = issue.path;
  if (first === "rules" && typeof index === "number") return `rule ${index + 1}${field(rest)}: ${issue.message}`;
  return issue.path.length === 0 ? issue.message : `${field(issue.path).trimStart()}: ${issue.message}`;
}

/** ` calls[0].tool`; nothing for an empty path. */
function field(path: readonly PropertyKey[]): string {
  const text = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
  return text === "" ? "" : ` ${text.replace(/^\./, "")}`;
}

function oneOrMore<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(schema).min(1));
}

function toPatternWith(flags: string) {
  return (text: string, context: z.RefinementCtx<string>): RegExp => {
    try {
      return new RegExp(text, flags);
    } catch (thrown) {
      context.addIssue({ code: "custom", message: thrown instanceof Error ? thrown.message : String(thrown) });
      return z.NEVER;
    }
  };
}
