// Going on after an interruption: what a new coordinator records first, and what an agent's host is told of work that has landed.

import type { AgentId, Position, TaskId } from "../../base/ids.ts";
import { ok, type Result } from "../../base/result.ts";
import type { AppendError, NewRecord } from "../../log/log.ts";
import type { Answers, HostAsk } from "../../protocol/messages.ts";
import type { Vcs } from "../../vcs/engine.ts";
import type { Change, LandedCommit } from "../../vcs/types.ts";
import { type RecordData, swarmRecord } from "../records.ts";
import type { SwarmState } from "../state.ts";
import { workspacePath } from "../workspace-name.ts";
import type { Context } from "./context.ts";

/**
 * Ends the leases of the coordinator before, which no host holds any more, and marks the run as going on. `workspaces`: where
 * that coordinator's hosts kept them; null where it is not known.
 */
export function resumeRecords(
  state: SwarmState,
  atMs: number,
  resumed: RecordData<"run_resumed">,
  workspaces: string | null = null,
): readonly NewRecord[] {
  const ended = endedLeases(state, atMs, { reason: "the run was interrupted", workspaces });
  return [...ended, swarmRecord(atMs, "run_resumed", resumed)];
}

/** Of all tasks that are leased, though nobody works on them any more. */
export function endedLeases(
  state: SwarmState,
  atMs: number,
  { reason, workspaces }: { readonly reason: string; readonly workspaces: string | null },
): readonly NewRecord[] {
  return [...state.tasks.values()].flatMap(({ id, kind, status }) =>
    status.kind === "leased"
      ? [
          swarmRecord(atMs, "lease_ended", {
            task: id,
            agent: status.agent,
            fence: status.fence,
            reason,
            workspace: workspacePath(workspaces, kind, status),
            lost: false,
            blame: "host",
            fresh: false,
          }),
        ]
      : [],
  );
}

export async function resumeInfo(
  context: Context,
  { lease, since }: Extract<HostAsk, { kind: "resume_info" }>,
): Promise<Result<Answers["resume_info"], AppendError>> {
  // A commit that was on its way when its host died may be accepted and not durable yet.
  const flushed = await context.ledger.flushed();
  if (!flushed.ok) return flushed;
  return ok({ commits: await commitsOf(context.vcs, lease, since) });
}

interface OwnCommit {
  readonly position: Position;
  readonly changes: readonly Change[];
  readonly held: boolean;
}

/** The agent's landed commits after the snapshot, and all that are kept in open conflicts, in order. */
async function commitsOf(
  vcs: Vcs,
  { agent, task }: { readonly agent: AgentId; readonly task: TaskId },
  since: Position,
): Promise<readonly OwnCommit[]> {
  const own = (author: { readonly agent: AgentId; readonly task: TaskId }): boolean =>
    author.agent === agent && author.task === task;
  const landed: OwnCommit[] = [];
  for await (const commit of vcs.history(since)) {
    if (!own(commit.author) || commit.resolves !== null) continue;
    landed.push({ position: commit.position, changes: proposed(commit), held: false });
  }
  const held = vcs
    .conflicts()
    .filter((conflict) => conflict.state === "open" && own(conflict.author))
    .flatMap((conflict) => conflict.commits.map(({ position, changes }) => ({ position, changes, held: true })));
  return [...landed, ...held].sort((a, b) => a.position - b.position);
}

function proposed({ changes, merged }: LandedCommit): readonly Change[] {
  const before = new Map(merged.map((path) => [path.path, path.proposed]));
  return changes.map((change) => {
    const entry = before.get(change.path);
    return entry === undefined || change.kind === "delete" ? change : { ...change, ...entry };
  });
}
