// What a lone run needs before anything is made or asked: its directory, settings, model and limits. All that can be wrong with them is
// found here.

import type { Policy } from "../agent/approval/policy.ts";
import { DELEGATION_LIMITS, type DelegationLimits } from "../agent/delegation-limits.ts";
import { AGENT_LIMITS, type AgentLimits } from "../agent/spec.ts";
import { err, ok, type Result } from "../base/result.ts";
import { loadSettings } from "./load-settings.ts";
import { loadAhead } from "./models.ts";
import { repositoryTop } from "./repository-top.ts";
import { requestsPerMinuteProblem } from "./requests-per-minute.ts";
import { planRoles, type RoleModel } from "./role-models.ts";
import { policyOf } from "./run-approvals.ts";
import { type RunContext, readContext } from "./run-context.ts";
import { TOOL_NAMES } from "./run-tools.ts";
import type { LoneLimits, RunError, RunLimits, RunOptions } from "./run-types.ts";
import { type OpenedSandbox, openSandbox } from "./sandbox.ts";
import type { Settings } from "./settings.ts";
import type { Surroundings } from "./surroundings.ts";

export interface Prepared extends RunOptions {
  /** Where the agent works, without symlinks. */
  readonly root: string;
  /** Top of its repository; the same directory outside one. */
  readonly top: string;
  readonly context: RunContext;
  readonly role: RoleModel;
  /** Of children. */
  readonly child: RoleModel;
  readonly settings: Settings;
  readonly sandbox: OpenedSandbox;
  readonly policy: Policy;
  readonly runLimits: RunLimits;
  readonly agentLimits: AgentLimits;
  readonly delegation: DelegationLimits;
}

export interface PrepareRequest extends RunOptions {
  readonly directory: string;
}

const turnsMaxDefault = 100;
/** Of the window, what one answer may have at the most. */
const outputShareMax = 0.25;

export async function prepareRun(
  surroundings: Surroundings,
  { directory, flags, limits }: PrepareRequest,
): Promise<Result<Prepared, RunError>> {
  const wrong = wrongLimit(limits);
  if (wrong !== null) return err({ kind: "settings", message: wrong });
  const { files } = surroundings.host;
  const root = await files.realPath(directory);
  if (!root.ok) return root;
  // Not every directory is in a repository: then only the directory's own file counts.
  const repositoryRoot = await repositoryTop(files, root.value);
  const where = { directory: root.value, repositoryRoot, configFiles: true };
  const loaded = await loadSettings(surroundings, { flags, roles: ["solo", "child"], ...where });
  if (!loaded.ok) return loaded;
  const problem = requestsPerMinuteProblem(flags.requestsPerMinute);
  if (problem !== null) return err(problem);
  const { settings } = loaded.value;
  // The sandbox is tried by another process: meanwhile this one plans and loads what the first request needs.
  const around = Promise.all([
    readContext(surroundings, settings, { directory: root.value, top: repositoryRoot }),
    openSandbox(surroundings, settings.sandbox, root.value),
  ]);
  const roles = await planRoles(surroundings, loaded.value, ["solo", "child"]);
  if (!roles.ok) return roles.error.kind === "no-model" ? err({ kind: "no-model", roles: [] }) : roles;
  const [role, child] = roles.value;
  if (role === undefined || child === undefined) return err({ kind: "no-model", roles: [] });
  await loadAhead(role.model);
  const [context, sandbox] = await around;
  const policy = await policyOf(settings.approval, sandbox);
  if (!policy.ok) return policy;
  const place = { root: root.value, top: repositoryRoot ?? root.value, context, sandbox, policy: policy.value };
  return ok({ ...place, role, child, settings, flags, limits, ...limitsOf(limits, settings, role) });
}

function limitsOf(
  limits: LoneLimits,
  settings: Settings,
  role: RoleModel,
): Pick<Prepared, "runLimits" | "agentLimits" | "delegation"> {
  const contextTokens = limits.contextTokens ?? role.contextTokens;
  const turnsMax = Math.min(limits.turnsMax ?? turnsMaxDefault, settings.limits.requests.value);
  const output = role.outputTokensMax ?? AGENT_LIMITS.outputTokensMax;
  const outputTokensMax =
    contextTokens === null ? output : Math.max(1, Math.min(output, Math.floor(contextTokens * outputShareMax)));
  const callsAtOnceMax = limits.parallel ?? AGENT_LIMITS.callsAtOnceMax;
  const delegation = delegationOf(limits, callsAtOnceMax);
  const { childrenAtOnceMax, childrenMax, depthMax } = delegation;
  return {
    runLimits: { turnsMax, callsAtOnceMax, childrenAtOnceMax, childrenMax, depthMax, contextTokens },
    delegation,
    agentLimits: { ...AGENT_LIMITS, turnsMax, outputTokensMax, callsAtOnceMax, contextTokens },
  };
}

/** `--parallel` bounds what runs at once, children included. */
function delegationOf(limits: LoneLimits, callsAtOnceMax: number): DelegationLimits {
  const { childrenAtOnceMax, childrenMax, depthMax, childMsMax, childTurnsMax, childUsdMax } = DELEGATION_LIMITS;
  const atOnce = limits.childrenAtOnce ?? childrenAtOnceMax;
  return {
    ...DELEGATION_LIMITS,
    childrenAtOnceMax: limits.parallel === undefined ? atOnce : Math.min(atOnce, callsAtOnceMax),
    childrenMax: limits.childrenMax ?? childrenMax,
    depthMax: limits.depthMax ?? depthMax,
    childMsMax: limits.childMinutes === undefined ? childMsMax : limits.childMinutes * 60_000,
    childTurnsMax: limits.childTurnsMax ?? childTurnsMax,
    childUsdMax: limits.childBudgetUsd ?? childUsdMax,
    start: limits.stagger === true ? "after-first-answer" : "together",
  };
}

const wholeLimits = [
  ["--max-turns", "turnsMax", 1, 1_000_000],
  ["--parallel", "parallel", 1, 1_000],
  ["--children", "childrenAtOnce", 1, 1_000],
  ["--max-children", "childrenMax", 0, 100_000],
  ["--depth", "depthMax", 0, 10],
  ["--child-turns", "childTurnsMax", 1, 1_000_000],
  // A smaller window holds no system prompt, tools and answer.
  ["--context-tokens", "contextTokens", 4_000, 100_000_000],
] as const;

/** What is wrong with the limits that were typed, in words; null for nothing. */
function wrongLimit(limits: LoneLimits): string | null {
  for (const [flag, name, min, max] of wholeLimits) {
    const value = limits[name];
    if (value === undefined) continue;
    if (!Number.isInteger(value) || value < min || value > max)
      return `${flag} ${value}: a whole number from ${min} to ${max} is needed`;
  }
  for (const name of limits.tools ?? [])
    if (!TOOL_NAMES.some((known) => known === name)) return `--tools ${name}: the tools are ${TOOL_NAMES.join(", ")}`;
  if (limits.tools?.length === 0) return "--tools: at least one tool is needed";
  for (const [flag, value] of [
    ["--child-minutes", limits.childMinutes],
    ["--child-budget", limits.childBudgetUsd],
  ] as const)
    if (value !== undefined && !(value > 0)) return `${flag} ${value}: a number above 0 is needed`;
  return null;
}
