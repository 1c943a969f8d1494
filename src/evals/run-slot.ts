// One run of the plan: the real program, in a fresh copy of the task's workspace, with a home and a state directory of its own, and then its
// record and verdict. The record is written last and whole: a run that was cut off has none, and is made again.

import { join, relative, resolve } from "node:path";
import { z } from "zod";
import { capLine } from "../base/text.ts";
import type { Host } from "../host/host.ts";
import { copyTree } from "./copy-tree.ts";
import type { EvalsError } from "./error.ts";
import { judgeRun } from "./judge.ts";
import { type Measured, recordOf } from "./measure.ts";
import { type EvalPlan, type Slot, seedOf, slotDirectory } from "./plan.ts";
import { type EndedProgram, runProgram } from "./program.ts";
import type { Ending, RunRecord } from "./record.ts";
import { writeRecord, writeVerdict } from "./results.ts";
import { type Condition, checksOf, type Suite, type Task, taskDirectory } from "./suite.ts";
import { type RunTranscripts, readTranscripts } from "./transcript.ts";
import type { Verdict } from "./verdict.ts";

export interface SlotHost extends Pick<Host, "files" | "processes" | "clock"> {
  /** Node and the program's file. */
  readonly program: readonly [string, ...string[]];
  /** Of every run: keys among it, no home and no state directory. */
  readonly env: Readonly<Record<string, string>>;
  /** Of a check's commands, which run what a model wrote: no keys, and nothing that differs from one judge to the next but the PATH. */
  readonly commandEnv: Readonly<Record<string, string>>;
}

export interface SlotRequest {
  readonly plan: EvalPlan;
  /** As it was copied into the results. */
  readonly suite: Suite;
  readonly slot: Slot;
  readonly results: string;
  /** Of `skein run`, for every run alike: addresses, budget. */
  readonly flags: readonly string[];
  /** Instead of the plan's model: a solution of the task's own, by its absolute path. */
  readonly solution?: string;
  readonly signal: AbortSignal;
}

export type SlotEnd =
  | { readonly kind: "done"; readonly record: RunRecord; readonly verdict: Verdict }
  /** The person stopped it: nothing of it is kept. */
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly error: EvalsError };

const outputBytesMax = 256 * 1024 * 1024;
const detailChars = 1_000;
/** `skein run`: nothing was begun. */
const notBegunCode = 2;

export async function runSlot(host: SlotHost, request: SlotRequest): Promise<SlotEnd> {
  const { files } = host;
  const { suite, slot, signal, results } = request;
  const task = suite.tasks.find(({ name }) => name === slot.task);
  const condition = suite.conditions.find(({ name }) => name === slot.condition);
  if (task === undefined || condition === undefined)
    return failed(suite.directory, `the suite has no ${slot.task} in ${slot.condition}`);
  const directory = slotDirectory(results, slot);
  const place: Place = {
    task,
    condition,
    directory,
    original: join(taskDirectory(suite.directory, task.name), "workspace"),
  };
  const made = await makePlace(files, place);
  if (made !== null) return { kind: "failed", error: made };
  const ended = await measure(host, request, place);
  if (ended.kind === "done" && !signal.aborted) {
    const written = await writeVerdict(files, directory, ended.verdict);
    const recorded = written.ok ? await writeRecord(files, directory, ended.record) : written;
    return recorded.ok ? ended : { kind: "failed", error: recorded.error };
  }
  await files.remove(directory);
  return signal.aborted ? { kind: "stopped" } : ended;
}

interface Place {
  readonly task: Task;
  readonly condition: Condition;
  readonly directory: string;
  /** What the workspace is a copy of. */
  readonly original: string;
}

async function measure(host: SlotHost, request: SlotRequest, place: Place): Promise<SlotEnd> {
  const { files, clock } = host;
  const { suite, signal } = request;
  const { task, condition, directory, original } = place;
  const flags = flagsOf(request, place);
  const env = placeEnv(host.env, directory);
  const startedAtMs = clock.now();
  const ended = await runProgram(host, {
    argv: [...host.program, "run", ...flags, "--", suite.instruction(task.name, condition.name)],
    cwd: join(directory, "workspace"),
    env,
    msMax: task.minutesMax * 60_000,
    bytesMax: outputBytesMax,
    signal,
  });
  if (signal.aborted) return { kind: "stopped" };
  if (!ended.ok) return failed(directory, ended.error);
  if (ended.value.exitCode === notBegunCode)
    return { kind: "failed", error: { kind: "eval-not-begun", message: lastLines(ended.value.stderr) } };
  const kept = await keepOutput(files, directory, ended.value);
  if (kept !== null) return { kind: "failed", error: kept };
  const transcripts = await readTranscripts(files, join(directory, "state"));
  const record = recordOf({ ...measured(request, { flags, startedAtMs }, ended.value, transcripts), transcripts });
  const checks = checksOf(task, condition.name);
  const judging = { record, checks, directory, workspace: original, env: commandEnv(host, directory), signal };
  const verdict = await judgeRun(host, judging);
  return { kind: "done", record, verdict };
}

function measured(
  { plan, suite, slot }: SlotRequest,
  { flags, startedAtMs }: { readonly flags: readonly string[]; readonly startedAtMs: number },
  ended: EndedProgram,
  transcripts: RunTranscripts,
): Omit<Measured, "transcripts"> {
  const result = resultOf(ended.stdout);
  const ending = endingOf(ended, result, transcripts);
  return {
    suite: suite.name,
    slot,
    seed: seedOf(plan, slot),
    askedModel: flags[flags.indexOf("--model") + 1] ?? plan.model,
    flags,
    skeinVersion: plan.skeinVersion,
    startedAtMs,
    processMs: Math.round(ended.ms),
    wallMs: result?.wallMs ?? null,
    ending,
    answer: result?.outcome === "stopped" ? result.text : "",
    faults: result === null && !ended.timedOut ? [{ kind: "start", detail: ending.detail }] : [],
  };
}

function failed(path: string, message: string): SlotEnd {
  return { kind: "failed", error: { kind: "eval-results", path, message } };
}

/** What is left of a run that was cut off goes first. */
async function makePlace(files: Host["files"], { directory, original }: Place): Promise<EvalsError | null> {
  const removed = await files.remove(directory);
  if (!removed.ok) return removed.error;
  const workspace = join(directory, "workspace");
  const copied = await copyTree(files, original, workspace);
  if (!copied.ok) return copied.error;
  // A repository of its own, though an empty one: a search, git and skein then look at nothing above it.
  const repository = join(workspace, ".git");
  const parts = [repository, join(repository, "objects"), join(repository, "refs"), join(repository, "refs", "heads")];
  for (const part of [...parts, ...["home", "state", "tmp"].map((name) => join(directory, name))]) {
    const made = await files.makeDirectory(part);
    if (!made.ok) return made.error;
  }
  const head = await files.write(join(repository, "HEAD"), Buffer.from("ref: refs/heads/main\n"));
  return head.ok ? null : head.error;
}

function placeEnv(env: SlotHost["env"], directory: string): Readonly<Record<string, string>> {
  const at = (name: string) => join(directory, name);
  return { ...env, HOME: at("home"), SKEIN_STATE_DIR: at("state"), TMPDIR: at("tmp") };
}

export function commandEnv(host: Pick<SlotHost, "commandEnv">, run: string): Readonly<Record<string, string>> {
  return { ...host.commandEnv, HOME: join(run, "home"), TMPDIR: join(run, "tmp") };
}

function flagsOf(request: SlotRequest, { task, condition, directory }: Place): readonly string[] {
  const { flags, tools } = condition;
  const model = modelOf(request, join(directory, "workspace"));
  return [
    "--output",
    "stream-json",
    "--model",
    model,
    "--tools",
    (tools ?? task.tools).join(","),
    "--child-context",
    task.childContext,
    ...flags,
    ...request.flags,
  ];
}

/** A script is named from the workspace, so that a path that is only this machine's is in no record; each run has its seed and variant. */
function modelOf({ plan, suite, slot, solution }: SlotRequest, workspace: string): string {
  if (solution !== undefined) return `script:${relative(workspace, solution)}`;
  const file = scriptFile(plan.model);
  if (file === null) return plan.model;
  const path = relative(workspace, resolve(suite.directory, file));
  const scale = plan.scale === null || plan.scale === 1 ? "" : `,scale=${plan.scale}`;
  return `script:${path}#seed=${seedOf(plan, slot)},variant=${slot.repetition}${scale}`;
}

/** A relative path is from the suite's folder. Null for any other model. */
export function scriptFile(model: string): string | null {
  return /^script:(.*)$/.exec(model)?.[1] ?? null;
}

async function keepOutput(files: Host["files"], directory: string, ended: EndedProgram): Promise<EvalsError | null> {
  for (const [name, bytes] of [
    ["events.jsonl", ended.stdout],
    ["stderr.txt", ended.stderr],
  ] as const) {
    const written = await files.write(join(directory, name), bytes);
    if (!written.ok) return written.error;
  }
  return null;
}

const RESULT = z.object({ type: z.literal("result"), outcome: z.string(), text: z.string(), wallMs: z.number() });
type RunResult = z.infer<typeof RESULT>;

/** The last line of the run's events; null where it did not get so far. */
function resultOf(stdout: Uint8Array): RunResult | null {
  const last = Buffer.from(stdout).toString("utf8").trimEnd().split("\n").at(-1) ?? "";
  try {
    return RESULT.safeParse(JSON.parse(last)).data ?? null;
  } catch {
    return null;
  }
}

function endingOf(ended: EndedProgram, result: RunResult | null, { agents }: RunTranscripts): Ending {
  const { exitCode, signal, timedOut } = ended;
  const outcome = timedOut ? null : (result?.outcome ?? null);
  const error = outcome === "model-error" ? (agents[0]?.requests.at(-1)?.error?.code ?? null) : null;
  const said = result === null ? lastLines(ended.stderr) : capLine(result.text, detailChars);
  const detail = timedOut ? "the task's time limit ended it" : outcome === "stopped" ? "" : said;
  return { exitCode, signal, outcome, error, detail, timedOut };
}

function lastLines(stderr: Uint8Array): string {
  const lines = Buffer.from(stderr).toString("utf8").trimEnd().split("\n").slice(-4);
  return capLine(lines.join(" "), detailChars);
}
