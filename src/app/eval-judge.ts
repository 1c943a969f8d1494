// `skein eval judge` and `skein eval check`: verdicts made anew from what is on disk, and the proof that a suite's checks tell right from
// wrong. No model is asked but the solutions' scripts.

import { join, resolve } from "node:path";
import { err, ok, type Result } from "../base/result.ts";
import type { EvalsError } from "../evals/error.ts";
import { judgeRun } from "../evals/judge.ts";
import { makePlan, type Slot } from "../evals/plan.ts";
import { type Proven, proveSuite } from "../evals/prove.ts";
import { readResults, writeVerdict } from "../evals/results.ts";
import { commandEnv } from "../evals/run-slot.ts";
import { checksOf, loadSuite, type Suite, taskDirectory } from "../evals/suite.ts";
import { findSuite, packageVersion, slotHost } from "./eval-place.ts";
import type { Surroundings } from "./surroundings.ts";

export interface JudgedAgain {
  readonly directory: string;
  readonly judged: number;
  readonly passed: number;
  readonly excluded: number;
  /** Whose verdict is another one now. */
  readonly changed: readonly Slot[];
  /** Without a record yet. */
  readonly missing: number;
  readonly damaged: readonly { readonly slot: Slot; readonly message: string }[];
}

export interface JudgeOptions {
  readonly directory: string;
  /** Whose checks are used; left out, those that were copied when the results were begun. */
  readonly suite: string | undefined;
  readonly stop: AbortSignal;
}

export async function judgeAgain(
  surroundings: Surroundings,
  { directory: named, suite: newer, stop }: JudgeOptions,
): Promise<Result<JudgedAgain, EvalsError>> {
  const { files } = surroundings.host;
  const directory = resolve(surroundings.cwd, named);
  const results = await readResults(files, directory);
  if (!results.ok) return results;
  const copy = join(directory, "suite");
  const suite = newer === undefined ? await loadSuite(files, copy) : await findSuite(surroundings, newer);
  if (!suite.ok) return suite;
  const { plan, runs, missing, damaged } = results.value;
  if (suite.value.name !== plan.suite)
    return err({
      kind: "eval-results",
      path: directory,
      message: `it holds results of ${plan.suite}, not of ${suite.value.name}`,
    });
  const host = slotHost(surroundings);
  const changed: Slot[] = [];
  const verdicts: { readonly passed: boolean; readonly excluded: boolean }[] = [];
  for (const { slot, directory: run, record, verdict: before } of runs) {
    if (stop.aborted) break;
    const task = suite.value.tasks.find(({ name }) => name === slot.task);
    if (task === undefined) continue;
    const verdict = await judgeRun(host, {
      record,
      checks: checksOf(task, slot.condition),
      directory: run,
      workspace: join(taskDirectory(copy, slot.task), "workspace"),
      env: commandEnv(host, run),
      signal: stop,
    });
    if (stop.aborted) break;
    if (JSON.stringify(verdict) !== JSON.stringify(before)) changed.push(slot);
    const written = await writeVerdict(files, run, verdict);
    if (!written.ok) return written;
    verdicts.push({ passed: verdict.passed, excluded: verdict.excluded !== null });
  }
  return ok({
    directory,
    judged: verdicts.length,
    passed: verdicts.filter(({ passed }) => passed).length,
    excluded: verdicts.filter(({ excluded }) => excluded).length,
    changed,
    missing: missing.length,
    damaged,
  });
}

export interface CheckedSuite extends Proven {
  readonly suite: Suite;
}

/** The solutions run in a temporary directory that is removed again. */
export async function checkSuite(
  surroundings: Surroundings,
  { suite: name, stop }: { readonly suite: string; readonly stop: AbortSignal },
): Promise<Result<CheckedSuite, EvalsError>> {
  const { host, temporaryDirectory } = surroundings;
  const suite = await findSuite(surroundings, name);
  if (!suite.ok) return suite;
  const plan = makePlan({
    suite: suite.value,
    conditions: [],
    runs: 1,
    model: suite.value.model ?? "",
    scriptDigest: null,
    scale: null,
    skeinVersion: await packageVersion(surroundings),
    madeAtMs: host.clock.now(),
  });
  const place = join(temporaryDirectory, `skein-eval-${host.random.letters(12)}`);
  const made = await host.files.claimDirectory(place, { private: true });
  if (!made.ok) return made;
  const proven = await proveSuite(slotHost(surroundings), { suite: suite.value, plan, place, stop });
  await host.files.remove(place);
  return proven.error === null ? ok({ ...proven, suite: suite.value }) : err(proven.error);
}
