// Answers one question of a worker host. Reads come from snapshots; everything else goes through the log.

import { unreachable } from "../../base/assert.ts";
import type { AgentId, BlobId, HostId } from "../../base/ids.ts";
import { ok, type Result } from "../../base/result.ts";
import { cleanText } from "../../base/text.ts";
import type { AppendError } from "../../log/log.ts";
import { type Answers, type HostAsk, protocolVersion } from "../../protocol/messages.ts";
import type { Peer } from "../../protocol/peer.ts";
import { limitReached, requestsLeft } from "../tasks.ts";
import { describeAppendError } from "./append-error.ts";
import { conflictAnswer } from "./conflict-answer.ts";
import { type Context, leaseRefusal } from "./context.ts";
import { commit, fail, handoff, resolve } from "./landing.ts";
import { decide, delegate, suspend } from "./planning.ts";

/** One connection of a worker host. */
export interface HostSession {
  /** Null until its hello. */
  host: HostId | null;
  /** Where this host keeps its agents' workspaces. */
  workspaces: string | null;
  peer: Peer | null;
  lastHeardMs: number;
  /** Agents at work there: from their assignment until their transcript is closed. */
  readonly agents: Set<AgentId>;
}

/** A blobs answer stops after so many bytes; the host asks on for the rest. */
const blobsAnswerBytesMax = 16 * 1024 * 1024;

/** Questions whose answer can be that nothing was taken. */
const refusable = new Set<HostAsk["kind"]>(["commit", "handoff", "decide", "delegate", "resolve"]);

/** Null for a host that may work, else why not. */
type Welcome = (host: HostId) => string | null;
type Answer = Result<Answers[HostAsk["kind"]], AppendError>;

/** An error means that the store takes nothing more. */
export async function answerHost(
  context: Context,
  session: HostSession,
  ask: HostAsk,
  welcome: Welcome,
): Promise<Answer> {
  const answer = await answerAsk(context, session, ask, welcome);
  if (answer.ok || answer.error.kind !== "batch-too-large" || !refusable.has(ask.kind)) return answer;
  // Nothing of it was kept and the store goes on: what is too large is its sender's to make smaller.
  return ok({ kind: "refused", reason: `too much at once: ${describeAppendError(answer.error)}` });
}

async function answerAsk(context: Context, session: HostSession, ask: HostAsk, welcome: Welcome): Promise<Answer> {
  switch (ask.kind) {
    case "hello":
      return ok(hello(context, session, ask, welcome));
    case "tree": {
      const entries = [...context.vcs.manifest(ask.at)].map(([path, entry]) => ({ path, ...entry }));
      return ok({ entries });
    }
    case "blobs":
      return ok({ blobs: await blobs(context, ask.ids) });
    case "commit":
      return commit(context, ask);
    case "handoff":
      return handoff(context, ask);
    case "fail":
      return fail(context, ask);
    case "decide":
      return decide(context, ask);
    case "delegate":
      return delegate(context, ask);
    case "suspend":
      return suspend(context, ask);
    case "conflict":
      return conflictAnswer(context, ask.id);
    case "resolve":
      return resolve(context, ask);
    case "request_done":
      return requestDone(context, ask);
    case "agent_ended":
      return agentEnded(context, session, ask);
    default:
      return unreachable(ask);
  }
}

function hello(
  context: Context,
  session: HostSession,
  ask: Extract<HostAsk, { kind: "hello" }>,
  welcome: Welcome,
): Answers["hello"] {
  if (ask.protocol !== protocolVersion) {
    return {
      kind: "refused",
      reason: `this coordinator speaks protocol ${protocolVersion}, the host ${ask.protocol}: use one version of skein for both`,
    };
  }
  const refusal = welcome(ask.host);
  if (refusal !== null) return { kind: "refused", reason: refusal };
  session.workspaces = ask.workspaces;
  return { kind: "welcome", run: context.state.run?.run ?? "", beatMs: context.options.beatMs };
}

async function blobs(context: Context, ids: readonly BlobId[]): Promise<readonly Uint8Array[]> {
  const found: Uint8Array[] = [];
  let size = 0;
  for (const id of ids) {
    const [bytes] = await context.vcs.blobs.get([id]);
    if (bytes === undefined) break;
    size += bytes.byteLength;
    if (found.length > 0 && size > blobsAnswerBytesMax) break;
    found.push(bytes);
  }
  return found;
}

async function agentEnded(
  context: Context,
  session: HostSession,
  ask: Extract<HostAsk, { kind: "agent_ended" }>,
): Promise<Result<Answers["agent_ended"], AppendError>> {
  const { lease, outcome, requests, transcript } = ask;
  session.agents.delete(lease.agent);
  if (!context.state.agents.has(lease.agent)) return ok({});
  const appended = await context.append([
    context.record("agent_ended", { agent: lease.agent, task: lease.task, outcome, requests, transcript }),
  ]);
  return appended.ok ? ok({}) : appended;
}

/** Answers whether the agent may make another request. The bill of this one is in the log either way. */
async function requestDone(
  context: Context,
  ask: Extract<HostAsk, { kind: "request_done" }>,
): Promise<Result<Answers["request_done"], AppendError>> {
  const { lease, model, turn, usage } = ask;
  const agent = context.state.agents.get(lease.agent);
  if (agent === undefined) return ok({ kind: "stop", reason: "unknown agent" });
  const record = context.record("model_request", {
    agent: lease.agent,
    task: lease.task,
    role: agent.role,
    model,
    turn,
    input_tokens: usage.inputTokens,
    cached_tokens: usage.cachedTokens,
    output_tokens: usage.outputTokens,
    cost_usd: ask.costUsd,
    duration_ms: ask.durationMs,
    failed: ask.failed === null ? null : cleanText(ask.failed, 2_000),
  });
  const appended = await context.append([record]);
  if (!appended.ok) return appended;
  const refusal = leaseRefusal(context.state, lease);
  if (refusal !== null) return ok({ kind: "stop", reason: refusal });
  const { requestsMax } = context.options;
  if (requestsLeft(context.state, requestsMax) < 0) return ok({ kind: "stop", reason: limitReached(requestsMax) });
  return ok({ kind: "go_on" });
}
