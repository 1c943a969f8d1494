// Reads assets/demo/script.yaml without any of the product's code, and answers as its header says: the first rule that
// matches. Notes which rules have answered, so that a dead rule is found.

import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";

const oneOrMore = <T extends z.ZodType>(item: T) => z.union([item.transform((value) => [value]), z.array(item)]);
const edit = z.strictObject({ old_string: z.string().min(1), new_string: z.string() });
const texts = z.array(z.string().min(1));

const taskSchema = z.strictObject({
  key: z.string().regex(/^[a-z]+$/),
  title: z.string().max(80),
  instructions: z.string(),
  kind: z.enum(["worker", "planner"]),
  scope: texts.min(1),
  check: z.string(),
  after: texts.default([]),
  base: z.enum(["head", "snapshot"]).default("head"),
  decisions: z.array(z.string().regex(/^d\d+$/)),
});

const handoff = {
  status: z.literal("done"),
  summary: z.string().min(1),
  concerns: texts,
  deviations: texts,
  findings: texts,
};

const call = <Name extends string, Input extends z.ZodRawShape>(tool: Name, input: Input) =>
  z.strictObject({ tool: z.literal(tool), input: z.strictObject(input) });

const callSchema = z.discriminatedUnion("tool", [
  call("read_file", { path: z.string(), offset: z.int().min(1).optional(), limit: z.int().min(1).optional() }),
  call("glob", { pattern: z.string() }),
  call("grep", { pattern: z.string(), path: z.string().optional() }),
  call("edit_file", { path: z.string(), edits: z.array(edit).min(1) }),
  call("write_file", { path: z.string(), content: z.string().endsWith("\n") }),
  call("bash", { command: z.string() }),
  call("commit", { message: z.string().max(72) }),
  call("decide", { question: z.string().endsWith("?"), answer: z.string(), rationale: z.string() }),
  call("delegate", { tasks: z.array(taskSchema).min(1) }),
  call("handoff", { ...handoff, message: z.string().max(72).optional() }),
  call("resolve", {
    hunks: z.array(z.strictObject({ path: z.string(), hunk: z.int().min(1), text: z.string().endsWith("\n") })),
    files: z.array(z.never()),
  }),
]);

const roleSchema = z.enum(["planner", "worker", "arbiter"]);

const ruleSchema = z.strictObject({
  role: roleSchema,
  task: oneOrMore(z.string()),
  turn: z.int().min(1),
  last: z.string().optional(),
  delayMs: z.int().min(150).max(700),
  usage: z
    .strictObject({ inputTokens: z.int().min(1), cachedTokens: z.int().min(0), outputTokens: z.int().min(1) })
    .refine(({ inputTokens, cachedTokens }) => cachedTokens < inputTokens),
  say: z.string().optional(),
  calls: z.array(callSchema).default([]),
});

const figure = z.number().positive();
const scriptSchema = z.strictObject({
  name: z.literal("demo"),
  price: z.strictObject({ inputUsdPerMtok: figure, cachedUsdPerMtok: figure, outputUsdPerMtok: figure }),
  rules: z.array(ruleSchema),
});

export type Call = z.infer<typeof callSchema>;
export type Rule = z.infer<typeof ruleSchema>;
export type Task = z.infer<typeof taskSchema>;

export interface Request {
  readonly role: Rule["role"];
  readonly taskKeys: readonly string[];
  readonly turn: number;
  /** Text of the last message. */
  readonly last: string;
}

export interface Script {
  readonly rules: readonly Rule[];
  /** Throws where no rule matches. */
  answer(request: Request): Rule;
  /** Rules that have not answered yet, as `role task turn`. */
  unused(): string[];
}

export function loadScript(path: string): Script {
  const { rules } = scriptSchema.parse(parse(readFileSync(path, "utf8")));
  const used = new Set<Rule>();
  return {
    rules,
    answer(request) {
      const rule = rules.find((candidate) => matches(candidate, request));
      if (rule === undefined) throw new Error(`no rule matches ${JSON.stringify(request)}`);
      used.add(rule);
      return rule;
    },
    unused: () => rules.filter((rule) => !used.has(rule)).map(({ role, task, turn }) => `${role} ${task} ${turn}`),
  };
}

function matches(rule: Rule, { role, taskKeys, turn, last }: Request): boolean {
  return (
    rule.role === role &&
    rule.task.some((key) => taskKeys.includes(key)) &&
    rule.turn === turn &&
    (rule.last === undefined || new RegExp(rule.last).test(last))
  );
}
