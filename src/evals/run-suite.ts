// Runs what a plan still lacks, in the plan's order, so many at a time. What is done is on disk and stays; whatever stops it, a second start
// goes on with the rest.

import { dirname, join } from "node:path";
import type { Controls } from "./checks/command.ts";
import { controlsOf, proofName } from "./controls.ts";
import type { EvalsError } from "./error.ts";
import { asideDirectory, type Changed, ResultsGuard } from "./guard.ts";
import { type EvalPlan, type Slot, slotDirectory, slotName } from "./plan.ts";
import type { RunRecord } from "./record.ts";
import { planName, readRecord, writePlan } from "./results.ts";
import { runSlot, type SlotHost, scriptName } from "./run-slot.ts";
import { type Suite, suiteCopyName } from "./suite.ts";
import type { Verdict } from "./verdict.ts";

export interface SuiteRun {
  readonly plan: EvalPlan;
  readonly suite: Suite;
  readonly results: string;
  /** Where runs are made, absolute: not among the results, and the user's alone. */
  readonly place: string;
  readonly flags: readonly string[];
  /** Runs at the same time. */
  readonly jobs: number;
  readonly stop: AbortSignal;
  /** Must not throw. */
  readonly onProgress: (event: EvalProgress) => void;
}

export type EvalProgress =
  | { readonly kind: "begin"; readonly total: number; readonly before: number }
  | { readonly kind: "started"; readonly slot: Slot }
  | {
      readonly kind: "ended";
      readonly slot: Slot;
      /** Of all, those done before this start included. */
      readonly done: number;
      readonly total: number;
      readonly record: RunRecord;
      readonly verdict: Verdict;
    }
  | { readonly kind: "stopped"; readonly slot: Slot };

export interface SuiteEnd {
  readonly total: number;
  readonly done: number;
  /** Of them, done by an earlier start. */
  readonly before: number;
  readonly stopped: boolean;
  /** What made it end early; null for nothing. */
  readonly error: EvalsError | null;
}

export async function runSuite(host: SlotHost, run: SuiteRun): Promise<SuiteEnd> {
  const { plan, results, jobs, stop, onProgress } = run;
  const total = plan.order.length;
  const missing: Slot[] = [];
  for (const slot of plan.order) {
    const record = await readRecord(host.files, slotDirectory(results, slot));
    // A record that cannot be read is kept for whoever wants to see it: it is not made again without being asked to.
    if (!record.ok) return end({ kind: "eval-results", path: slotName(slot), message: record.error });
    if (record.value === null) missing.push(slot);
  }
  const before = total - missing.length;
  const guard = new ResultsGuard(host.files, results, plan);
  for (const name of [planName, suiteCopyName, scriptName, proofName]) await guard.seal(join(results, name));
  for (const slot of plan.order) if (!missing.includes(slot)) await guard.seal(slotDirectory(results, slot));
  const controls = new Map<string, Controls>();
  for (const { name } of run.suite.tasks)
    controls.set(name, await controlsOf(host.files, join(results, proofName), run.suite, name));
  let done = before;
  let error: EvalsError | null = null;
  onProgress({ kind: "begin", total, before });
  const failing = new AbortController();
  const signal = AbortSignal.any([stop, failing.signal]);
  const work = async (): Promise<void> => {
    for (let slot = missing.shift(); slot !== undefined && !signal.aborted; slot = missing.shift()) {
      onProgress({ kind: "started", slot });
      const ended = await runSlot(host, { ...run, slot, controls: controls.get(slot.task) ?? null, guard, signal });
      if (ended.kind === "done") {
        done += 1;
        if (ended.changed !== null) {
          done -= ended.changed.made;
          error ??= await putRight(host.files, { plan, results, slot, changed: ended.changed });
          failing.abort();
        }
        onProgress({ kind: "ended", slot, done, total, record: ended.record, verdict: ended.verdict });
        continue;
      }
      onProgress({ kind: "stopped", slot });
      if (ended.kind === "failed") {
        error ??= ended.error;
        failing.abort();
      }
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return { total, done, before, stopped: stop.aborted, error };

  function end(failure: EvalsError): SuiteEnd {
    return { total, done: total - missing.length, before: 0, stopped: false, error: failure };
  }
}

/** How often a run's name may be set aside. */
const asideMax = 1_000;

interface PutRight {
  readonly plan: EvalPlan;
  readonly results: string;
  readonly slot: Slot;
  readonly changed: Changed;
}

/** Runs that were changed are set aside, the plan is as it was, and the suite's solutions are run again by the next start. */
async function putRight(files: SlotHost["files"], { plan, results, slot, changed }: PutRight): Promise<EvalsError> {
  for (const run of changed.runs) {
    let count = 1;
    while (count < asideMax && (await files.stat(asideDirectory(results, run, count))).ok) count += 1;
    const aside = asideDirectory(results, run, count);
    await files.makeDirectory(dirname(aside));
    await files.rename(slotDirectory(results, run), aside);
  }
  await files.remove(join(results, proofName));
  await writePlan(files, results, plan);
  const aside =
    changed.runs.length === 0 ? "" : `; runs that were changed lie in ${join(results, "changed")}, and are made again`;
  const message = `while ${slotName(slot)} ran, something else wrote to ${changed.paths.join(", ")}: it is excluded, and no further run was begun${aside}`;
  return { kind: "eval-changed", path: results, message };
}
