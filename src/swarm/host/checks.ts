// A task's check: a shell command in a workspace, run by the host itself and not by the agent that is judged.
// Each workspace has its own directory, so builds do not share one; only so many checks run at a time.

import { loneCall } from "../../agent/tool.ts";
import { type AgentId, asCallId } from "../../base/ids.ts";
import { bashTool } from "../../tools/bash.ts";
import type { HostEnvironment } from "./environment.ts";
import { toolEnvironment } from "./workspaces.ts";

export interface CheckRequest {
  readonly agent: AgentId;
  readonly command: string;
  readonly directory: string;
  readonly signal: AbortSignal;
}

export type CheckResult =
  | { readonly kind: "passed" }
  /** `output`: what the command printed, capped; the full text is on disk. */
  | { readonly kind: "failed"; readonly output: string }
  /** It could not be started: the machine lacks something, and nothing is said of the work. */
  | { readonly kind: "unable"; readonly output: string }
  /** Stopped by the signal: it says nothing of the work. */
  | { readonly kind: "cancelled" };

export async function runCheck(
  environment: HostEnvironment,
  { agent, command, directory, signal }: CheckRequest,
): Promise<CheckResult> {
  const bash = bashTool(toolEnvironment(environment, agent, directory));
  const answer = await environment.checks.through(() =>
    bash.run({ command, timeout_ms: environment.checkMsMax }, loneCall({ agent, callId: asCallId("check"), signal })),
  );
  if (answer.kind === "text") return { kind: "passed" };
  if (answer.kind === "fault") return { kind: "unable", output: answer.text };
  return answer.kind === "cancelled" ? { kind: "cancelled" } : { kind: "failed", output: answer.text };
}
