// `skein eval run`: makes or continues a results directory. The plan and a copy of the suite are written before the first run, so that a
// second start goes on with exactly what was begun, or is refused where the suite, or a script outside of it, is another one by now.

import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { err, ok, type Result } from "../base/result.ts";
import { copyTree } from "../evals/copy-tree.ts";
import type { EvalsError } from "../evals/error.ts";
import { type EvalPlan, makePlan } from "../evals/plan.ts";
import { proveSuite } from "../evals/prove.ts";
import { readPlan, readResults, writePlan } from "../evals/results.ts";
import { scriptFile } from "../evals/run-slot.ts";
import { type EvalProgress, runSuite, type SuiteEnd } from "../evals/run-suite.ts";
import { loadSuite, runsMax, type Suite } from "../evals/suite.ts";
import type { Files } from "../host/files.ts";
import type { HeldLock } from "../host/lock.ts";
import { sandboxVariable } from "./approval-settings.ts";
import { findSuite, makeResultsPlace, packageVersion, slotHost } from "./eval-place.ts";
import { openSandbox } from "./sandbox.ts";
import { type Surroundings, variable } from "./surroundings.ts";

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
  const wrong = wrongOption(options, suite.value);
  if (wrong !== null) return err({ kind: "eval-usage", message: wrong });
  const held = await heldRuns(surroundings);
  if (held !== null) return err({ kind: "eval-usage", message: held });
  const directory = resolve(surroundings.cwd, options.out ?? join("eval-results", suite.value.name));
  const made = await makeResultsPlace(surroundings, directory);
  if (!made.ok) return made;
  const lock = await locks.acquire(join(directory, "eval.lock"));
  if (!lock.ok && lock.error.code === "held") return err({ kind: "eval-held", path: directory });
  return withLock(lock.ok ? lock.value : null, async () => {
    const before = await planWithRuns(files, directory);
    if (!before.ok) return before;
    const planned =
      before.value === null
        ? await begin(surroundings, { suite: suite.value, directory, options, stop: watcher.stop })
        : await goOn(surroundings, { suite: suite.value, directory, options, before: before.value });
    if (!planned.ok) return planned;
    if (planned.value === null) return ok({ ...nothingDone, directory });
    const { plan } = planned.value;
    const copy = await loadSuite(files, join(directory, "suite"));
    if (!copy.ok) return copy;
    watcher.onPlan(planned.value);
    const { flags, jobs = 1 } = options;
    const run = { plan, suite: copy.value, results: directory, flags, jobs, stop: watcher.stop };
    const end = await runSuite(slotHost(surroundings), { ...run, onProgress: (event) => watcher.onProgress(event) });
    return ok({ ...end, directory });
  });
}

/** Nobody can be asked in the middle of a measurement; what is wrong, in words, or null. */
async function heldRuns(surroundings: Surroundings): Promise<string | null> {
  const off = variable(surroundings.env, sandboxVariable) === "off";
  const mode = { value: off ? "off" : "auto", origin: { kind: "default" } } as const;
  const sandbox = await openSandbox(surroundings, { mode, network: false, writable: [] }, surroundings.cwd);
  if (sandbox.kind !== "none") return null;
  return `agents' shell commands would run without a sandbox, with your rights: ${sandbox.reason}; ${sandboxVariable}=off says that they may`;
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

function wrongOption({ conditions = [], runs, scale, jobs, model }: EvalRunOptions, suite: Suite): string | null {
  const names = suite.conditions.map(({ name }) => name);
  const unknown = conditions.find((name) => !names.includes(name));
  if (unknown !== undefined) return `the suite has no condition ${unknown}: it has ${names.join(", ")}`;
  if (runs !== undefined && (runs < 1 || runs > runsMax))
    return `--runs ${runs}: a number from 1 to ${runsMax} is needed`;
  if (jobs !== undefined && (jobs < 1 || jobs > jobsMax))
    return `--jobs ${jobs}: a number from 1 to ${jobsMax} is needed`;
  if (scale === undefined) return null;
  if (!(scale >= 0 && scale <= scaleMax)) return `--scale ${scale}: a number from 0 to ${scaleMax} is needed`;
  const asked = model ?? suite.model ?? "";
  return scriptFile(asked) === null ? `--scale is for a scripted model's delays, and ${asked} is none` : null;
}

interface Begin {
  readonly suite: Suite;
  readonly directory: string;
  readonly options: EvalRunOptions;
  readonly stop: AbortSignal;
}

/** Null where the person stopped it. Whatever fails here leaves no plan: the next start begins anew. */
async function begin(
  surroundings: Surroundings,
  { suite, directory, options, stop }: Begin,
): Promise<Result<PlannedEval | null, EvalsError>> {
  const { files, clock } = surroundings.host;
  const model = modelOf(surroundings, options.model) ?? suite.model;
  if (model === undefined)
    return err({
      kind: "eval-usage",
      message: `the suite ${suite.name} names no model: say --model <provider>/<model>`,
    });
  const scripted = scriptFile(model) !== null;
  const script = await digestOfScript(files, options.model === undefined ? null : scriptFile(model));
  if (!script.ok) return script;
  const plan = makePlan({
    suite,
    conditions: options.conditions ?? [],
    runs: options.runs ?? suite.runs,
    model,
    scriptDigest: script.value,
    scale: scripted ? (options.scale ?? 1) : null,
    skeinVersion: await packageVersion(surroundings),
    madeAtMs: clock.now(),
  });
  const copy = join(directory, "suite");
  const removed = await files.remove(copy);
  if (!removed.ok) return removed;
  const copied = await copyTree(files, suite.directory, copy);
  if (!copied.ok) return copied;
  const own = await loadSuite(files, copy);
  if (!own.ok) return own;
  const place = join(directory, "proof");
  const proven = await proveSuite(slotHost(surroundings), { suite: own.value, plan, place, stop });
  if (stop.aborted) return ok(null);
  if (proven.error !== null) return err(proven.error);
  if (proven.problems.length > 0) return err({ kind: "eval-unsound", suite: suite.name, problems: proven.problems });
  await files.remove(place);
  const written = await writePlan(files, directory, plan);
  return written.ok ? ok({ plan, directory, resumed: false, scripted, solutions: proven.solutions }) : written;
}

interface GoOn {
  readonly suite: Suite;
  readonly directory: string;
  readonly options: EvalRunOptions;
  readonly before: EvalPlan;
}

/** The same plan, or the same with more repetitions: those that are done keep their places in its order. */
async function goOn(
  surroundings: Surroundings,
  { suite, directory, options, before }: GoOn,
): Promise<Result<PlannedEval, EvalsError>> {
  const model = modelOf(surroundings, options.model) ?? before.model;
  const scripted = scriptFile(before.model) !== null;
  // What lies in the suite is in its copy.
  const script = await digestOfScript(
    surroundings.host.files,
    before.scriptDigest === null ? null : scriptFile(before.model),
  );
  if (!script.ok) return script;
  const runs = Math.max(before.runs, options.runs ?? before.runs);
  const conditions = options.conditions ?? before.conditions.map(({ name }) => name);
  const differs = [
    suite.digest === before.suiteDigest ? null : "the suite has changed since",
    model === before.model ? null : `its model is ${before.model}, not ${model}`,
    script.value === before.scriptDigest ? null : "its model's script has changed since",
    (options.scale ?? before.scale) === before.scale ? null : `its scale is ${before.scale}, not ${options.scale}`,
    sameNames(conditions, before.conditions) ? null : "it has other conditions",
  ].filter((text) => text !== null);
  if (differs.length > 0)
    return err({
      kind: "eval-results",
      path: directory,
      message: `it holds results of another plan: ${differs.join("; ")}`,
    });
  const plan = runs === before.runs ? before : { ...makePlan({ ...before, suite, conditions, runs }) };
  if (plan !== before) {
    const written = await writePlan(surroundings.host.files, directory, plan);
    if (!written.ok) return written;
  }
  return ok({ plan, directory, resumed: true, scripted, solutions: 0 });
}

async function digestOfScript(files: Files, path: string | null): Promise<Result<string | null, EvalsError>> {
  if (path === null) return ok(null);
  const bytes = await files.read(path, scriptBytesMax);
  // That it is not there is said by the run, as of any script.
  if (!bytes.ok) return bytes.error.code === "not-found" ? ok(null) : bytes;
  return ok(createHash("sha256").update(bytes.value).digest("hex"));
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
