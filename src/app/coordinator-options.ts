// The coordinator's limits from a person's settings.

import type { CoordinatorOptions } from "../swarm/coordinator/context.ts";
import { defaultLimits } from "../swarm/defaults.ts";
import type { SwarmRole } from "../swarm/records.ts";
import type { Limits } from "./limit-settings.ts";
import type { RoleModel } from "./role-models.ts";

export function coordinatorOptions(
  limits: Limits,
  roles: readonly RoleModel[],
): Omit<CoordinatorOptions, "socketPath" | "models"> {
  const defaults = defaultLimits({ workers: limits.workers.value, requestsMax: limits.requests.value });
  const outputTokens = (role: SwarmRole): number =>
    roles.find((one) => one.role === role)?.outputTokensMax ?? defaults.outputTokensMax[role];
  return {
    ...defaults,
    split: { ...defaults.split, depthMax: limits.depth.value, tasksMax: limits.tasks.value },
    budgetUsd: limits.budgetUsd?.value ?? null,
    minutesMax: limits.minutes?.value ?? null,
    outputTokensMax: {
      planner: outputTokens("planner"),
      worker: outputTokens("worker"),
      arbiter: outputTokens("arbiter"),
    },
  };
}
