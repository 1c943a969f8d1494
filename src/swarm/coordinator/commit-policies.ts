// What a commit of a swarm must pass besides the standard policies: its lease, and the scope of its task.

import type { Policy } from "../../vcs/policies/policy.ts";
import { taskScope } from "../../vcs/policies/scope.ts";
import type { SwarmState } from "../state.ts";
import type { LeaseGuards } from "./context.ts";

export function commitPolicies(state: SwarmState, guards: LeaseGuards): readonly Policy[] {
  const scope = taskScope({
    // A planner's scope bounds what it delegates; the pages of its decisions stand outside.
    scopeOf({ task }) {
      const known = state.tasks.get(task);
      return known?.kind === "work" ? known.scope : [];
    },
    howToGiveReason: "say in outside_scope_reason why they are needed",
  });
  return [guards, scope];
}
