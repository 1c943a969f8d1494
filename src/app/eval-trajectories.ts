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
  /** Runs that have none, and those whose transcripts lack something. */
  readonly missing: readonly BrokenRun[];
  readonly incomplete: readonly BrokenRun[];
  /** Why none is written; null for what could be. */
  readonly unwritten: FileError | null;
}

export interface BrokenRun {
  readonly run: string;
  readonly reason: string;
}

/** One a run, `<task>/<condition>/<repetition>.json` below `place`. */
export async function writeTrajectories(
  files: Files,
  { runs }: EvalResults,
  place: string,
): Promise<WrittenTrajectories> {
  const missing: BrokenRun[] = [];
  const incomplete: BrokenRun[] = [];
  let unwritten: FileError | null = null;
  let count = 0;
  for (const run of runs) {
    const name = slotName(run.slot);
    const made = await trajectoryOf(files, run);
    if (!made.ok) {
      missing.push({ run: name, reason: made.error });
      continue;
    }
    if (made.value.lacks.length > 0) incomplete.push({ run: name, reason: made.value.lacks.join("; ") });
    if (unwritten !== null) continue;
    const written = await writeWhole(files, join(place, `${name}.json`), made.value.text);
    if (written.ok) count += 1;
    else unwritten = written.error;
  }
  return { directory: place, count, missing, incomplete, unwritten };
}

interface MadeTrajectory {
  readonly text: string;
  /** What its transcripts lack, in words. */
  readonly lacks: readonly string[];
}

async function trajectoryOf(files: Files, { directory, record }: EvalRun): Promise<Result<MadeTrajectory, string>> {
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
  if (trajectory === null) return err("no first agent's transcript");
  return ok({ text: `${JSON.stringify(trajectory, null, 1)}\n`, lacks: lacksOf(transcripts, record) });
}

/** Against the record, which was made when they were whole. */
function lacksOf(transcripts: readonly Transcript[], { agents }: EvalRun["record"]): readonly string[] {
  const requestsOf = (transcript: Transcript | undefined) =>
    transcript?.lines.filter(({ kind }) => kind === "request").length ?? 0;
  return [
    ...transcripts
      .filter(({ linesUnread }) => linesUnread > 0)
      .map(
        ({ agent, linesUnread }) => `${agent}: ${linesUnread} ${linesUnread === 1 ? "line" : "lines"} cannot be read`,
      ),
    ...agents.flatMap(({ id, requests }) => {
      const own = transcripts.find(({ agent }) => agent === id);
      if (own === undefined) return [`${id} has no transcript`];
      const lost = requests.length - requestsOf(own);
      return lost > 0 ? [`${id}: ${lost} of ${requests.length} requests are missing`] : [];
    }),
  ];
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
