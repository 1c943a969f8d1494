// A planner's job: read-only tools on a snapshot, decisions and delegation; it gives its place up while its tasks are at work.

import type { ToolAnswer } from "../../agent/tool.ts";
import { readOnlyTools } from "../../tools/index.ts";
import { converse } from "./conversation.ts";
import type { HostEnvironment } from "./environment.ts";
import { type JobEnd, type RoleSetup, remindersMax } from "./job.ts";
import { keyMaker } from "./keys.ts";
import { type HandoffInput, handoffTool } from "./tools/handoff.ts";
import { decideTool, delegateTool } from "./tools/planning.ts";
import { standingTools } from "./tools/standing.ts";
import { openWorkspace, toolEnvironment } from "./workspaces.ts";

export async function runPlanner(environment: HostEnvironment, setup: RoleSetup): Promise<JobEnd> {
  const { job } = setup;
  const { client } = environment;
  const tree = await openWorkspace(environment, job);
  const planning = { client, lease: job.lease, snapshot: job.snapshot, nextKey: keyMaker(job.lease) };
  let suspended = false;

  const act = async ({ report }: HandoffInput): Promise<ToolAnswer> => {
    const answer = await client.ask({
      kind: "handoff",
      lease: job.lease,
      handoff: report,
      work: null,
      workspace: null,
    });
    if (answer.kind === "refused") return { kind: "error", text: answer.reason };
    return { kind: "end", text: answer.note, value: report };
  };

  const onStopped = async (stops: number): Promise<string | null> => {
    const answer = await client.ask({ kind: "suspend", lease: job.lease });
    if (answer.kind === "suspended") suspended = true;
    if (answer.kind !== "go_on") return null;
    return stops > remindersMax ? null : answer.message;
  };

  const conversation = await converse(environment, {
    ...setup,
    tools: [
      ...readOnlyTools(toolEnvironment(environment, job.lease.agent, tree.root)),
      ...standingTools(client, job.lease, [decideTool(planning), delegateTool(planning), handoffTool(act)]),
    ],
    onStopped,
  }).finally(() => tree.remove());
  return { kind: "talked", conversation, reported: suspended || conversation.paused, workspace: null };
}
