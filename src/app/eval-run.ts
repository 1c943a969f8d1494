// `skein eval run`: makes or continues a results directory. The plan, and copies of the suite and of a script outside of it, are written
// before the first run: a second start goes on with exactly what was begun, and says where the originals are others by now.

import { createHash } from "node:crypto";
import { basename, join, resolve } from "node:path";
import { err, ok, type Result } from "../base/result.ts";
import { proofName } from "../evals/controls.ts";
import { copyTree } from "../evals/copy-tree.ts";
import type { EvalsError } from "../evals/error.ts";
import { type EvalPlan, makePlan } from "../evals/plan.ts";
import { proveSuite } from "../evals/prove.ts";
import { readPlan, readResults, writePlan } from "../evals/results.ts";
import { type SlotHost, scriptFile, scriptName } from "../evals/run-slot.ts";
import { type EvalProgress, runSuite, type SuiteEnd } from "../evals/run-suite.ts";
import { loadSuite, runsMax, type Suite, suiteCopyName } from "../evals/suite.ts";
import type { Files } from "../host/files.ts";
import type { HeldLock } from "../host/lock.ts";
import {
  claimRunsPlace,
  commandSandbox,
  findSuite,
  lockName,
  makeResultsPlace,
  packageVersion,
  slotHost,
} from "./eval-place.ts";
import type { Surroundings } from "./surroundings.ts";

export interface EvalRunOptions {
  /** A name or a path. */
  readonly suite: string;
  /** As typed; undefined is what the plan says, or the suite. */
  readonly conditions?: readonly string[] | undefined;
  readonly runs?: number | undefined;
  readonly model?: string | undefined;
  readonly scale?: number | undefined;
  readonly jobs?: number | undefined;
  readonly out?: string | undefined;
  /** Of `skein run`, handed on to each run. */
  readonly flags: readonly string[];
}

export interface EvalWatcher {
  onPlan(plan: PlannedEval): void;
  onProgress(event: EvalProgress): void;
  readonly stop: AbortSignal;
}

export interface PlannedEval {
  readonly plan: EvalPlan;
  readonly directory: string;
  readonly resumed: boolean;
  readonly scripted: boolean;
  /** Solutions that were run to prove the checks; 0 where an earlier start did. */
  readonly solutions: number;
  /** What is not as the person may think, one sentence each. */
  readonly notes: readonly string[];
}

export interface EvalEnd extends SuiteEnd {
  readonly directory: string;
}

const jobsMax = 64;
const scriptBytesMax = 16 * 1024 * 1024;
const scaleMax = 100;

export async function runEval(
  surroundings: Surroundings,
  options: EvalRunOptions,
  watcher: EvalWatcher,
): Promise<Result<EvalEnd, EvalsError>> {
  const { files, locks } = surroundings.host;
  const suite = await findSuite(surroundings, options.suite);
  if (!suite.ok) return suite;
  const wrong = wrongOption(options);
  if (wrong !== null) return err({ kind: "eval-usage", message: wrong });
  const directory = resolve(surroundings.cwd, options.out ?? join("eval-results", suite.value.name));
  const made = await makeResultsPlace(surroundings, directory);
  if (!made.ok) return made;
  const lock = await locks.acquire(join(directory, lockName));
  if (!lock.ok && lock.error.code === "held") return err({ kind: "eval-held", path: directory });
  return withLock(lock.ok ? lock.value : null, async () => {
    const before = await planWithRuns(files, directory);
    if (!before.ok) return before;
    const place = await claimRunsPlace(surroundings, directory);
    if (!place.ok) return place;
    try {
      const at = { suite: suite.value, directory, place: place.value };
      return await measureAt(surroundings, { ...at, options, before: before.value }, watcher);
    } finally {
      await files.remove(place.value);
    }
  });
}

interface At {
  /** As it is now. */
  readonly suite: Suite;
  readonly directory: string;
  /** Where runs are made. */
  readonly place: string;
  readonly options: EvalRunOptions;
  readonly before: EvalPlan | null;
}

async function measureAt(
  surroundings: Surroundings,
  { before, ...at }: At,
  watcher: EvalWatcher,
): Promise<Result<EvalEnd, EvalsError>> {
  const { directory, place, suite, options } = at;
  const hidden = [directory, place, suite.directory];
  const sandbox = await commandSandbox(surroundings, hidden);
  if (!sandbox.ok) return err({ kind: "eval-usage", message: `agents' shell ${sandbox.error}` });
  const host = slotHost(surroundings, { sandbox: sandbox.value, hidden, flags: options.flags });
  const step = { ...at, host, stop: watcher.stop };
  const planned = before === null ? await begin(surroundings, step) : await goOn(surroundings, { ...step, before });
  if (!planned.ok) return planned;
  if (planned.value === null) return ok({ ...nothingDone, directory });
  const { plan } = planned.value;
  const copy = await loadSuite(surroundings.host.files, join(directory, suiteCopyName));
  if (!copy.ok) return copy;
  watcher.onPlan(planned.value);
  const { flags, jobs = 1 } = options;
  const run = { plan, suite: copy.value, results: directory, place, flags, jobs, stop: watcher.stop };
  const end = await runSuite(host, { ...run, onProgress: (event) => watcher.onProgress(event) });
  return ok({ ...end, directory });
}

/** Null also for a plan of which no run is done: it is made anew, since what was wrong with it may be what is said otherwise now. */
async function planWithRuns(files: Files, directory: string): Promise<Result<EvalPlan | null, EvalsError>> {
  const plan = await readPlan(files, directory);
  if (!plan.ok || plan.value === null) return plan;
  const results = await readResults(files, directory);
  if (!results.ok) return results;
  const { runs, damaged } = results.value;
  return ok(runs.length + damaged.length === 0 ? null : plan.value);
}

const nothingDone: SuiteEnd = { total: 0, done: 0, before: 0, stopped: true, error: null };

function wrongOption({ runs, scale, jobs }: EvalRunOptions): string | null {
  if (runs !== undefined && (runs < 1 || runs > runsMax))
    return `--runs ${runs}: a number from 1 to ${runsMax} is needed`;
  if (jobs !== undefined && (jobs < 1 || jobs > jobsMax))
    return `--jobs ${jobs}: a number from 1 to ${jobsMax} is needed`;
  if (scale === undefined || (scale >= 0 && scale <= scaleMax)) return null;
  return `--scale ${scale}: a number from 0 to ${scaleMax} is needed`;
}

/** Against the suite that is measured. */
function wrongForSuite({ conditions = [], scale }: EvalRunOptions, suite: Suite, model: string): string | null {
  const names = suite.conditions.map(({ name }) => name);
  const unknown = conditions.find((name) => !names.includes(name));
  if (unknown !== undefined) return `the suite has no condition ${unknown}: it has ${names.join(", ")}`;
  if (scale === undefined || scriptFile(model) !== null) return null;
  return `--scale is for a scripted model's delays, and ${model} is none`;
}

interface Step extends Omit<At, "before"> {
  readonly host: SlotHost;
  readonly stop: AbortSignal;
}

/** Null where the person stopped it. Whatever fails here leaves no plan: the next start begins anew. */
async function begin(surroundings: Surroundings, step: Step): Promise<Result<PlannedEval | null, EvalsError>> {
  const { suite, directory, options, stop } = step;
  const { files, clock } = surroundings.host;
  const model = modelOf(surroundings, options.model) ?? suite.model;
  if (model === undefined)
    return err({
      kind: "eval-usage",
      message: `the suite ${suite.name} names no model: say --model <provider>/<model>`,
    });
  const wrong = wrongForSuite(options, suite, model);
  if (wrong !== null) return err({ kind: "eval-usage", message: wrong });
  const file = options.model === undefined ? null : scriptFile(model);
  const script = file === null ? ok(null) : await keepScript(files, file, directory);
  if (!script.ok) return script;
  const plan = makePlan({
    suite,
    conditions: options.conditions ?? [],
    runs: options.runs ?? suite.runs,
    model,
    scriptDigest: script.value,
    scale: scriptFile(model) === null ? null : (options.scale ?? 1),
    skeinVersion: await packageVersion(surroundings),
    madeAtMs: clock.now(),
  });
  const copied = await copySuite(files, suite, directory);
  if (!copied.ok) return copied;
  const proven = await prove(step, plan);
  if (!proven.ok) return proven;
  if (stop.aborted) return ok(null);
  const written = await writePlan(files, directory, plan);
  if (!written.ok) return written;
  return ok({ ...planned(plan, directory), resumed: false, solutions: proven.value, notes: [] });
}

function planned(plan: EvalPlan, directory: string) {
  return { plan, directory, scripted: scriptFile(plan.model) !== null };
}

async function copySuite(files: Files, suite: Suite, directory: string): Promise<Result<void, EvalsError>> {
  const copy = join(directory, suiteCopyName);
  const removed = await files.remove(copy);
  return removed.ok ? copyTree(files, suite.directory, copy) : removed;
}

/** With the copy of the suite; the number of solutions that were run. */
async function prove({ directory, place, host, stop }: Step, plan: EvalPlan): Promise<Result<number, EvalsError>> {
  const proof = join(directory, proofName);
  const removed = await host.files.remove(proof);
  if (!removed.ok) return removed;
  const suite = await loadSuite(host.files, join(directory, suiteCopyName));
  if (!suite.ok) return suite;
  const proven = await proveSuite(host, { suite: suite.value, plan, proof, place, stop });
  if (stop.aborted) return ok(0);
  if (proven.error !== null) return err(proven.error);
  if (proven.problems.length > 0) return err({ kind: "eval-unsound", suite: plan.suite, problems: proven.problems });
  return ok(proven.solutions);
}

interface GoOn extends Step {
  readonly before: EvalPlan;
}

/** The same plan, or the same with more repetitions: those that are done keep their places in its order. */
async function goOn(
  surroundings: Surroundings,
  { before, ...step }: GoOn,
): Promise<Result<PlannedEval | null, EvalsError>> {
  const { directory, options, stop } = step;
  const { files } = surroundings.host;
  const kept = await keptCopies(files, { before, suite: step.suite, directory });
  if (!kept.ok) return kept;
  const { suite, notes } = kept.value;
  const wrong = wrongForSuite(options, suite, before.model);
  if (wrong !== null) return err({ kind: "eval-usage", message: wrong });
  const model = modelOf(surroundings, options.model) ?? before.model;
  const runs = Math.max(before.runs, options.runs ?? before.runs);
  const conditions = options.conditions ?? before.conditions.map(({ name }) => name);
  const differs = [
    model === before.model ? null : `its model is ${before.model}, not ${model}`,
    (options.scale ?? before.scale) === before.scale ? null : `its scale is ${before.scale}, not ${options.scale}`,
    sameNames(conditions, before.conditions) ? null : "it has other conditions",
  ].filter((text) => text !== null);
  if (differs.length > 0)
    return err({
      kind: "eval-results",
      path: directory,
      message: `it holds results of another plan: ${differs.join("; ")}`,
    });
  const plan = runs === before.runs ? before : makePlan({ ...before, suite, conditions, runs });
  const isProven = (await files.stat(join(directory, proofName))).ok;
  const proven = isProven ? ok(0) : await prove(step, plan);
  if (!proven.ok) return proven;
  if (stop.aborted) return ok(null);
  if (plan !== before) {
    const written = await writePlan(files, directory, plan);
    if (!written.ok) return written;
  }
  return ok({ ...planned(plan, directory), resumed: true, solutions: proven.value, notes });
}

interface KeptCopies {
  readonly before: EvalPlan;
  /** As it is now. */
  readonly suite: Suite;
  readonly directory: string;
}

/** What was begun with: the copies count, whatever has become of the originals; only where a copy was changed, its original is looked at. */
async function keptCopies(
  files: Files,
  { before, suite, directory }: KeptCopies,
): Promise<Result<{ readonly suite: Suite; readonly notes: readonly string[] }, EvalsError>> {
  const notes: string[] = [];
  let kept = await loadSuite(files, join(directory, suiteCopyName));
  if (!kept.ok || kept.value.digest !== before.suiteDigest) {
    if (suite.digest !== before.suiteDigest) return err(lost(directory, "the suite", suiteCopyName));
    const copied = await copySuite(files, suite, directory);
    if (!copied.ok) return copied;
    kept = await loadSuite(files, join(directory, suiteCopyName));
    if (!kept.ok) return kept;
    notes.push("the copy of the suite in the results had been changed: it is as it was again");
  } else if (suite.digest !== before.suiteDigest)
    notes.push(
      "the suite has changed since these results were begun: the copy that was kept then is used, so that all runs have the same; --out <dir> measures the changed one",
    );
  const file = before.scriptDigest === null ? null : scriptFile(before.model);
  if (file === null) return ok({ suite: kept.value, notes });
  const [copy, original] = [await digestOf(files, keptScript(directory, file)), await digestOf(files, file)];
  if (copy !== before.scriptDigest) {
    if (original !== before.scriptDigest) return err(lost(directory, "the model's script", scriptName));
    const again = await keepScript(files, file, directory);
    if (!again.ok) return again;
    notes.push("the copy of the model's script in the results had been changed: it is as it was again");
  } else if (original !== before.scriptDigest)
    notes.push(
      "the model's script has changed since these results were begun: the copy that was kept then is used; --out <dir> measures with the changed one",
    );
  return ok({ suite: kept.value, notes });
}

function lost(path: string, what: string, name: string): EvalsError {
  const message = `the copy of ${what} that it was begun with (${name}/) is another one by now, and so is ${what}: what was measured is kept, begin another directory with --out`;
  return { kind: "eval-results", path, message };
}

function keptScript(directory: string, file: string): string {
  return join(directory, scriptName, basename(file));
}

/** Its digest; null where there is none, which the first run says, as of any script. */
async function keepScript(files: Files, file: string, directory: string): Promise<Result<string | null, EvalsError>> {
  const bytes = await files.read(file, scriptBytesMax);
  if (!bytes.ok) return bytes.error.code === "not-found" ? ok(null) : bytes;
  const made = await files.makeDirectory(join(directory, scriptName));
  const written = made.ok ? await files.write(keptScript(directory, file), bytes.value) : made;
  return written.ok ? ok(sha256(bytes.value)) : written;
}

/** Null where it cannot be read. */
async function digestOf(files: Files, path: string): Promise<string | null> {
  const bytes = await files.read(path, scriptBytesMax);
  return bytes.ok ? sha256(bytes.value) : null;
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function sameNames(names: readonly string[], conditions: EvalPlan["conditions"]): boolean {
  const own = conditions.map(({ name }) => name);
  return own.length === new Set(names).size && own.every((name) => names.includes(name));
}

/** A script that a person names lies where the person is; one that a suite names, in the suite. */
function modelOf({ cwd }: Surroundings, model: string | undefined): string | undefined {
  const file = model === undefined ? null : scriptFile(model);
  return file === null ? model : `script:${resolve(cwd, file)}`;
}

async function withLock<T>(lock: HeldLock | null, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await lock?.release();
  }
}
