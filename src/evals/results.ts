// A results directory as whoever judges or reports it sees it: the plan, and what there is of each run. A run without a whole record is
// not there yet; one whose record cannot be read is told, never passed over.

import { join } from "node:path";
import { err, ok, type Result } from "../base/result.ts";
import type { FileError, Files } from "../host/files.ts";
import type { EvalsError } from "./error.ts";
import { type EvalPlan, parsePlan, type Slot, slotDirectory } from "./plan.ts";
import { parseRecord, type RunRecord } from "./record.ts";
import { parseVerdict, type Verdict } from "./verdict.ts";

export const jsonBytesMax = 64 * 1024 * 1024;
export const planName = "plan.json";
export const recordName = "record.json";
const verdictName = "verdict.json";

export interface EvalRun {
  readonly slot: Slot;
  readonly directory: string;
  readonly record: RunRecord;
  /** Null where it was not judged. */
  readonly verdict: Verdict | null;
}

export interface EvalResults {
  readonly directory: string;
  readonly plan: EvalPlan;
  /** In the plan's order. */
  readonly runs: readonly EvalRun[];
  /** Of the plan, those without a record yet. */
  readonly missing: readonly Slot[];
  readonly damaged: readonly { readonly slot: Slot; readonly message: string }[];
}

export async function readResults(files: Files, directory: string): Promise<Result<EvalResults, EvalsError>> {
  const plan = await readPlan(files, directory);
  if (!plan.ok) return plan;
  if (plan.value === null)
    return err({ kind: "eval-results", path: directory, message: `it has no ${planName}: nothing was measured there` });
  const runs: EvalRun[] = [];
  const missing: Slot[] = [];
  const damaged: { slot: Slot; message: string }[] = [];
  for (const slot of plan.value.order) {
    const own = slotDirectory(directory, slot);
    const record = await readRecord(files, own);
    if (!record.ok) damaged.push({ slot, message: record.error });
    else if (record.value === null) missing.push(slot);
    else {
      const verdict = await readVerdict(files, own);
      if (!verdict.ok) damaged.push({ slot, message: verdict.error });
      runs.push({ slot, directory: own, record: record.value, verdict: verdict.ok ? verdict.value : null });
    }
  }
  return ok({ directory, plan: plan.value, runs, missing, damaged });
}

/** Null where there is none. */
export async function readPlan(files: Files, directory: string): Promise<Result<EvalPlan | null, EvalsError>> {
  const path = join(directory, planName);
  const read = await readJson(files, path, parsePlan);
  return read.ok ? read : err({ kind: "eval-results", path, message: read.error });
}

/** Null where there is none. */
export function readRecord(files: Files, run: string): Promise<Result<RunRecord | null, string>> {
  return readJson(files, join(run, recordName), parseRecord);
}

export function readVerdict(files: Files, run: string): Promise<Result<Verdict | null, string>> {
  return readJson(files, join(run, verdictName), parseVerdict);
}

export function writePlan(files: Files, directory: string, plan: EvalPlan): Promise<Result<void, FileError>> {
  return writeJson(files, join(directory, planName), plan);
}

export function writeRecord(files: Files, run: string, record: RunRecord): Promise<Result<void, FileError>> {
  return writeJson(files, join(run, recordName), record);
}

export function writeVerdict(files: Files, run: string, verdict: Verdict): Promise<Result<void, FileError>> {
  return writeJson(files, join(run, verdictName), verdict);
}

/** There whole or not at all, whatever ends the process. */
async function writeJson(files: Files, path: string, value: unknown): Promise<Result<void, FileError>> {
  const fresh = `${path}.new`;
  const written = await files.write(fresh, Buffer.from(`${JSON.stringify(value, null, 1)}\n`));
  return written.ok ? files.rename(fresh, path) : written;
}

async function readJson<T>(
  files: Files,
  path: string,
  parse: (value: unknown) => Result<T, string>,
): Promise<Result<T | null, string>> {
  const bytes = await files.read(path, jsonBytesMax);
  if (!bytes.ok) return bytes.error.code === "not-found" ? ok(null) : err(`${path}: ${bytes.error.message}`);
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes.value).toString("utf8"));
  } catch {
    return err(`${path} is not JSON`);
  }
  const parsed = parse(value);
  return parsed.ok ? parsed : err(`${path}: ${parsed.error}`);
}
