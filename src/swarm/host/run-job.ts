// Runs one job from assignment to report: whatever happens, the coordinator hears of it, or its lease ends with the host.

import { unreachable } from "../../base/assert.ts";
import { cleanText } from "../../base/text.ts";
import type { Files } from "../../host/files.ts";
import type { Host } from "../../host/host.ts";
import { modelFailure } from "../../model/failure.ts";
import type { Job } from "../../protocol/messages.ts";
import { lockAgent } from "./agent-lock.ts";
import { runArbiter } from "./arbiter-job.ts";
import { Billing } from "./billing.ts";
import { CoordinatorLost } from "./client.ts";
import type { Conversation } from "./conversation.ts";
import { DiskWatch, diskRefusalIn } from "./disk-watch.ts";
import type { HostEnvironment } from "./environment.ts";
import { refusedBy } from "./interruption.ts";
import type { JobEnd, RoleSetup } from "./job.ts";
import { runPlanner } from "./planner-job.ts";
import { runWorker } from "./worker-job.ts";
import { removeOldTrees, workspaceDirectory } from "./workspaces.ts";

export async function runJob(host: HostEnvironment, job: Job, signal: AbortSignal): Promise<void> {
  const disk = new DiskWatch(host.host.files);
  const environment = { ...host, host: withFiles(host.host, disk.files) };
  try {
    const lock = await lockAgent(environment, job.lease.agent, signal);
    // Given up before the coordinator hears that the agent has ended: it may then lease it to another host.
    const conversation =
      lock === null
        ? await reportHeld(environment, job, signal)
        : await work(environment, { job, disk, signal }).finally(() => lock.release());
    await reportEnd(environment, job, conversation);
  } catch (error) {
    // Without its coordinator a host can report nothing: the connection's end has ended the leases.
    if (error instanceof CoordinatorLost) return;
    const text = error instanceof Error ? error.message : String(error);
    const refusal = disk.refusal ?? diskRefusalIn(text);
    await (refusal === null ? reportBug(environment, job, error) : reportRefused(environment, job, refusal));
  }
}

function withFiles({ locks, processes, net, clock, random }: Host, files: Files): Host {
  return { files, locks, processes, net, clock, random };
}

async function work(
  environment: HostEnvironment,
  { job, disk, signal }: Pick<RoleSetup, "job" | "disk" | "signal">,
): Promise<Conversation | null> {
  const bill = new Billing(environment.client, job);
  const { hold } = environment;
  const provider = await environment.providers(job.model, { mayRetry: (failed) => bill.mayRetry(failed), hold });
  if (!provider.ok) {
    await reportFailure(environment, job, cleanText(provider.error, 4_000), null);
    return null;
  }
  await removeOldTrees(environment, job);
  const end = await startRole(environment, { job, provider: provider.value, bill, disk, signal });
  if (end.kind === "abandoned" && disk.refusal !== null) {
    // Nothing is wrong with what is there: it could not be brought up to date.
    await pause(environment, job, disk.refusal);
    return null;
  }
  if (end.kind === "abandoned") {
    await abandon(environment, job, end);
    return null;
  }
  const { conversation, reported, workspace } = end;
  const { ending } = conversation;
  if (ending.kind === "unreadable" && !reported && job.resume !== "new") {
    await abandon(environment, job, { reason: ending.message, workspace });
    return null;
  }
  const reason = reported ? null : endingReason(conversation);
  if (reason !== null && !signal.aborted) await reportFailure(environment, job, reason, workspace);
  return conversation;
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
    case "hook":
      return ending.reason;
    case "model-error":
      return modelFailure(ending.error, null);
    case "budget":
      return ending.reason;
    case "cancelled":
      return "cancelled";
    case "record-failed":
      return `its transcript could not be written: ${ending.error.message}`;
    case "unreadable":
      return ending.message;
    case "already-stopped":
      return "ended its turns without a handoff";
    default:
      return unreachable(ending);
  }
}

/** A host that was cut off does not let go of the agent: another agent takes its task. */
async function reportHeld(environment: HostEnvironment, job: Job, signal: AbortSignal): Promise<null> {
  if (signal.aborted) return null;
  const workspace = job.role === "worker" ? workspaceDirectory(environment, job) : null;
  const reason = `${job.lease.agent} is still at work in another process`;
  await abandon(environment, job, { reason, workspace });
  return null;
}

async function abandon(
  { client }: HostEnvironment,
  { lease }: Job,
  { reason, workspace }: { readonly reason: string; readonly workspace: string | null },
): Promise<void> {
  await client.ask({ kind: "abandon", lease, reason: cleanText(reason, 4_000), workspace });
}

async function reportFailure(
  environment: HostEnvironment,
  job: Job,
  reason: string,
  workspace: string | null,
): Promise<void> {
  await environment.client.ask({ kind: "fail", lease: job.lease, reason, workspace });
}

async function pause({ client }: HostEnvironment, { lease }: Job, refusal: string): Promise<void> {
  await client.ask({ kind: "pause", lease, ...refusedBy(refusal) });
}

/** Expected, so that it has no stack to show; the coordinator's own disk may be the one that refuses. */
async function reportRefused(environment: HostEnvironment, job: Job, refusal: string): Promise<void> {
  try {
    await pause(environment, job, refusal);
    await reportEnd(environment, job, null);
  } catch {
    environment.client.leave();
  }
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
  const workspace = job.role === "worker" ? workspaceDirectory(environment, job) : null;
  try {
    await reportFailure(environment, job, `internal error of skein: ${cleanText(text, 4_000)}`, workspace);
    await reportEnd(environment, job, null);
  } catch {
    // An end that cannot be told would leave the lease standing for ever: the host leaves, and all its leases end.
    environment.client.leave();
  }
}
