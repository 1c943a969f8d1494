// Runs what a plan still lacks, in the plan's order, so many at a time. What is done is on disk and stays; whatever stops it, a second start
// goes on with the rest.

import type { EvalsError } from "./error.ts";
import { type EvalPlan, type Slot, slotDirectory, slotName } from "./plan.ts";
import type { RunRecord } from "./record.ts";
import { readRecord } from "./results.ts";
import { runSlot, type SlotHost } from "./run-slot.ts";
import type { Suite } from "./suite.ts";
import type { Verdict } from "./verdict.ts";

export interface SuiteRun {
  readonly plan: EvalPlan;
  readonly suite: Suite;
  readonly results: string;
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
  let done = before;
  let error: EvalsError | null = null;
  onProgress({ kind: "begin", total, before });
  const failing = new AbortController();
  const signal = AbortSignal.any([stop, failing.signal]);
  const work = async (): Promise<void> => {
    for (let slot = missing.shift(); slot !== undefined && !signal.aborted; slot = missing.shift()) {
      onProgress({ kind: "started", slot });
      const ended = await runSlot(host, { ...run, slot, signal });
      if (ended.kind === "done") {
        done += 1;
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
