// What an agent's workspace is called, for the host that makes it and the coordinator that names it when the host is gone.

import { join } from "node:path";
import type { Lease } from "../protocol/messages.ts";
import type { SwarmRole, TaskKind } from "./records.ts";

/** The git objects that all workspaces of a run borrow from, beside them. */
export const basesName = "git-bases";

/** A worker's outlives its leases: its conversation goes on in it. Others are made anew for each. */
export function workspaceName({ agent, fence }: Pick<Lease, "agent" | "fence">, role: SwarmRole): string {
  return role === "worker" ? agent : `${agent}-${fence}`;
}

/** Where work of the lease that has not landed is kept; null where there is none, or the directory is not known. */
export function workspacePath(
  workspaces: string | null,
  kind: TaskKind,
  lease: Pick<Lease, "agent" | "fence">,
): string | null {
  return kind !== "work" || workspaces === null ? null : join(workspaces, workspaceName(lease, "worker"));
}
