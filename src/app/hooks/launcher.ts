// The launcher on the disk: written before any settings name it, removed when none does any more.

import { join } from "node:path";
import type { Result } from "../../base/result.ts";
import { launcherText } from "../../clients/launcher-text.ts";
import type { FileError } from "../../host/files.ts";
import type { Surroundings } from "../surroundings.ts";
import type { LauncherPlaces } from "./places.ts";

const hookBytesMax = 16 * 1024 * 1024;

/** Brings the launcher, the hook's copy and the Node to ask first up to this installation. */
export async function writeLauncher(
  surroundings: Surroundings,
  places: LauncherPlaces,
): Promise<Result<void, FileError>> {
  const { files } = surroundings.host;
  const made = await files.makeDirectory(places.directory);
  if (!made.ok) return made;
  const hook = hookPath(surroundings);
  const program = await files.read(wholeHookPath(surroundings), hookBytesMax);
  if (!program.ok) return program;
  const text = launcherText({ hook, node: surroundings.nodePath });
  for (const [path, bytes, executable] of [
    [places.copy, program.value, false],
    [places.node, Buffer.from(`${surroundings.nodePath}\n`), false],
    [places.launcher, Buffer.from(text), true],
  ] as const) {
    const put = await putFile(surroundings, path, bytes, executable);
    if (!put.ok) return put;
  }
  return files.remove(places.fault);
}

export async function removeLauncher({ host: { files } }: Surroundings, places: LauncherPlaces): Promise<void> {
  for (const path of [places.launcher, places.copy, places.node, places.fault, places.record]) await files.remove(path);
  const left = await files.list(places.directory, 100);
  // What is not ours keeps the directory.
  if (left.ok && left.value.length === 0) await files.remove(places.directory);
}

/** The hook's program in the installed package. */
export function hookPath({ packageRoot }: Surroundings): string {
  return join(packageRoot, "dist", "hook.cjs");
}

/** The same in one file, without the few lines that keep its compiled form: what a copy is made of. */
function wholeHookPath({ packageRoot }: Surroundings): string {
  return join(packageRoot, "dist", "hook-main.cjs");
}

/** By rename: a hook that runs at this moment has the old one or the new one. */
async function putFile(
  { host: { files, random } }: Surroundings,
  path: string,
  bytes: Uint8Array,
  executable: boolean,
): Promise<Result<void, FileError>> {
  const temporary = `${path}.${random.letters(8)}`;
  const written = await files.write(temporary, bytes, { executable });
  const renamed = written.ok ? await files.rename(temporary, path) : written;
  if (!renamed.ok) await files.remove(temporary);
  return renamed;
}
