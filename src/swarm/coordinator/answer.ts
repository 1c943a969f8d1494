// Answers one question of a worker host. Reads come from snapshots; everything else goes through the log.

import { unreachable } from "../../base/assert.ts";
import type { AgentId, BlobId, HostId } from "../../base/ids.ts";
import { ok, type Result } from "../../base/result.ts";
import { capText } from "../../base/text.ts";
import type { AppendError } from "../../log/log.ts";
import { type Answers, type HostAsk, type Lease, protocolVersion } from "../../protocol/messages.ts";
import type { Peer } from "../../protocol/peer.ts";
import { summaryCharsMax } from "../records.ts";
import { summarize } from "../view.ts";
import { workspacePath } from "../workspace-name.ts";
import { describeAppendError } from "./append-error.ts";
import { conflictAnswer } from "./conflict-answer.ts";
import { type Context, leasedTask } from "./context.ts";
import { answerRefused, commit, fail, handoff, resolve } from "./landing.ts";
import { leftovers } from "./leftovers.ts";
import { decide, delegate, suspend } from "./planning.ts";
import { requestBegin, requestDone, requestWithdrawn } from "./requests.ts";
import { resumeInfo } from "./resume.ts";

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
    case "request_begin":
      return requestBegin(context, ask);
    case "request_withdrawn":
      return requestWithdrawn(context, ask);
    case "answer_refused":
      return answerRefused(context, ask);
    case "leftovers":
      return ok({ removable: leftovers(context.state, ask.names) });
    case "lease_stands":
      return ok({ stands: leasedTask(context.state, ask.lease) !== null });
    case "resume_info":
      return resumeInfo(context, ask);
    case "pause":
      return pause(context, session, ask);
    case "abandon":
      return endLease(context, session, { ...ask, fresh: true });
    case "run_status": {
      const summary = summarize(context.state, context.vcs.figures(), context.clock.now());
      return ok({ status: JSON.stringify({ ...summary, stopping: context.control.stopping }) });
    }
    case "stop_run":
      // Answered at once: whoever asks hears of the end when its connection closes.
      void context.control.stop(ask.reason, ask.how);
      return ok({});
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

interface GivenBack {
  readonly lease: Lease;
  readonly reason: string;
  /** Another agent is to begin the task anew. */
  readonly fresh: boolean;
  readonly workspace: string | null;
}

/** The agent's lease ends without a loss: its workspace is kept, and its conversation, unless it cannot be gone on with. */
async function endLease(
  context: Context,
  session: HostSession,
  { lease, fresh, ...given }: GivenBack,
): Promise<Result<Answers["pause"], AppendError>> {
  const task = leasedTask(context.state, lease);
  if (task === null) return ok({});
  const reason = capText(given.reason, summaryCharsMax);
  const workspace = given.workspace ?? (fresh ? null : workspacePath(session.workspaces, task.kind, lease));
  const ended = context.record("lease_ended", { ...lease, reason, workspace, lost: false, blame: "host", fresh });
  const appended = await context.append([ended]);
  return appended.ok ? ok({}) : appended;
}

function pause(
  context: Context,
  session: HostSession,
  ask: Extract<HostAsk, { kind: "pause" }>,
): Promise<Result<Answers["pause"], AppendError>> {
  // First: the agent's task would be leased again at once.
  if (ask.stops && leasedTask(context.state, ask.lease) !== null)
    context.control.stopInOrder(capText(ask.reason, reasonCharsMax), "given-up");
  return endLease(context, session, { ...ask, fresh: false, workspace: null });
}

/** Of why a run stops: it is shown in one line. */
const reasonCharsMax = 2_000;

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
