// The directories outside the repository that a run needs: whether they can be used, found before anything is made or announced.

import { dirname, isAbsolute, join } from "node:path";
import { err, ok, type Result } from "../base/result.ts";
import type { Files } from "../host/files.ts";
import { type StateError, stateDirectory } from "./state-directory.ts";
import type { Surroundings } from "./surroundings.ts";

/** Bytes of the longest socket path that every system takes: 104 with the final NUL on macOS and the BSDs. */
const socketPathBytesMax = 103;
/** What a run adds to the temporary directory. */
const socketName = join("skein-xxxxxxxxxxxx", "coordinator");

/** A state directory that is not there yet is made later; what stands in its way is told now. */
export async function checkStateDirectory({ host, env, platform }: Surroundings): Promise<Result<void, StateError>> {
  const state = stateDirectory({ env, platform });
  if (!state.ok) return state;
  const { files } = host;
  const existing = await nearestExisting(files, state.value);
  if ((await kindOf(files, existing)) === "directory") return ok(undefined);
  const what = existing === state.value ? "it" : existing;
  return err({ kind: "no-state-directory", message: `${state.value}: ${what} is not a directory` });
}

/** Where the coordinator's socket goes. */
export async function checkTemporaryDirectory({
  host,
  temporaryDirectory: path,
}: Surroundings): Promise<Result<void, StateError>> {
  const problem = (message: string): Result<never, StateError> =>
    err({ kind: "no-temporary-directory", path, message });
  if (!isAbsolute(path)) return problem("it is not an absolute path");
  const bytes = Buffer.byteLength(join(path, socketName));
  if (bytes > socketPathBytesMax)
    return problem(`a socket in it would have a path of ${bytes} bytes, and ${socketPathBytesMax} are allowed`);
  const kind = await kindOf(host.files, path);
  if (kind === null) return problem("it does not exist");
  return kind === "directory" ? ok(undefined) : problem("it is not a directory");
}

async function nearestExisting(files: Files, path: string): Promise<string> {
  for (let at = path; ; at = dirname(at)) {
    const stat = await files.stat(at);
    // Where a part of the path is no directory, what is below it is not there either.
    if (stat.ok || at === dirname(at)) return at;
  }
}

/** Through symlinks; null where nothing is. */
async function kindOf(files: Files, path: string): Promise<string | null> {
  const real = await files.realPath(path);
  if (!real.ok) return null;
  const stat = await files.stat(real.value);
  return stat.ok ? stat.value.kind : null;
}
