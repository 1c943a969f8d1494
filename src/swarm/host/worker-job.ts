// A worker's job: its own workspace, editing tools and a shell, and a handoff that commits the rest and runs the task's check.

import type { ToolAnswer } from "../../agent/tool.ts";
import { editingTools, readOnlyTools } from "../../tools/index.ts";
import { checkedWork } from "./checked-work.ts";
import { converse } from "./conversation.ts";
import type { HostEnvironment } from "./environment.ts";
import { type JobEnd, type RoleSetup, remindersMax } from "./job.ts";
import { keyMaker } from "./keys.ts";
import { settleWorkspace } from "./overlays.ts";
import { commitTool } from "./tools/commit.ts";
import { type HandoffInput, handoffTool } from "./tools/handoff.ts";
import { standingTools } from "./tools/standing.ts";
import { Workbench } from "./workbench.ts";
import { openWorkerTree } from "./worker-tree.ts";
import { toolEnvironment, workspaceDirectory } from "./workspaces.ts";

export async function runWorker(environment: HostEnvironment, setup: RoleSetup): Promise<JobEnd> {
  const { job } = setup;
  const { client } = environment;
  const tree = await openWorkerTree(environment, job);
  if (tree.kind === "lost") return { kind: "abandoned", reason: tree.reason, workspace: tree.workspace };
  const { workspace } = tree;
  const bench = new Workbench({ client, lease: job.lease, workspace, nextKey: keyMaker(job.lease) });
  if (tree.kept) await bench.restore();
  let landed = false;

  const act = async (input: HandoffInput): Promise<ToolAnswer> => {
    const done = input.report.status === "done" ? await checkedWork(environment, setup, bench, input) : null;
    if (done !== null && !done.ok) return done.error;
    const report = done?.value.report ?? input.report;
    const answer = await client.ask({
      kind: "handoff",
      lease: job.lease,
      handoff: report,
      work: done?.value.work ?? null,
      workspace: report.status === "failed" ? workspace.root : null,
    });
    if (answer.kind === "refused") return { kind: "error", text: `not accepted: ${answer.reason}` };
    landed = report.status === "done";
    return { kind: "end", text: answer.note, value: report };
  };

  const tools = toolEnvironment(environment, job.lease.agent, workspace.root);
  const conversation = await converse(environment, {
    ...setup,
    tools: [
      ...readOnlyTools(tools),
      ...editingTools(tools),
      ...standingTools(client, job.lease, [commitTool(bench), handoffTool(act)]),
    ],
    onStopped: async (stops: number) =>
      stops > remindersMax ? null : "You ended your turn without a call. Go on with your task, or end it with handoff.",
  });
  // Work that has not landed is never thrown away: only a workspace whose task is through is removed.
  const reported = landed || conversation.paused;
  if (landed) await workspace.remove();
  // Its path will be told to the person, who sees none of this host's mounts. What cannot be settled stays as a host's death leaves it.
  else if (!conversation.paused && !setup.signal.aborted)
    await settleWorkspace(environment, workspaceDirectory(environment, job));
  return { kind: "talked", conversation, reported, workspace: landed ? null : workspace.root };
}
