// `skein trace`: reads what a run's agents have recorded, of a run that is over as of one at work.

import { join } from "node:path";
import { err, ok, type Result } from "../base/result.ts";
import type { FileError, FileResult } from "../host/files.ts";
import { htmlTrace } from "../report/html/trace-page.ts";
import { type RunTrace, runTrace } from "../report/run-trace.ts";
import { readTranscript } from "../report/transcript.ts";
import { startedChildren } from "./delegation-files.ts";
import { findAnyRun, type NoRun } from "./find-runs.ts";
import type { StateError } from "./state-directory.ts";
import type { Surroundings } from "./surroundings.ts";

const suffix = ".jsonl";
const transcriptsMax = 100_000;
const transcriptBytesMax = 256 * 1024 * 1024;

export interface NothingTraced {
  readonly kind: "nothing-traced";
  readonly run: string;
  readonly directory: string;
}

export async function traceRun(
  surroundings: Surroundings,
  wanted: string,
): Promise<Result<RunTrace, StateError | NoRun | NothingTraced | FileError>> {
  const found = await findAnyRun(surroundings, wanted);
  if (!found.ok) return found;
  const { files } = surroundings.host;
  const { id, directories } = found.value;
  const nothing = { kind: "nothing-traced", run: id, directory: directories.agents } as const;
  const entries = await files.list(directories.agents, transcriptsMax);
  if (!entries.ok) return entries.error.code === "not-found" ? err(nothing) : entries;
  const children = await startedChildren(files, directories.run);
  if (!children.ok) return children;
  const transcripts = [];
  const known = [...children.value];
  for (const { name } of entries.value.filter(({ kind, name }) => kind === "file" && name.endsWith(suffix))) {
    const bytes = await files.read(join(directories.agents, name), transcriptBytesMax);
    if (!bytes.ok) return bytes;
    const transcript = readTranscript(Buffer.from(bytes.value).toString("utf8"));
    if (transcript === null) known.push(name.slice(0, -suffix.length));
    else transcripts.push(transcript);
  }
  return transcripts.length === 0 ? err(nothing) : ok(runTrace(id, transcripts, known));
}

export function writeTrace({ host: { files } }: Surroundings, trace: RunTrace, path: string): FileResult<void> {
  return files.write(path, Buffer.from(htmlTrace(trace)), { private: true });
}
