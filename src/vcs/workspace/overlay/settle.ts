// Makes an overlay's workspace whole: its union, copied together, takes the place where only the host that mounted it saw it. So the work
// of a host that is gone can be read, and goes on without layers. Invariant: nothing of the upper layer is removed before the copy stands.

import { basename, dirname, join } from "node:path";
import { err, ok, type Result } from "../../../base/result.ts";
import { cleanLine } from "../../../base/text.ts";
import type { Files } from "../../../host/files.ts";
import type { Processes } from "../../../host/processes.ts";
import type { WorkspaceError } from "../errors.ts";
import { clearWork, overlayOptions } from "./mounter.ts";
import { atName, loadOverlay, saveOverlay, upperName, workName } from "./overlay-state.ts";

export interface SettleOptions {
  readonly files: Files;
  readonly processes: Processes;
  /** The workspace's, beside its layers. No process may work in it. */
  readonly directory: string;
  readonly path: string;
}

/**
 * Runs a command in a mount namespace of its own: as root in one of the machine's, else as root of a user namespace in which the
 * user is root. Its mounts vanish with it.
 */
export const inOwnMounts = `
if unshare --mount --propagation private true 2>/dev/null
then exec unshare --mount --propagation private -- "$@"
else exec unshare --user --map-root-user --mount --propagation private -- "$@"
fi`;

const viewName = "view";
const wholeName = "whole";
const copyTogether = `mount -t overlay -o "$1" overlay "$2/${viewName}" && cp -a --reflink=auto "$2/${viewName}/." "$2/${wholeName}/"`;
const saidBytesMax = 4_096;

/** Does nothing to a plain directory, or one that is whole already. */
export async function settleOverlay(options: SettleOptions): Promise<Result<void, WorkspaceError>> {
  const { files, directory } = options;
  const state = await loadOverlay(files, directory);
  if (!state.ok) return state;
  if (state.value === null || state.value.whole) return ok(undefined);
  const copied = await copyUnion(options, state.value.layers);
  if (!copied.ok) return copied;
  // The place is empty where nothing is mounted, unless a settling was cut off between the next two steps.
  const cleared = await files.remove(join(directory, atName));
  if (!cleared.ok) return cleared;
  const placed = await files.rename(join(directory, wholeName), join(directory, atName));
  if (!placed.ok) return placed;
  const saved = await saveOverlay(files, directory, { ...state.value, whole: true });
  if (!saved.ok) return saved;
  for (const name of [upperName, workName, viewName]) await files.remove(join(directory, name));
  return ok(undefined);
}

async function copyUnion(
  { files, processes, directory, path }: SettleOptions,
  layers: readonly string[],
): Promise<Result<void, WorkspaceError>> {
  const cleared = await clearWork(files, directory);
  if (!cleared.ok) return cleared;
  for (const name of [viewName, wholeName]) {
    const removed = await files.remove(join(directory, name));
    const made = removed.ok ? await files.claimDirectory(join(directory, name)) : removed;
    if (!made.ok) return made;
  }
  const name = basename(directory);
  const command = ["sh", "-c", copyTogether, "sh", overlayOptions(name, layers, false), name];
  const spawned = await processes.spawn({
    argv: ["sh", "-c", inOwnMounts, "sh", ...command],
    cwd: dirname(directory),
    env: { PATH: path, LC_ALL: "C" },
  });
  if (!spawned.ok) return err({ kind: "mount", message: spawned.error.message });
  spawned.value.endInput();
  const { stdout, stderr, exit } = spawned.value;
  const [said, , ended] = await Promise.all([startOf(stderr), startOf(stdout), exit]);
  if (ended.kind === "code" && ended.code === 0) return ok(undefined);
  const message = `the layers of ${directory} cannot be copied together: ${cleanLine(said, 1_000)}`;
  return err({ kind: "mount", message });
}

async function startOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream) {
    if (text.length < saidBytesMax) text += Buffer.from(chunk).toString("utf8");
  }
  return text.trim();
}
