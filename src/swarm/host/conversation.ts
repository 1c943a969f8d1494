// One job's conversation: the agent loop with its transcript, its bill sent to the coordinator, and what happens when a turn ends without a call.

import { createHash } from "node:crypto";
import { runAgent } from "../../agent/loop.ts";
import { withoutSecrets } from "../../agent/redact.ts";
import type { RequestReport } from "../../agent/request-report.ts";
import type { SessionLog } from "../../agent/session-entry.ts";
import { type LoadedSession, loadSession } from "../../agent/session-load.ts";
import { openSessionLog } from "../../agent/session-log.ts";
import { AGENT_LIMITS, type AgentEvent, type AgentResult, type RequestPlan } from "../../agent/spec.ts";
import { spillTo } from "../../agent/spill.ts";
import type { Tool } from "../../agent/tool.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { cleanLine } from "../../base/text.ts";
import type { FileError, Files } from "../../host/files.ts";
import type { Message } from "../../model/message.ts";
import type { Provider } from "../../model/provider.ts";
import type { Job, WireTranscript } from "../../protocol/messages.ts";
import type { Billing } from "./billing.ts";
import { type DiskWatch, diskRefusal } from "./disk-watch.ts";
import type { HostEnvironment } from "./environment.ts";
import { interruptionOf, refusedBy } from "./interruption.ts";
import { soundTools } from "./tools/sound.ts";
import { spillDirectory, transcriptPath } from "./workspaces.ts";

export interface ConversationSetup {
  readonly job: Job;
  readonly provider: Provider;
  readonly bill: Billing;
  readonly tools: readonly Tool[];
  readonly disk: DiskWatch;
  readonly signal: AbortSignal;
  /** The model ended its turn without a call, for the `stops`th time: the message to go on with, or null to let the job end there. */
  readonly onStopped: (stops: number) => Promise<string | null>;
}

export interface Conversation {
  readonly ending:
    | AgentResult
    | { readonly kind: "unreadable"; readonly message: string }
    | { readonly kind: "already-stopped" };
  /** Model requests of this job. */
  readonly requests: number;
  readonly transcript: WireTranscript | null;
  /** The lease has been given back, and the conversation goes on when the run is resumed. */
  readonly paused: boolean;
}

const transcriptBytesMax = 256 * 1024 * 1024;

export async function converse(environment: HostEnvironment, setup: ConversationSetup): Promise<Conversation> {
  const { job } = setup;
  const { files } = environment.host;
  const { agent } = job.lease;
  const path = transcriptPath(environment, agent);
  const loaded = await loadHistory(files, job, path);
  if (!loaded.ok) return unreadable(loaded.error);
  const record = await openSessionLog(files, path, { agent, parent: null });
  if (!record.ok) return unopened(environment, job, record.error);

  const transcript = { path, record: record.value, session: loaded.value };
  const talked = await talk(environment, setup, transcript).finally(() => record.value.close());
  return { ...talked, transcript: await transcriptOf(files, path) };
}

/** Null for a conversation that begins; the error says why it cannot be gone on with. */
async function loadHistory(files: Files, job: Job, path: string): Promise<Result<LoadedSession | null, string>> {
  if (job.resume === "new") {
    if (!(await files.stat(path)).ok) return ok(null);
    // Nobody else has this name: it is of a run whose log has gone.
    const renamed = await files.rename(path, `${path}.before-${job.lease.fence}`);
    return renamed.ok ? ok(null) : err(renamed.error.message);
  }
  // A planner that waited had no call under way; one that says otherwise has lost its end.
  const lostCalls = job.resume === "woken" ? "interrupted" : "pending";
  const loaded = await loadSession(files, path, { lostCalls });
  const isMissing = !loaded.ok && loaded.error.kind === "file" && loaded.error.code === "not-found";
  if (!loaded.ok && !isMissing) return err(`${path} cannot be read: ${describe(loaded.error)}`);
  const session = loaded.ok && loaded.value.messages.length > 0 ? loaded.value : null;
  // Every answer is written before it is billed: a power loss has taken what is missing.
  if ((session?.turns ?? 0) < job.answeredTurn || (session === null && job.wakes))
    return err(`${path} has lost its end: the answer to request ${job.answeredTurn} is not in it`);
  if (session !== null && job.role === "arbiter" && !wasTold(session.messages, job.prompt))
    return err("the conflict has changed since its arbiter was interrupted");
  return ok(session);
}

function wasTold(messages: readonly Message[], text: string): boolean {
  return messages.some(
    (message) =>
      (message.role === "user" && message.text === text) ||
      (message.role === "tool" && message.results.some((result) => result.text.includes(text))),
  );
}

async function unopened({ client }: HostEnvironment, { lease }: Job, error: FileError): Promise<Conversation> {
  const conversation = unreadable(`${error.path} cannot be opened: ${error.message}`);
  const refusal = diskRefusal(error);
  if (refusal === null) return conversation;
  await client.ask({ kind: "pause", lease, ...refusedBy(refusal) });
  return { ...conversation, paused: true };
}

function unreadable(message: string): Conversation {
  return { ending: { kind: "unreadable", message }, requests: 0, transcript: null, paused: false };
}

interface Transcript {
  readonly path: string;
  readonly record: SessionLog;
  /** What is in it already; null for a new one. */
  readonly session: LoadedSession | null;
}

async function talk(
  environment: HostEnvironment,
  setup: ConversationSetup,
  { record, session, path }: Transcript,
): Promise<Omit<Conversation, "transcript">> {
  const { job, bill, provider, disk } = setup;
  const { host, directories, secrets = [] } = environment;
  const { agent, task } = job.lease;
  const refused = new AbortController();
  const signal = AbortSignal.any([setup.signal, refused.signal]);
  const directory = spillDirectory(directories.agents, agent);
  const sound = soundTools(setup.tools, { disk, probe: `${path}.probe`, onRefused: () => refused.abort() });
  const tools = withoutSecrets(sound, secrets);
  if (session?.lastRequest) await bill.again(session.lastRequest);
  const ports = {
    provider,
    clock: host.clock,
    record,
    spill: spillTo(host.files, directory),
    signal,
    onEvent: (event: AgentEvent) => tellActivity(environment, job, event),
    beforeRequest: (plan: RequestPlan) => bill.before(plan, provider.price),
    afterRequest: (report: RequestReport, unrecorded: FileError | null) => bill.after(report, unrecorded),
  };
  let messages: readonly Message[] = session?.messages ?? [];
  let turn = session?.turns ?? 0;
  let pending = session?.pending ?? null;
  let requests = 0;
  let stops = 0;
  let ending: AgentResult | null = null;
  let next: string | null = firstMessage(job, messages, pending !== null);
  // An answer without calls that was recorded and not acted on: the turn has ended, as it would have then.
  if (next === null && pending === null && messages.at(-1)?.role === "assistant") {
    next = await setup.onStopped(++stops);
    if (next === null) return { ending: { kind: "already-stopped" }, requests, paused: false };
  }
  for (;;) {
    const known = messages.length;
    if (next !== null) messages = [...messages, { role: "user", text: next }];
    ending = await runAgent(
      {
        agent,
        parent: null,
        role: job.role,
        task,
        taskKeys: job.keys,
        system: job.system,
        messages,
        ...(pending === null ? {} : { pending }),
        messagesRecorded: known,
        firstTurn: turn,
        tools,
        limits: {
          ...AGENT_LIMITS,
          outputTokensMax: job.outputTokensMax,
          turnsMax: Math.max(1, job.turnsMax - requests),
        },
      },
      ports,
    );
    ({ messages, turn } = ending);
    pending = null;
    requests += ending.requests;
    if (ending.kind !== "stopped" || signal.aborted) break;
    stops += 1;
    next = await setup.onStopped(stops);
    if (next === null) break;
  }
  if (!setup.signal.aborted) await bill.close();
  const stopping = bill.pausing ?? heldFor(environment.hold);
  const interruption = interruptionOf(ending, { provider, stopping, disk, isOver: setup.signal.aborted });
  if (interruption !== null) await environment.client.ask({ kind: "pause", lease: job.lease, ...interruption });
  return { ending, requests, paused: interruption !== null };
}

/** Why the run stops; null while it goes on. */
function heldFor({ aborted, reason }: AbortSignal): string | null {
  return aborted ? String(reason) : null;
}

/** What is said first; null where the conversation goes on by itself. */
function firstMessage(job: Job, messages: readonly Message[], hasPending: boolean): string | null {
  if (job.resume !== "interrupted" || messages.length === 0) return job.prompt;
  if (hasPending) return null;
  // The wake message may not have reached the transcript; the task's own prompt is its first message.
  const said = messages.some((message) => message.role === "user" && message.text === job.prompt);
  return said || !job.wakes ? null : job.prompt;
}

function tellActivity(environment: HostEnvironment, job: Job, event: AgentEvent): void {
  const { agent } = job.lease;
  if (event.kind === "request-started") environment.client.activity(agent, "asks the model");
  if (event.kind === "attempt" && event.attempt.kind === "ended" && event.attempt.report.error !== null) {
    const { code, message } = event.attempt.report.error;
    environment.client.activity(agent, cleanLine(`the model failed (${code}), asks again: ${message}`, 200));
  }
  if (event.kind === "call-started")
    environment.client.activity(agent, `${event.call.name} ${argumentHint(event.call.arguments)}`);
}

/** The argument a person would name the call by. */
function argumentHint(
  call: { readonly kind: "parsed"; readonly value: unknown } | { readonly kind: "malformed" },
): string {
  if (call.kind === "malformed" || typeof call.value !== "object" || call.value === null) return "";
  const fields = call.value as Record<string, unknown>;
  const hint = ["command", "path", "pattern", "message", "question", "summary"]
    .map((name) => fields[name])
    .find((value) => typeof value === "string");
  return cleanLine(typeof hint === "string" ? hint : "", 120);
}

async function transcriptOf(files: Files, path: string): Promise<WireTranscript | null> {
  const bytes = await files.read(path, transcriptBytesMax);
  if (!bytes.ok) return null;
  return { path, bytes: bytes.value.byteLength, sha256: createHash("sha256").update(bytes.value).digest("hex") };
}

function describe(error: { readonly kind: string; readonly message?: string }): string {
  return error.message ?? error.kind;
}
