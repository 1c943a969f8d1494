// `skein eval judge` and `skein eval check`: verdicts made anew from what is on disk, and the proof that a suite's checks tell right from
// wrong. No model is asked but the solutions' scripts.

import { join, resolve } from "node:path";
import { err, ok, type Result } from "../base/result.ts";
import type { Controls } from "../evals/checks/command.ts";
import { controlsOf, proofName } from "../evals/controls.ts";
import type { EvalsError } from "../evals/error.ts";
import { judgeRun } from "../evals/judge.ts";
import { makePlan, type Slot } from "../evals/plan.ts";
import { type Proven, proveSuite } from "../evals/prove.ts";
import { readPlan, readResults, writeVerdict } from "../evals/results.ts";
import { checksOf, loadSuite, type Suite, suiteCopyName, taskDirectory } from "../evals/suite.ts";
import { commandSandbox, findSuite, lockName, packageVersion, slotHost } from "./eval-place.ts";
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

/** Not while somebody measures into it: a verdict that changes meanwhile would look like a run's doing. */
export async function judgeAgain(
  surroundings: Surroundings,
  options: JudgeOptions,
): Promise<Result<JudgedAgain, EvalsError>> {
  const directory = resolve(surroundings.cwd, options.directory);
  const plan = await readPlan(surroundings.host.files, directory);
  if (!plan.ok) return plan;
  // What holds no results gets no lock either.
  const lock = plan.value === null ? null : await surroundings.host.locks.acquire(join(directory, lockName));
  if (lock?.ok === false && lock.error.code === "held") return err({ kind: "eval-held", path: directory });
  try {
    return await judgeIn(surroundings, { ...options, directory });
  } finally {
    if (lock?.ok === true) await lock.value.release();
  }
}

async function judgeIn(
  surroundings: Surroundings,
  { directory, suite: newer, stop }: JudgeOptions,
): Promise<Result<JudgedAgain, EvalsError>> {
  const { files } = surroundings.host;
  const results = await readResults(files, directory);
  if (!results.ok) return results;
  const copy = join(directory, suiteCopyName);
  const suite = newer === undefined ? await loadSuite(files, copy) : await findSuite(surroundings, newer);
  if (!suite.ok) return suite;
  const { plan, runs, missing, damaged } = results.value;
  if (suite.value.name !== plan.suite)
    return err({
      kind: "eval-results",
      path: directory,
      message: `it holds results of ${plan.suite}, not of ${suite.value.name}`,
    });
  if (newer === undefined && suite.value.digest !== plan.suiteDigest)
    return err({
      kind: "eval-results",
      path: copy,
      message:
        "this copy of the suite was changed after the runs were begun; to judge with changed checks, name a suite with --suite",
    });
  const place = await claimJudgePlace(surroundings);
  if (!place.ok) return place;
  const hidden = [directory, suite.value.directory];
  const sandbox = hasCommands(suite.value) ? await commandSandbox(surroundings, hidden) : ok(null);
  if (!sandbox.ok) return err({ kind: "eval-usage", message: `checks' ${sandbox.error}` });
  const host = slotHost(surroundings, { sandbox: sandbox.value, hidden, flags: [] });
  const changed: Slot[] = [];
  const verdicts: { readonly passed: boolean; readonly excluded: boolean }[] = [];
  const controls = new Map<string, Controls>();
  try {
    for (const { slot, directory: run, record, verdict: before } of runs) {
      if (stop.aborted) break;
      const task = suite.value.tasks.find(({ name }) => name === slot.task);
      if (task === undefined) continue;
      const own =
        controls.get(task.name) ?? (await controlsOf(files, join(directory, proofName), suite.value, task.name));
      controls.set(task.name, own);
      const verdict = await judgeRun(host, {
        record,
        checks: checksOf(task, slot.condition),
        directory: run,
        workspace: join(taskDirectory(copy, slot.task), "workspace"),
        env: host.commandEnv,
        controls: own,
        scratch: join(place.value, "check"),
        signal: stop,
      });
      if (stop.aborted) break;
      if (JSON.stringify(verdict) !== JSON.stringify(before)) changed.push(slot);
      const written = await writeVerdict(files, run, verdict);
      if (!written.ok) return written;
      verdicts.push({ passed: verdict.passed, excluded: verdict.excluded !== null });
    }
  } finally {
    await files.remove(place.value);
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
  const { host } = surroundings;
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
  const place = await claimJudgePlace(surroundings);
  if (!place.ok) return place;
  try {
    const hidden = [suite.value.directory, place.value];
    const sandbox = await commandSandbox(surroundings, hidden);
    if (!sandbox.ok) return err({ kind: "eval-usage", message: `agents' shell ${sandbox.error}` });
    const at = slotHost(surroundings, { sandbox: sandbox.value, hidden, flags: [] });
    const places = { proof: join(place.value, proofName), place: join(place.value, "runs") };
    const proven = await proveSuite(at, { suite: suite.value, plan, ...places, stop });
    return proven.error === null ? ok({ ...proven, suite: suite.value }) : err(proven.error);
  } finally {
    await host.files.remove(place.value);
  }
}

function hasCommands({ tasks }: Suite): boolean {
  return tasks.some(({ checks }) => checks.some(({ kind }) => kind === "command"));
}

/** Of this process alone: several may judge at once. */
async function claimJudgePlace({ host, temporaryDirectory }: Surroundings): Promise<Result<string, EvalsError>> {
  const place = join(temporaryDirectory, `skein-eval-${host.random.letters(12)}`);
  const made = await host.files.claimDirectory(place, { private: true });
  return made.ok ? ok(place) : made;
}
