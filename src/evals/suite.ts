// `suite.yaml`: tasks × conditions × repetitions, written down before anything is measured. Parsed once, with errors that name the field.

import { createHash } from "node:crypto";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { err, ok, type Result } from "../base/result.ts";
import type { Files } from "../host/files.ts";
import { CHECK, type Check } from "./check-spec.ts";
import { digestTree } from "./digest-tree.ts";
import type { EvalsError } from "./error.ts";

export const suiteFileName = "suite.yaml";
/** Of the copy in a directory of results. */
export const suiteCopyName = "suite";
const suiteBytesMax = 1024 * 1024;
/** It is handed over as one argument, of which Linux takes 128 KiB. */
const instructionBytesMax = 100 * 1024;
export const runsMax = 1_000;

const NAME = z.string().regex(/^[a-z0-9][a-z0-9-]{0,60}$/, "a name is of a-z, 0-9 and -");
const TOOLS = z.array(z.string().min(1)).min(1);

/** Changes one thing, against the others of the suite. */
const CONDITION = z.strictObject({
  name: NAME,
  /** In words: what it changes. */
  changes: z.string().min(1),
  /** Of `skein run`. */
  flags: z.array(z.string()).default([]),
  /** Left out: every task. */
  tasks: z.array(NAME).optional(),
  /** Instead of the task's. */
  tools: TOOLS.optional(),
});

const TASK = z.strictObject({
  name: NAME,
  about: z.string().min(1),
  tools: TOOLS,
  childContext: z.enum(["task-only", "full", "no-tools"]).default("task-only"),
  minutesMax: z.number().min(0.01).max(600).default(10),
  checks: z.array(CHECK).min(1),
});

const SUITE = z
  .strictObject({
    name: NAME,
    about: z.string().min(1),
    seed: z.union([z.number().int(), z.string().regex(/^[\w.-]{1,60}$/)]).transform(String),
    runs: z.number().int().min(1).max(runsMax).default(5),
    /** The model that is asked where none is named; a script's file lies in the suite's folder. */
    model: z.string().min(1).optional(),
    /** The two that a report compares first; the others are compared with the first of them. */
    conditions: z.array(CONDITION).min(1),
    tasks: z.array(TASK).min(1),
  })
  .superRefine(({ conditions, tasks }, context) => {
    const [conditionNames, taskNames] = [conditions.map(({ name }) => name), tasks.map(({ name }) => name)];
    for (const [path, names] of [["conditions", conditionNames] as const, ["tasks", taskNames] as const]) {
      const twice = names.find((name, index) => names.indexOf(name) !== index);
      if (twice !== undefined)
        context.addIssue({ code: "custom", path: [path], message: `${twice} stands there twice` });
    }
    for (const [index, { tasks: own = [] }] of conditions.entries())
      for (const name of own)
        if (!taskNames.includes(name))
          context.addIssue({
            code: "custom",
            path: ["conditions", index, "tasks"],
            message: `no task is called ${name}`,
          });
    for (const [index, { checks }] of tasks.entries())
      for (const [place, { except }] of checks.entries())
        for (const name of except)
          if (!conditionNames.includes(name))
            context.addIssue({
              code: "custom",
              path: ["tasks", index, "checks", place, "except"],
              message: `no condition is called ${name}`,
            });
  });

export type SuiteSpec = z.infer<typeof SUITE>;
export type Condition = SuiteSpec["conditions"][number];
export type Task = SuiteSpec["tasks"][number];

export interface Suite extends SuiteSpec {
  /** Where it was read from, absolute. */
  readonly directory: string;
  /** Of all its files, with their names and whether they are executable: SHA-256 in hex. */
  readonly digest: string;
  /** By task and condition. */
  instruction(task: string, condition: string): string;
}

export async function loadSuite(files: Files, directory: string): Promise<Result<Suite, EvalsError>> {
  const path = join(directory, suiteFileName);
  const bytes = await files.read(path, suiteBytesMax);
  if (!bytes.ok) return bytes;
  const text = Buffer.from(bytes.value).toString("utf8");
  const spec = parseSuite(text, path);
  if (!spec.ok) return spec;
  const instructions = new Map<string, string>();
  for (const { name: task } of spec.value.tasks)
    for (const { name: condition } of conditionsOf(spec.value, task)) {
      const read = await readInstruction(files, directory, { task, condition });
      if (!read.ok) return read;
      instructions.set(`${task}/${condition}`, read.value);
    }
  const hash = createHash("sha256");
  const digested = await digestTree(files, directory, (part) => void hash.update(part));
  if (!digested.ok) return digested;
  const digest = hash.digest("hex");
  const instruction = (task: string, condition: string): string => instructions.get(`${task}/${condition}`) ?? "";
  return ok({ ...spec.value, directory, digest, instruction });
}

export function parseSuite(text: string, path: string): Result<SuiteSpec, EvalsError> {
  let value: unknown;
  try {
    value = parse(text);
  } catch (thrown) {
    const message = `not valid YAML: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
    return err({ kind: "eval-suite", path, message });
  }
  const parsed = SUITE.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const message = parsed.error.issues.map(({ path: at, message: what }) => `${at.join(".") || "the file"}: ${what}`);
  return err({ kind: "eval-suite", path, message: message.join("\n") });
}

export function conditionsOf(suite: SuiteSpec, task: string): readonly Condition[] {
  return suite.conditions.filter(({ tasks }) => tasks === undefined || tasks.includes(task));
}

export function checksOf({ checks }: Task, condition: string): readonly Check[] {
  return checks.filter(({ except }) => !except.includes(condition));
}

export function taskDirectory(suite: string, task: string): string {
  return join(suite, "tasks", task);
}

/** A condition that changes what is asked has an instruction of its own. */
async function readInstruction(
  files: Files,
  suite: string,
  { task, condition }: { readonly task: string; readonly condition: string },
): Promise<Result<string, EvalsError>> {
  const directory = taskDirectory(suite, task);
  const own = await files.read(join(directory, `instruction.${condition}.md`), instructionBytesMax);
  const read = own.ok ? own : await files.read(join(directory, "instruction.md"), instructionBytesMax);
  if (!read.ok) return read;
  const text = Buffer.from(read.value).toString("utf8").trim();
  if (text !== "") return ok(text);
  return err({ kind: "eval-suite", path: directory, message: `the instruction of ${task} is empty` });
}
