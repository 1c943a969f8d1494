// The overlays of this host, where its process was started in namespaces in which it can mount.

import type { Result } from "../../base/result.ts";
import type { WorkspaceError } from "../../vcs/workspace/errors.ts";
import { Overlays } from "../../vcs/workspace/overlay/overlays.ts";
import { settleOverlay } from "../../vcs/workspace/overlay/settle.ts";
import { workspaceLimits } from "../../vcs/workspace/workspace.ts";
import type { HostEnvironment } from "./environment.ts";
import { currentBoot } from "./worker-tree.ts";

type Parts = Pick<
  HostEnvironment,
  "host" | "directories" | "shellEnvironment" | "overlay" | "bases" | "client" | "cache" | "onNote"
>;

/** Null where workspaces are copies. */
export async function openHostOverlays(parts: Parts): Promise<Overlays | null> {
  const { host, directories, shellEnvironment, overlay, bases, client, cache, onNote } = parts;
  if (overlay === undefined || overlay === null || bases === null) return null;
  return new Overlays({
    files: host.files,
    processes: host.processes,
    path: shellEnvironment.PATH ?? "",
    directory: directories.workspaces,
    bases,
    cache,
    blobs: client,
    manifestAt: (position) => client.manifest(position),
    epoch: await currentBoot(host.files),
    fileBytesMax: workspaceLimits.fileBytesMax,
    onUnavailable: (reason) =>
      onNote?.(`workspaces are copied from now on: an overlay could not be mounted: ${reason}`),
  });
}

/** Makes a workspace one that everybody sees: its path is about to be told, or nothing here can mount it. Plain ones are so already. */
export function settleWorkspace(
  { host, overlays, shellEnvironment }: Pick<HostEnvironment, "host" | "overlays" | "shellEnvironment">,
  directory: string,
): Promise<Result<void, WorkspaceError>> {
  if (overlays !== null) return overlays.settle(directory);
  const { files, processes } = host;
  return settleOverlay({ files, processes, directory, path: shellEnvironment.PATH ?? "" });
}

/** Removes it with all that its agent did. One that could not be unmounted stays, as a host that died would leave it. */
export async function removeTree(
  { host, overlays }: Pick<HostEnvironment, "host" | "overlays">,
  directory: string,
): Promise<void> {
  const released = await overlays?.release(directory);
  if (released?.ok !== false) await host.files.remove(directory);
}
