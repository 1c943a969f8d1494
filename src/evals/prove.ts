// Whether a suite's checks tell right from wrong: each task comes with a solution that must pass and one that must fail, as scripts that
// are really run. Done before anything is measured.

import { join } from "node:path";
import { controlsOf, solutionSlot } from "./controls.ts";
import type { EvalsError } from "./error.ts";
import type { EvalPlan } from "./plan.ts";
import { runSlot, type SlotHost } from "./run-slot.ts";
import { type Suite, taskDirectory } from "./suite.ts";

export interface Proof {
  readonly suite: Suite;
  readonly plan: EvalPlan;
  /** Where the solutions' runs are kept. */
  readonly proof: string;
  /** Where they are made. */
  readonly place: string;
  readonly stop: AbortSignal;
}

export interface Proven {
  /** One line each; none for a sound suite. */
  readonly problems: readonly string[];
  readonly solutions: number;
  readonly error: EvalsError | null;
}

export async function proveSuite(host: SlotHost, { suite, plan, proof, place, stop }: Proof): Promise<Proven> {
  const problems: string[] = [];
  let solutions = 0;
  for (const { name: task } of suite.tasks) {
    const slot = solutionSlot(suite, task);
    if (slot === null) {
      problems.push(`${task} is in no condition`);
      continue;
    }
    for (const kind of ["oracle", "wrong"] as const) {
      const solution = join(taskDirectory(suite.directory, task), `${kind}.yaml`);
      if (!(await host.files.stat(solution)).ok) {
        problems.push(`${task} has no ${kind} solution (${kind}.yaml)`);
        continue;
      }
      const controls = kind === "oracle" ? null : await controlsOf(host.files, proof, suite, task);
      const own = { slot, results: join(proof, kind), place, flags: [], solution, controls, guard: null };
      const ended = await runSlot(host, { plan, suite, ...own, signal: stop });
      if (ended.kind === "failed") return { problems, solutions, error: ended.error };
      if (ended.kind === "stopped") return { problems, solutions, error: null };
      solutions += 1;
      const { verdict } = ended;
      const why = verdict.excluded?.detail ?? verdict.failure?.detail ?? "";
      if (kind === "oracle" && !verdict.passed) problems.push(`${task}: the right solution does not pass: ${why}`);
      if (kind === "wrong" && verdict.passed) problems.push(`${task}: the wrong solution passes`);
      if (kind === "wrong" && verdict.excluded !== null)
        problems.push(`${task}: the wrong solution cannot be judged: ${why}`);
      if (kind === "wrong" && verdict.failure !== null && verdict.failure.kind !== "model")
        problems.push(`${task}: the wrong solution fails by itself (${verdict.failure.kind}: ${why})`);
    }
  }
  return { problems, solutions, error: null };
}
