// Mounts overlays in the namespaces of this process, with the system's own `mount`: Node has no call for it. All paths are given
// relative to the directory of the workspaces, whose names are ours, so that none needs quoting in mount's options.

import { join } from "node:path";
import { err, ok, type Result } from "../../../base/result.ts";
import { cleanLine } from "../../../base/text.ts";
import type { Files } from "../../../host/files.ts";
import type { Processes } from "../../../host/processes.ts";
import type { WorkspaceError } from "../errors.ts";
import { atName, upperName, workName } from "./overlay-state.ts";

export interface MounterOptions {
  readonly files: Files;
  readonly processes: Processes;
  /** Holds the workspaces and the layers. */
  readonly directory: string;
  /** The PATH in which `mount` is looked up. */
  readonly path: string;
}

export interface Mounter {
  /** Shows the workspace's union at `<name>/at`, over an upper layer that may hold work already. */
  mount(name: string, layers: readonly string[]): Promise<Result<void, WorkspaceError>>;
  /** Also one that a process still looks into: it then vanishes with that process. */
  unmount(name: string): Promise<Result<void, WorkspaceError>>;
}

const messageBytesMax = 4_096;

/**
 * `userxattr`: marks that a plain user may set, also in namespaces of its own. `volatile`: unmounting does not flush the whole
 * file system; a copy is not flushed either, and after a power loss no workspace is trusted.
 * https://docs.kernel.org/filesystems/overlayfs.html
 */
export function overlayOptions(name: string, layers: readonly string[], isVolatile: boolean): string {
  const parts = [`lowerdir=${layers.join(":")}`, `upperdir=${name}/${upperName}`, `workdir=${name}/${workName}`];
  return [...parts, "userxattr", ...(isVolatile ? ["volatile"] : [])].join(",");
}

export function openMounter({ files, processes, directory, path }: MounterOptions): Mounter {
  let isVolatile = true;
  return {
    async mount(name, layers) {
      const cleared = await clearWork(files, join(directory, name));
      if (!cleared.ok) return cleared;
      const mounted = await run(mountArguments(name, layers, isVolatile));
      if (mounted.ok || !isVolatile) return mounted;
      // Kernels before 5.10 do not know the word.
      const again = await run(mountArguments(name, layers, false));
      if (again.ok) isVolatile = false;
      return again;
    },
    async unmount(name) {
      const at = `${name}/${atName}`;
      const unmounted = await run(["umount", at]);
      return unmounted.ok ? unmounted : run(["umount", "--lazy", at]);
    },
  };

  async function run(argv: readonly [string, ...string[]]): Promise<Result<void, WorkspaceError>> {
    const spawned = await processes.spawn({ argv, cwd: directory, env: { PATH: path, LC_ALL: "C" } });
    if (!spawned.ok) return err({ kind: "mount", message: spawned.error.message });
    const child = spawned.value;
    child.endInput();
    const [said, , exit] = await Promise.all([startOf(child.stderr), startOf(child.stdout), child.exit]);
    if (exit.kind === "code" && exit.code === 0) return ok(undefined);
    return err({ kind: "mount", message: cleanLine(`${argv[0]}: ${said}`, 1_000) });
  }
}

/** The kernel takes only an empty one after a `volatile` mount that was not ended. */
export async function clearWork(files: Files, directory: string): Promise<Result<void, WorkspaceError>> {
  const work = join(directory, workName);
  const removed = await files.remove(work);
  return removed.ok ? files.claimDirectory(work) : removed;
}

function mountArguments(name: string, layers: readonly string[], isVolatile: boolean): readonly [string, ...string[]] {
  const options = overlayOptions(name, layers, isVolatile);
  return ["mount", "-t", "overlay", "-o", options, "overlay", `${name}/${atName}`];
}

async function startOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream) {
    if (text.length < messageBytesMax) text += Buffer.from(chunk).toString("utf8");
  }
  return text.trim();
}
