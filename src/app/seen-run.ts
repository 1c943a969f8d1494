// Lets other sessions see what a run of ours waits for and when its history was made shorter, and tells its agent then who else is here:
// the block that other agents get through their hooks.

import type { ApprovalEvent } from "../agent/approval/question.ts";
import type { AgentEvent, AgentPorts } from "../agent/spec.ts";
import type { OwnSession } from "./own-session.ts";

export function seenCompaction(
  own: OwnSession,
  onEvent: (event: AgentEvent) => void,
): Required<Pick<AgentPorts, "onEvent" | "compacted">> {
  return {
    onEvent: (event) => {
      if (event.kind === "compaction-started") void own.note({ kind: "compacting" });
      onEvent(event);
    },
    compacted: async () => (await own.note({ kind: "session-started", source: "compact" })) ?? "",
  };
}

/** Several questions may be open: it waits until the last is answered. */
export function seenApprovals(
  own: OwnSession,
  onApproval: (event: ApprovalEvent) => void,
): (event: ApprovalEvent) => void {
  const open = new Set<number>();
  return (event) => {
    const { number, tool } = event.question;
    if (event.kind === "waiting") open.add(number);
    else open.delete(number);
    if (event.kind === "waiting") void own.note({ kind: "waiting", reason: `permission: ${tool}` });
    else if (open.size === 0) void own.note({ kind: "seen" });
    onApproval(event);
  };
}
