// Runs one job from assignment to report: whatever happens, the coordinator hears of it, or its lease ends with the host.

import { unreachable } from "../../base/assert.ts";
import { cleanText } from "../../base/text.ts";
import type { Job } from "../../protocol/messages.ts";
import { runArbiter } from "./arbiter-job.ts";
import { CoordinatorLost } from "./client.ts";
import type { Conversation } from "./conversation.ts";
import type { HostEnvironment } from "./environment.ts";
import type { JobEnd, RoleSetup } from "./job.ts";
import { runPlanner } from "./planner-job.ts";
import { runWorker } from "./worker-job.ts";

export async function runJob(environment: HostEnvironment, job: Job, signal: AbortSignal): Promise<void> {
  try {
    const provider = await environment.providers(job.model);
    if (!provider.ok) {
      await reportFailure(environment, job, cleanText(provider.error, 4_000), null);
      return await reportEnd(environment, job, null);
    }
    const setup = { job, provider: provider.value, signal };
    const end = await startRole(environment, setup);
    const reason = end.reported ? null : endingReason(end.conversation);
    if (reason !== null && !signal.aborted) await reportFailure(environment, job, reason, end.workspace);
    await reportEnd(environment, job, end.conversation);
  } catch (error) {
    // Without its coordinator a host can report nothing: the connection's end has ended the leases.
    if (error instanceof CoordinatorLost) return;
    await reportBug(environment, job, error);
  }
}

async function startRole(environment: HostEnvironment, setup: RoleSetup): Promise<JobEnd> {
  const { role } = setup.job;
  switch (role) {
    case "planner":
      return runPlanner(environment, setup);
    case "worker":
      return runWorker(environment, setup);
    case "arbiter":
      return runArbiter(environment, setup);
    default:
      return unreachable(role);
  }
}

/** Null for an ending that its tool has reported: handoff or resolve. */
function endingReason({ ending }: Conversation): string | null {
  switch (ending.kind) {
    case "ended":
      return null;
    case "stopped":
      return `ended its turns without a handoff; its last words: ${cleanText(ending.text, 2_000)}`;
    case "turn-limit":
      return `reached its limit of ${ending.turnsMax} model requests`;
    case "no-progress":
      return ending.reason;
    case "model-error":
      return `the model failed (${ending.error.code}): ${cleanText(ending.error.message, 2_000)}`;
    case "budget":
      return ending.reason;
    case "cancelled":
      return "cancelled";
    case "record-failed":
      return `its transcript could not be written: ${ending.error.message}`;
    case "unreadable":
      return ending.message;
    default:
      return unreachable(ending);
  }
}

async function reportFailure(
  environment: HostEnvironment,
  job: Job,
  reason: string,
  workspace: string | null,
): Promise<void> {
  await environment.client.ask({ kind: "fail", lease: job.lease, reason, workspace });
}

async function reportEnd(environment: HostEnvironment, job: Job, conversation: Conversation | null): Promise<void> {
  const outcome = conversation?.ending.kind ?? "never started";
  const requests = conversation?.requests ?? 0;
  await environment.client.ask({
    kind: "agent_ended",
    lease: job.lease,
    outcome,
    requests,
    transcript: conversation?.transcript ?? null,
  });
}

async function reportBug(environment: HostEnvironment, job: Job, error: unknown): Promise<void> {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  try {
    await reportFailure(environment, job, `internal error of skein: ${cleanText(text, 4_000)}`, null);
    await reportEnd(environment, job, null);
  } catch {
    // An end that cannot be told would leave the lease standing for ever: the host leaves, and all its leases end.
    environment.client.leave();
  }
}
