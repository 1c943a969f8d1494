// What a lease's workspace is called, for the host that makes it and the coordinator that names it when the host is gone.

import type { Lease } from "../protocol/messages.ts";

/** The git objects that all workspaces of a run borrow from, beside them. */
export const basesName = "git-bases";

/** One directory a lease: a woken planner's or a second attempt's never meets an old one. */
export function workspaceName({ agent, fence }: Pick<Lease, "agent" | "fence">): string {
  return `${agent}-${fence}`;
}
