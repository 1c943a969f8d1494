// One run of the plan: the real program, in a fresh copy of the task's workspace, with a home and a state directory of its own, away from
// the results; then what it left is brought there without keys, and its record and verdict are made of that. The record is written last and
// whole: a run that was cut off has none, and is made again.

import { basename, join, resolve } from "node:path";
import { z } from "zod";
import { err, ok, type Result } from "../base/result.ts";
import { bytesWithoutSecrets, textWithoutSecrets } from "../base/secrets.ts";
import { capLine } from "../base/text.ts";
import type { Files } from "../host/files.ts";
import type { CommandHost, Controls } from "./checks/command.ts";
import { copyTree } from "./copy-tree.ts";
import type { EvalsError } from "./error.ts";
import type { Changed, ResultsGuard } from "./guard.ts";
import { excludedVerdict, judgeRun } from "./judge.ts";
import { keepTree } from "./keep-tree.ts";
import { type Measured, recordOf } from "./measure.ts";
import { type EvalPlan, type Slot, seedOf, slotDirectory, slotName } from "./plan.ts";
import { type EndedProgram, runProgram } from "./program.ts";
import type { Ending, Fault, RunRecord } from "./record.ts";
import { writeRecord, writeVerdict } from "./results.ts";
import { type Condition, checksOf, type Suite, type Task, taskDirectory } from "./suite.ts";
import { type RunTranscripts, readTranscripts } from "./transcript.ts";
import type { Verdict } from "./verdict.ts";

export interface SlotHost extends CommandHost {
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
  /** Where runs are made, absolute: not among the results, and the user's alone. */
  readonly place: string;
  /** Of `skein run`, for every run alike: addresses, budget. */
  readonly flags: readonly string[];
  /** Instead of the plan's model: a solution of the task's own, by its absolute path. */
  readonly solution?: string;
  /** Null for a solution. */
  readonly controls: Controls | null;
  /** Of the results; null where nothing is in them yet. */
  readonly guard: ResultsGuard | null;
  readonly signal: AbortSignal;
}

export type SlotEnd =
  | {
      readonly kind: "done";
      readonly record: RunRecord;
      readonly verdict: Verdict;
      /** What of the results was changed by somebody else while it ran; null for nothing. */
      readonly changed: Changed | null;
    }
  /** The person stopped it: nothing of it is kept. */
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly error: EvalsError };

const outputBytesMax = 256 * 1024 * 1024;
const detailChars = 1_000;
/** `skein run`: nothing was begun. */
const notBegunCode = 2;

export async function runSlot(host: SlotHost, request: SlotRequest): Promise<SlotEnd> {
  const { files } = host;
  const { suite, slot, signal, results, guard } = request;
  const task = suite.tasks.find(({ name }) => name === slot.task);
  const condition = suite.conditions.find(({ name }) => name === slot.condition);
  if (task === undefined || condition === undefined)
    return failed(suite.directory, `the suite has no ${slot.task} in ${slot.condition}`);
  const directory = slotDirectory(results, slot);
  const place: Place = {
    task,
    condition,
    directory,
    work: join(request.place, `${slotName(slot).replaceAll("/", ".")}`),
    original: join(taskDirectory(suite.directory, task.name), "workspace"),
  };
  guard?.open(slot);
  const made = await makePlace(files, request, place);
  const ended = made === null ? await measure(host, request, place) : ({ kind: "failed", error: made } as const);
  await files.remove(place.work);
  if (ended.kind === "done" && !signal.aborted) {
    const written = await writeVerdict(files, directory, ended.verdict);
    const recorded = written.ok ? await writeRecord(files, directory, ended.record) : written;
    if (recorded.ok) await guard?.seal(directory);
    return recorded.ok ? ended : { kind: "failed", error: recorded.error };
  }
  await files.remove(directory);
  guard?.close(slot);
  return signal.aborted ? { kind: "stopped" } : ended;
}

interface Place {
  readonly task: Task;
  readonly condition: Condition;
  /** Among the results. */
  readonly directory: string;
  /** Where it is made. */
  readonly work: string;
  /** What the workspace is a copy of. */
  readonly original: string;
}

async function measure(host: SlotHost, request: SlotRequest, place: Place): Promise<SlotEnd> {
  const { files, clock, secrets } = host;
  const { suite, signal } = request;
  const { task, condition, directory, work, original } = place;
  const flags = flagsOf(request, place);
  const startedAtMs = clock.now();
  const program = await runProgram(host, {
    argv: [...host.program, "run", ...flags, "--", suite.instruction(task.name, condition.name)],
    cwd: join(work, "workspace"),
    env: placeEnv(host.env, work),
    msMax: task.minutesMax * 60_000,
    bytesMax: outputBytesMax,
    signal,
  });
  if (signal.aborted) return { kind: "stopped" };
  if (!program.ok) return failed(directory, program.error);
  const ended = withoutKeys(program.value, secrets);
  if (ended.exitCode === notBegunCode)
    return { kind: "failed", error: { kind: "eval-not-begun", message: lastLines(ended.stderr) } };
  const kept = await keepRun(files, { place, ended, secrets });
  if (!kept.ok) return { kind: "failed", error: kept.error };
  const transcripts = await readTranscripts(files, join(directory, "state"));
  const facts = measured(request, { flags: flagsWithoutKeys(flags, secrets), startedAtMs }, ended, transcripts);
  const record = recordOf({ ...facts, faults: [...facts.faults, ...kept.value], transcripts });
  const verdict = await judgeRun(host, {
    record,
    checks: checksOf(task, condition.name),
    directory,
    workspace: original,
    env: host.commandEnv,
    controls: request.controls,
    scratch: join(work, "check"),
    signal,
  });
  // Last, since a check's command runs what the model wrote.
  const changed = (await request.guard?.changed()) ?? null;
  if (changed === null) return { kind: "done", record, verdict, changed };
  const detail = `while it ran, files of the results were changed: ${changed.paths.join(", ")}`;
  const faults: Fault[] = [...record.faults, { kind: "results", detail: capLine(detail, detailChars) }];
  return { kind: "done", record: { ...record, faults }, verdict: excludedVerdict(verdict, detail), changed };
}

function withoutKeys(ended: EndedProgram, secrets: readonly string[]): EndedProgram {
  const { stdout, stderr } = ended;
  return {
    ...ended,
    stdout: bytesWithoutSecrets(stdout, secrets),
    stderr: bytesWithoutSecrets(stderr, secrets),
  };
}

function flagsWithoutKeys(flags: readonly string[], secrets: readonly string[]): readonly string[] {
  return flags.map((flag) => textWithoutSecrets(flag, secrets));
}

interface Kept {
  readonly place: Place;
  readonly ended: EndedProgram;
  readonly secrets: readonly string[];
}

/** Into the results: the workspace, the transcripts, and what the program said. Faults are what could not be read of it. */
async function keepRun(
  files: Files,
  { place: { directory, work }, ended, secrets }: Kept,
): Promise<Result<readonly Fault[], EvalsError>> {
  const removed = await files.remove(directory);
  if (!removed.ok) return removed;
  const faults: Fault[] = [];
  for (const name of ["workspace", "state"]) {
    const kept = await keepTree(files, { from: join(work, name), to: join(directory, name), secrets });
    if (!kept.ok) return kept;
    faults.push(...kept.value.map((message): Fault => ({ kind: "kept", detail: capLine(message, detailChars) })));
  }
  const error = await keepOutput(files, directory, ended);
  return error === null ? ok(faults) : err(error);
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
async function makePlace(files: Files, request: SlotRequest, { work, original }: Place): Promise<EvalsError | null> {
  const removed = await files.remove(work);
  if (!removed.ok) return removed.error;
  const workspace = join(work, "workspace");
  const copied = await copyTree(files, original, workspace);
  if (!copied.ok) return copied.error;
  // A repository of its own, though an empty one: a search, git and skein then look at nothing above it.
  const repository = join(workspace, ".git");
  const parts = [repository, join(repository, "objects"), join(repository, "refs"), join(repository, "refs", "heads")];
  for (const part of [...parts, ...["home", "state", "tmp", scriptName].map((name) => join(work, name))]) {
    const made = await files.makeDirectory(part);
    if (!made.ok) return made.error;
  }
  const head = await files.write(join(repository, "HEAD"), Buffer.from("ref: refs/heads/main\n"));
  if (!head.ok) return head.error;
  const script = scriptOf(request);
  if (script === null) return null;
  const brought = await files.copy(script, join(work, scriptName, basename(script)));
  if (brought.ok) return null;
  return { kind: "eval-not-begun", message: `the model's script ${script}: ${brought.error.message}` };
}

function placeEnv(env: SlotHost["env"], work: string): Readonly<Record<string, string>> {
  const at = (name: string) => join(work, name);
  return { ...env, HOME: at("home"), SKEIN_STATE_DIR: at("state"), TMPDIR: at("tmp") };
}

function flagsOf(request: SlotRequest, { task, condition }: Place): readonly string[] {
  const { flags, tools } = condition;
  return [
    "--output",
    "stream-json",
    "--model",
    modelOf(request),
    "--tools",
    (tools ?? task.tools).join(","),
    "--child-context",
    task.childContext,
    ...flags,
    ...request.flags,
  ];
}

/** Beside the workspace, by a name from there: a path that is only this machine's is in no record. Each run has its seed and variant. */
function modelOf(request: SlotRequest): string {
  const { plan, slot, solution } = request;
  const script = scriptOf(request);
  if (script === null) return plan.model;
  const name = `script:../${scriptName}/${basename(script)}`;
  if (solution !== undefined) return name;
  const scale = plan.scale === null || plan.scale === 1 ? "" : `,scale=${plan.scale}`;
  return `${name}#seed=${seedOf(plan, slot)},variant=${slot.repetition}${scale}`;
}

/** The file of the script that is played, absolute; null for a real model. */
function scriptOf({ plan, suite, results, solution }: SlotRequest): string | null {
  if (solution !== undefined) return solution;
  const file = scriptFile(plan.model);
  if (file === null) return null;
  return plan.scriptDigest === null ? resolve(suite.directory, file) : join(results, scriptName, basename(file));
}

/** Directory of a script from outside the suite: among the results, and beside a run's workspace. */
export const scriptName = "script";

/** A relative path is from the suite's folder. Null for any other model. */
export function scriptFile(model: string): string | null {
  return /^script:(.*)$/.exec(model)?.[1] ?? null;
}

async function keepOutput(files: Files, directory: string, ended: EndedProgram): Promise<EvalsError | null> {
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
