// One job's conversation: the agent loop with its transcript, its bill sent to the coordinator, and what happens when a turn ends without a call.

import { createHash } from "node:crypto";
import { join } from "node:path";
import { runAgent } from "../../agent/loop.ts";
import type { RequestReport } from "../../agent/request-report.ts";
import type { SessionLog } from "../../agent/session-entry.ts";
import { type LoadedSession, loadSession } from "../../agent/session-load.ts";
import { openSessionLog } from "../../agent/session-log.ts";
import { AGENT_LIMITS, type AgentEvent, type AgentResult } from "../../agent/spec.ts";
import { spillTo } from "../../agent/spill.ts";
import type { Tool } from "../../agent/tool.ts";
import { cleanLine, cleanText } from "../../base/text.ts";
import type { Files } from "../../host/files.ts";
import type { Message } from "../../model/message.ts";
import type { Provider } from "../../model/provider.ts";
import type { Job, WireTranscript } from "../../protocol/messages.ts";
import type { HostEnvironment } from "./environment.ts";
import { spillDirectory } from "./workspaces.ts";

export interface ConversationSetup {
  readonly job: Job;
  readonly provider: Provider;
  readonly tools: readonly Tool[];
  readonly signal: AbortSignal;
  /** The model ended its turn without a call, for the `stops`th time: the message to go on with, or null to let the job end there. */
  readonly onStopped: (stops: number) => Promise<string | null>;
}

export interface Conversation {
  readonly ending: AgentResult | { readonly kind: "unreadable"; readonly message: string };
  /** Model requests of this job. */
  readonly requests: number;
  readonly transcript: WireTranscript | null;
}

const transcriptBytesMax = 256 * 1024 * 1024;
/** Of a provider's error message in the bill. */
const failureCharsMax = 2_000;

export async function converse(environment: HostEnvironment, setup: ConversationSetup): Promise<Conversation> {
  const { job } = setup;
  const { files } = environment.host;
  const { agent } = job.lease;
  const path = join(environment.directories.agents, `${agent}.jsonl`);
  const loaded = job.resume ? await loadSession(files, path) : null;
  if (loaded !== null && !loaded.ok)
    return {
      ending: { kind: "unreadable", message: `${path} cannot be read: ${describe(loaded.error)}` },
      requests: 0,
      transcript: null,
    };
  const record = await openSessionLog(files, path, { agent, parent: null });
  if (!record.ok)
    return {
      ending: { kind: "unreadable", message: `${path} cannot be opened: ${record.error.message}` },
      requests: 0,
      transcript: null,
    };

  const session = loaded?.ok ? loaded.value : null;
  const talked = await talk(environment, setup, { record: record.value, session }).finally(() => record.value.close());
  return { ...talked, transcript: await transcriptOf(files, path) };
}

interface Transcript {
  readonly record: SessionLog;
  /** What is in it already; null for a new one. */
  readonly session: LoadedSession | null;
}

async function talk(
  environment: HostEnvironment,
  setup: ConversationSetup,
  { record, session }: Transcript,
): Promise<Omit<Conversation, "transcript">> {
  const { job, signal } = setup;
  const { host, directories } = environment;
  const { agent, task } = job.lease;
  const ports = {
    provider: setup.provider,
    clock: host.clock,
    record,
    spill: spillTo(host.files, spillDirectory(directories.agents, agent)),
    signal,
    onEvent: (event: AgentEvent) => tellActivity(environment, job, event),
    ...billing(environment, job),
  };
  let messages: readonly Message[] = session?.messages ?? [];
  let turn = session?.turns ?? 0;
  let requests = 0;
  let stops = 0;
  let next: string | null = job.prompt;
  let ending: AgentResult | null = null;
  while (next !== null) {
    const known = messages.length;
    messages = [...messages, { role: "user", text: next }];
    ending = await runAgent(
      {
        agent,
        role: job.role,
        task,
        taskKeys: job.keys,
        system: job.system,
        messages,
        messagesRecorded: known,
        firstTurn: turn,
        tools: setup.tools,
        limits: { ...AGENT_LIMITS, turnsMax: Math.max(1, job.turnsMax - requests) },
      },
      ports,
    );
    ({ messages, turn } = ending);
    requests += ending.requests;
    if (ending.kind !== "stopped" || signal.aborted) break;
    stops += 1;
    next = await setup.onStopped(stops);
  }
  return { ending: ending ?? { kind: "unreadable", message: "no request was made" }, requests };
}

/** The bill of a request is in the log before its calls run, and the coordinator says whether there may be a next one. */
function billing(environment: HostEnvironment, job: Job) {
  let stop: string | null = null;
  return {
    beforeRequest: async (): Promise<string | null> => stop,
    afterRequest: async (report: RequestReport): Promise<void> => {
      const { turn, usage, costUsd, durationMs, provider, error } = report;
      const failed = error === null ? null : `${error.code}: ${cleanText(error.message, failureCharsMax)}`;
      const answer = await environment.client.ask({
        kind: "request_done",
        lease: job.lease,
        model: provider,
        turn,
        usage,
        costUsd,
        durationMs,
        failed,
      });
      if (answer.kind === "stop") stop = answer.reason;
    },
  };
}

function tellActivity(environment: HostEnvironment, job: Job, event: AgentEvent): void {
  const { agent } = job.lease;
  if (event.kind === "request-started") environment.client.activity(agent, "asks the model");
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
