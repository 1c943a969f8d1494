// `coordinator.json` in a run's directory: who coordinates it now, and where. There from when the coordinator listens to its end;
// one that a crash left is told by its socket, which nobody answers.

import { join } from "node:path";
import { natural, object, type Parsed, parse, text } from "../base/parse.ts";
import type { FileResult, Files } from "../host/files.ts";
import type { RunDirectories } from "./state-directory.ts";

const file = object({ pid: natural(), socket: text(4_096) });

export type CoordinatorFile = Parsed<typeof file>;

const fileBytesMax = 64 * 1024;

export async function writeCoordinatorFile(
  files: Files,
  { run }: RunDirectories,
  content: CoordinatorFile,
): FileResult<void> {
  const fresh = join(run, "coordinator.json.new");
  const written = await files.write(fresh, Buffer.from(`${JSON.stringify(content)}\n`), { private: true });
  return written.ok ? files.rename(fresh, pathOf(run)) : written;
}

/** Null where there is none, or none that can be read. */
export async function readCoordinatorFile(files: Files, { run }: RunDirectories): Promise<CoordinatorFile | null> {
  const bytes = await files.read(pathOf(run), fileBytesMax);
  if (!bytes.ok) return null;
  try {
    const parsed = parse(file, JSON.parse(new TextDecoder().decode(bytes.value)), "coordinator.json");
    return parsed.ok ? parsed.value : null;
  } catch {
    return null;
  }
}

export async function removeCoordinatorFile(files: Files, { run }: RunDirectories): Promise<void> {
  await files.remove(pathOf(run));
}

function pathOf(run: string): string {
  return join(run, "coordinator.json");
}
