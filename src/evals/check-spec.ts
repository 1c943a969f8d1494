// What a suite may check of a run: each kind says one thing about the answer, the files or the calls, and belongs to one aspect of the
// verdict. Patterns are JavaScript's, compiled when the suite is read.

import { z } from "zod";
import { ASPECTS } from "./verdict.ts";

const NAME = z.string().regex(/^[a-z0-9][a-z0-9-]{0,60}$/, "a name is of a-z, 0-9 and -");
const WHOLE = z.number().int();
const COUNT = z.number().int().min(0);
const NUMBERS = z.record(z.string().min(1), WHOLE);

const common = {
  name: NAME,
  aspect: z.enum(ASPECTS),
  /** Conditions in which it is not made, because what they change takes its sense away. */
  except: z.array(NAME).default([]),
};

/** The answer, exactly: line ends may be LF or CRLF, and one final line end more or less does not count. */
const OUTPUT = z.strictObject({
  ...common,
  kind: z.literal("output"),
  equals: z.string().optional(),
  /** The whole answer. */
  matches: pattern("").optional(),
});

/** The sum of the parts stands in the answer, whatever stands around it, and no other sum. */
const SUM = z.strictObject({
  ...common,
  kind: z.literal("sum"),
  parts: NUMBERS,
  /** What is added by mistake, by where it comes from. */
  decoys: NUMBERS.default({}),
  /** Wrong values of the parts, by the parts' names, and where they come from. */
  outdated: z.strictObject({ from: z.string(), parts: NUMBERS }).optional(),
});

/** Each name has its value in the answer, whatever the form. */
const VALUES = z.strictObject({
  ...common,
  kind: z.literal("values"),
  expected: NUMBERS,
  /** Wrong values of each name, by where they come from. */
  decoys: z.record(z.string(), NUMBERS).default({}),
});

const FILE = z.strictObject({
  ...common,
  kind: z.literal("file"),
  path: z.string().min(1),
  equals: z.string().optional(),
  matches: pattern("").optional(),
  absent: z.boolean().default(false),
});

/** Run in the workspace as the run left it. */
const COMMAND = z.strictObject({
  ...common,
  kind: z.literal("command"),
  run: z.string().min(1),
  exit: WHOLE.default(0),
  minutesMax: z.number().min(0.01).max(60).default(2),
});

const CALLS = z.strictObject({
  ...common,
  kind: z.literal("calls"),
  tool: z.string().min(1),
  of: z.enum(["parent", "children", "anybody"]).default("anybody"),
  /** Only calls whose arguments, as JSON, it matches. */
  arguments: pattern("").optional(),
  min: COUNT.default(0),
  max: COUNT.optional(),
  /** All of them in one response. */
  together: z.boolean().default(false),
  /** Only those that came to a good result. */
  succeeded: z.boolean().default(false),
});

/** Every file that was read came back as it is, under the call that asked for it. */
const RESULTS = z.strictObject({ ...common, kind: z.literal("results"), tool: z.literal("read_file") });

/** What the children were given of their parent's conversation. */
const CONTEXT = z.strictObject({
  ...common,
  kind: z.literal("context"),
  only: z.enum(["task-only", "full", "no-tools"]),
});

export const CHECK = z
  .discriminatedUnion("kind", [OUTPUT, SUM, VALUES, FILE, COMMAND, CALLS, RESULTS, CONTEXT])
  .superRefine((check, context) => {
    const needs =
      (check.kind === "output" && check.equals === undefined && check.matches === undefined) ||
      (check.kind === "file" && check.equals === undefined && check.matches === undefined && !check.absent);
    if (needs) context.addIssue({ code: "custom", message: "it checks nothing: equals or matches is needed" });
  });

export type Check = z.infer<typeof CHECK>;
export type CheckOf<Kind extends Check["kind"]> = Extract<Check, { kind: Kind }>;

function pattern(flags: string) {
  return z.string().transform((text, context): RegExp => {
    try {
      return new RegExp(text, flags);
    } catch (thrown) {
      context.addIssue({ code: "custom", message: thrown instanceof Error ? thrown.message : String(thrown) });
      return z.NEVER;
    }
  });
}
