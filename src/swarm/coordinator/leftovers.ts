// Which workspaces nobody needs: a host that died after the work had landed did not remove them. Whatever else is there is kept.

import { asAgentId } from "../../base/ids.ts";
import { getTask, type SwarmState } from "../state.ts";
import { workspaceName } from "../workspace-name.ts";

const namePattern = /^(a\d+)(-\d+)?(-trial-\d+)?$/;

/** Of these names of directories, those that can be removed. */
export function leftovers(state: SwarmState, names: readonly string[]): readonly string[] {
  return names.filter((name) => isLeftover(state, name));
}

function isLeftover(state: SwarmState, name: string): boolean {
  const [, id, fence] = namePattern.exec(name) ?? [];
  const agent = id === undefined ? undefined : state.agents.get(asAgentId(id));
  if (agent === undefined) return false;
  const { status, lastLease } = getTask(state, agent.task);
  if (agent.role === "worker") {
    // One whose agent was replaced may hold work that is nowhere else.
    const landed = status.kind === "done" || status.kind === "conflicted";
    return fence === undefined && landed && lastLease?.agent === agent.id;
  }
  // What planners and arbiters read is in the store.
  const current = status.kind === "leased" && status.agent === agent.id ? workspaceName(status, agent.role) : null;
  return fence !== undefined && current !== `${id}${fence}`;
}
