// Reports of results directories: read, summarized, and written as Markdown, JSON and one HTML page, each whole or not at all. The
// results themselves are never changed.

import { dirname, join, resolve } from "node:path";
import { ok, type Result } from "../base/result.ts";
import type { EvalsError } from "../evals/error.ts";
import { readResults } from "../evals/results.ts";
import { comparisonOf, reportOf } from "../evals/summary/report.ts";
import type { FileError, Files } from "../host/files.ts";
import { htmlReport } from "../report/html/page.ts";
import { markdownReport } from "../report/markdown.ts";
import type { Report } from "../report/report.ts";
import { type WrittenTrajectories, writeTrajectories } from "./eval-trajectories.ts";
import type { Surroundings } from "./surroundings.ts";

/** Absolute paths. */
export interface ReportFiles {
  readonly markdown: string;
  readonly json: string;
  readonly html: string;
}

export interface ShownReport {
  readonly report: Report;
  readonly markdown: string;
  /** Null where nothing was to be written, or could be. */
  readonly files: ReportFiles | null;
  /** Why the report of a directory that could be read is nowhere but here; null where it is written, or was not to be. */
  readonly unwritten: FileError | null;
  readonly trajectories: WrittenTrajectories | null;
}

/** `out` is where the report goes, left out beside the results; paths may be relative to the directory that the program was started in. */
export async function evalReport(
  { host: { files }, cwd }: Surroundings,
  { directory, out }: { readonly directory: string; readonly out: string | undefined },
): Promise<Result<ShownReport, EvalsError>> {
  const results = await readResults(files, resolve(cwd, directory));
  if (!results.ok) return results;
  const place = resolve(cwd, out ?? directory);
  const trajectories = await writeTrajectories(files, results.value, join(place, "trajectories"));
  const report = reportOf(results.value, brokenNotes(trajectories));
  const written = await writeReport(files, { place, name: "report", report });
  if (written.ok) return ok({ report, ...written.value, unwritten: null, trajectories });
  // What was asked where to write it is refused; what would lie beside results that can only be read is still shown.
  if (out !== undefined) return written;
  return ok({ report, markdown: markdownReport(report), files: null, unwritten: written.error, trajectories });
}

const brokenNamedMax = 20;

function brokenNotes({ incomplete, missing }: WrittenTrajectories): readonly string[] {
  const broken = [
    ...missing.map(({ run, reason }) => `${run}: its transcripts cannot be read (${reason})`),
    ...incomplete.map(({ run, reason }) => `${run}: its transcripts are not whole (${reason})`),
  ];
  const more = broken.length - brokenNamedMax;
  return [
    ...broken.slice(0, brokenNamedMax).map((text) => `${text}; its figures are those of record.json, made before.`),
    ...(more > 0 ? [`${more} more runs have transcripts that are missing or not whole.`] : []),
  ];
}

/** What `b` differs in from `a`. Without `out` nothing is written. */
export async function evalComparison(
  { host: { files }, cwd }: Surroundings,
  { a, b, out }: { readonly a: string; readonly b: string; readonly out: string | undefined },
): Promise<Result<ShownReport, EvalsError>> {
  const first = await readResults(files, resolve(cwd, a));
  if (!first.ok) return first;
  const second = await readResults(files, resolve(cwd, b));
  if (!second.ok) return second;
  const report = comparisonOf(first.value, second.value);
  const none = { files: null, unwritten: null, trajectories: null };
  if (out === undefined) return ok({ report, markdown: markdownReport(report), ...none });
  const written = await writeReport(files, { place: resolve(cwd, out), name: "comparison", report });
  return written.ok ? ok({ report, ...written.value, unwritten: null, trajectories: null }) : written;
}

interface ToWrite {
  readonly place: string;
  readonly name: string;
  readonly report: Report;
}

async function writeReport(
  files: Files,
  { place, name, report }: ToWrite,
): Promise<Result<{ readonly markdown: string; readonly files: ReportFiles }, FileError>> {
  const markdown = markdownReport(report);
  const at = (ending: string) => join(place, `${name}.${ending}`);
  const paths: ReportFiles = { markdown: at("md"), json: at("json"), html: at("html") };
  const texts: readonly (readonly [string, string])[] = [
    [paths.markdown, markdown],
    [paths.json, `${JSON.stringify(report, null, 1)}\n`],
    [paths.html, htmlReport(report)],
  ];
  for (const [path, text] of texts) {
    const written = await writeWhole(files, path, text);
    if (!written.ok) return written;
  }
  return ok({ markdown, files: paths });
}

/** A reader finds the old file or the new one, never a part. */
export async function writeWhole(files: Files, path: string, text: string): Promise<Result<void, FileError>> {
  const made = await files.makeDirectory(dirname(path));
  if (!made.ok) return made;
  const fresh = `${path}.new`;
  const written = await files.write(fresh, Buffer.from(text, "utf8"));
  return written.ok ? files.rename(fresh, path) : written;
}
