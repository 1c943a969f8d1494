// The transcripts of each measured run as one ATIF file, so that other tools read them. A run without readable transcripts has none, and
// is named with the reason.

import { join } from "node:path";
import { err, ok, type Result } from "../base/result.ts";
import { slotName } from "../evals/plan.ts";
import type { EvalResults, EvalRun } from "../evals/results.ts";
import type { FileError, Files } from "../host/files.ts";
import { atifTrajectory } from "../report/atif/trajectory.ts";
import { readTranscript, type Transcript } from "../report/transcript.ts";
import { writeWhole } from "./eval-report.ts";

const transcriptBytesMax = 256 * 1024 * 1024;
const entriesMax = 10_000;

export interface WrittenTrajectories {
  /** Absolute. */
  readonly directory: string;
  readonly count: number;
  readonly missing: readonly { readonly run: string; readonly reason: string }[];
}

/** One a run, `<task>/<condition>/<repetition>.json` below `place`. Fails only where nothing can be written. */
export async function writeTrajectories(
  files: Files,
  { runs }: EvalResults,
  place: string,
): Promise<Result<WrittenTrajectories, FileError>> {
  const missing: { run: string; reason: string }[] = [];
  for (const run of runs) {
    const name = slotName(run.slot);
    const text = await trajectoryOf(files, run);
    if (!text.ok) missing.push({ run: name, reason: text.error });
    else {
      const written = await writeWhole(files, join(place, `${name}.json`), text.value);
      if (!written.ok) return written;
    }
  }
  return ok({ directory: place, count: runs.length - missing.length, missing });
}

async function trajectoryOf(files: Files, { directory, record }: EvalRun): Promise<Result<string, string>> {
  const found = await newestRun(files, join(directory, "state", "runs"));
  if (found === null) return err("no run was recorded");
  const agents = join(found.path, "agents");
  const entries = await files.list(agents, entriesMax);
  if (!entries.ok) return err(entries.error.message);
  const transcripts: Transcript[] = [];
  for (const { name } of entries.value.filter(({ kind, name }) => kind === "file" && name.endsWith(".jsonl"))) {
    const bytes = await files.read(join(agents, name), transcriptBytesMax);
    if (!bytes.ok) return err(`${name}: ${bytes.error.message}`);
    const transcript = readTranscript(Buffer.from(bytes.value).toString("utf8"));
    if (transcript === null) return err(`${name} does not say whose transcript it is`);
    transcripts.push(transcript);
  }
  const trajectory = atifTrajectory({ sessionId: found.name, skeinVersion: record.skeinVersion, transcripts });
  return trajectory === null ? err("no first agent's transcript") : ok(`${JSON.stringify(trajectory, null, 1)}\n`);
}

/** Run ids begin with their time: the last by name is the newest. */
async function newestRun(files: Files, runs: string): Promise<{ readonly name: string; readonly path: string } | null> {
  const repositories = await files.list(runs, entriesMax);
  if (!repositories.ok) return null;
  const found: { name: string; path: string }[] = [];
  for (const repository of repositories.value.filter(({ kind }) => kind === "directory")) {
    const listed = await files.list(join(runs, repository.name), entriesMax);
    for (const { name, kind } of listed.ok ? listed.value : [])
      if (kind === "directory") found.push({ name, path: join(runs, repository.name, name) });
  }
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1)).at(-1) ?? null;
}
