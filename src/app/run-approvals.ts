// What a lone run's agents may do, from its settings: the rules read, the sandbox opened, and the gate that all of them pass.

import { Approvals } from "../agent/approval/approvals.ts";
import type { Policy } from "../agent/approval/policy.ts";
import type { ApprovalEvent } from "../agent/approval/question.ts";
import type { Rule } from "../agent/approval/rule.ts";
import { err, ok, type Result } from "../base/result.ts";
import { cleanLine } from "../base/text.ts";
import type { ApprovalSettings } from "./approval-settings.ts";
import { originText, type Sourced } from "./origin.ts";
import type { RunHooks } from "./run-hooks.ts";
import { TOOL_NAMES } from "./run-tools.ts";
import type { RunWatcher } from "./run-types.ts";
import type { OpenedSandbox } from "./sandbox.ts";
import type { SettingsError } from "./setting-sources.ts";
import { soloTranscript } from "./solo-facts.ts";
import type { RunDirectories } from "./state-directory.ts";
import type { Surroundings } from "./surroundings.ts";

export async function policyOf(
  { mode, allow, deny }: ApprovalSettings,
  sandbox: OpenedSandbox,
): Promise<Result<Policy, SettingsError>> {
  const allowed = await rulesOf(allow);
  if (!allowed.ok) return allowed;
  const denied = await rulesOf(deny);
  if (!denied.ok) return denied;
  return ok({ mode: mode.value, sandbox: sandbox.kind, allow: allowed.value, deny: denied.value });
}

/** The reader of rules is loaded only where there are some. */
async function rulesOf(texts: readonly Sourced<string>[]): Promise<Result<readonly Rule[], SettingsError>> {
  if (texts.length === 0) return ok([]);
  const { parseRule } = await import("../agent/approval/rule.ts");
  const rules: Rule[] = [];
  for (const { value, origin } of texts) {
    const rule = parseRule(value, TOOL_NAMES);
    if (!rule.ok) return err({ kind: "settings", message: `${originText(origin)}: ${rule.error}` });
    rules.push(rule.value);
  }
  return ok(rules);
}

export interface ApprovalParts {
  readonly policy: Policy;
  readonly person: RunWatcher["person"];
  readonly onEvent: (event: ApprovalEvent) => void;
  readonly hooks: RunHooks | null;
  readonly directories: RunDirectories;
}

export function approvalsOf(
  { host }: Surroundings,
  { policy, person, onEvent, hooks, directories }: ApprovalParts,
): Approvals {
  return new Approvals({
    policy,
    person,
    clock: host.clock,
    onEvent,
    ...(hooks === null
      ? {}
      : {
          instead: ({ root }, { agent, parent, call }, why, signal) => {
            const input = call.arguments.kind === "parsed" ? call.arguments.value : null;
            const question = `${agent} wants to use ${cleanLine(call.name, 60)}: ${cleanLine(why, 200)}`;
            const who = { agent, parent, root, transcript: soloTranscript(directories) };
            return hooks.asking(who, { tool: call.name, input, question }, signal);
          },
        }),
  });
}
