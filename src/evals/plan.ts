// `plan.json` of a results directory: which runs there are to be and in which order, fixed before the first begins, so that a second start
// goes on with the same ones. The order is random and seeded: within each repetition all conditions of all tasks are mixed, so that
// what drifts during the measurement drifts for all of them alike.

import { join } from "node:path";
import { z } from "zod";
import { err, ok, type Result } from "../base/result.ts";
import { seededRandom } from "../base/seeded-random.ts";
import { conditionsOf, runsMax, type SuiteSpec } from "./suite.ts";

export const planVersion = 1;

const SLOT = z.strictObject({
  task: z.string(),
  condition: z.string(),
  repetition: z.number().int().min(1).max(runsMax),
});

const PLAN = z.strictObject({
  version: z.literal(planVersion),
  suite: z.string(),
  about: z.string(),
  suiteDigest: z.string(),
  /** As it was asked for. */
  model: z.string(),
  /** Of a script that lies outside the suite, SHA-256 in hex; null for any other model. */
  scriptDigest: z.string().nullable().default(null),
  seed: z.string(),
  /** Factor on a scripted model's delays; null for another model. */
  scale: z.number().nullable(),
  runs: z.number().int().min(1),
  conditions: z.array(z.strictObject({ name: z.string(), changes: z.string() })),
  tasks: z.array(z.strictObject({ name: z.string(), about: z.string() })),
  order: z.array(SLOT),
  skeinVersion: z.string(),
  /** Milliseconds since the epoch. */
  madeAtMs: z.number(),
});

export type EvalPlan = Readonly<z.infer<typeof PLAN>>;
export type Slot = EvalPlan["order"][number];

export interface PlanRequest {
  readonly suite: SuiteSpec & { readonly digest: string };
  /** Names; empty for all. */
  readonly conditions: readonly string[];
  readonly runs: number;
  readonly model: string;
  readonly scriptDigest: string | null;
  readonly scale: number | null;
  readonly skeinVersion: string;
  readonly madeAtMs: number;
}

export function makePlan({ suite, conditions: wanted, ...rest }: PlanRequest): EvalPlan {
  const chosen = suite.conditions.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  const names = chosen.map(({ name }) => name);
  return {
    version: planVersion,
    suite: suite.name,
    about: suite.about,
    suiteDigest: suite.digest,
    seed: suite.seed,
    ...rest,
    conditions: chosen.map(({ name, changes }) => ({ name, changes })),
    tasks: suite.tasks.map(({ name, about }) => ({ name, about })),
    order: orderOf(suite, names, rest.runs),
  };
}

export function parsePlan(value: unknown): Result<EvalPlan, string> {
  const parsed = PLAN.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  return err(parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
}

/** The same for every condition: what a seed draws, it draws for all of them, and only the condition differs. */
export function seedOf({ seed }: Pick<EvalPlan, "seed">, { task, repetition }: Slot): string {
  return `${seed}.${task}.${repetition}`;
}

export function slotName({ task, condition, repetition }: Slot): string {
  return `${task}/${condition}/${String(repetition).padStart(3, "0")}`;
}

export function slotDirectory(results: string, slot: Slot): string {
  return join(results, "runs", slotName(slot));
}

function orderOf(suite: SuiteSpec, conditions: readonly string[], runs: number): Slot[] {
  const random = seededRandom(suite.seed, "order");
  return Array.from({ length: runs }, (_, index) => index + 1).flatMap((repetition) => {
    const slots = suite.tasks.flatMap(({ name: task }) =>
      conditionsOf(suite, task)
        .filter(({ name }) => conditions.includes(name))
        .map(({ name: condition }) => ({ task, condition, repetition })),
    );
    // Fisher and Yates, as Durstenfeld writes it.
    for (let last = slots.length - 1; last > 0; last--) {
      const other = random.integer(last + 1);
      const [a, b] = [slots[last], slots[other]];
      if (a !== undefined && b !== undefined) [slots[last], slots[other]] = [b, a];
    }
    return slots;
  });
}
