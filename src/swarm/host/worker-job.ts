// A worker's job: its own workspace, editing tools and a shell, and a handoff that commits the rest and runs the task's check.

import type { ToolAnswer } from "../../agent/tool.ts";
import { cleanLine } from "../../base/text.ts";
import { editingTools, readOnlyTools } from "../../tools/index.ts";
import { runCheck } from "./checks.ts";
import { converse } from "./conversation.ts";
import type { HostEnvironment } from "./environment.ts";
import { type JobEnd, type RoleSetup, remindersMax } from "./job.ts";
import { keyMaker } from "./keys.ts";
import { commitTool } from "./tools/commit.ts";
import { type HandoffInput, handoffTool } from "./tools/handoff.ts";
import { standingTools } from "./tools/standing.ts";
import { Workbench } from "./workbench.ts";
import { openWorkerTree } from "./worker-tree.ts";
import { toolEnvironment } from "./workspaces.ts";

export async function runWorker(environment: HostEnvironment, setup: RoleSetup): Promise<JobEnd> {
  const { job, signal } = setup;
  const { client } = environment;
  const tree = await openWorkerTree(environment, job);
  if (tree.kind === "lost") return { kind: "abandoned", reason: tree.reason, workspace: tree.workspace };
  const { workspace } = tree;
  const bench = new Workbench({ client, lease: job.lease, workspace, nextKey: keyMaker(job.lease) });
  if (tree.kept) await bench.restore();
  let landed = false;

  const act = async (input: HandoffInput): Promise<ToolAnswer> => {
    const { report } = input;
    const message = input.message.trim() === "" ? cleanLine(report.summary.split("\n")[0] ?? "", 200) : input.message;
    const work = report.status === "done" ? await bench.collect(message, input.outsideScopeReason) : null;
    if (work !== null && !work.ok) return { kind: "error", text: work.error };
    if (report.status === "done" && job.check !== null) {
      client.activity(job.lease.agent, `check: ${cleanLine(job.check, 100)}`);
      const check = await runCheck(environment, {
        agent: job.lease.agent,
        command: job.check,
        directory: workspace.root,
        signal,
      });
      if (check.kind === "cancelled") return { kind: "cancelled", text: "cancelled: the task's check was stopped" };
      if (check.kind === "failed")
        return { kind: "error", text: `the task's check fails, so it is not done: ${job.check}\n${check.output}` };
    }
    const answer = await client.ask({
      kind: "handoff",
      lease: job.lease,
      handoff: report,
      work: work?.value ?? null,
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
  if (landed) await workspace.remove();
  const reported = landed || conversation.paused;
  return { kind: "talked", conversation, reported, workspace: landed ? null : workspace.root };
}
