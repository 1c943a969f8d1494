// Model requests: each is let through by the budget before it is made, and settled after it. Both are in the log before anything follows.

import { ok, type Result } from "../../base/result.ts";
import { capText } from "../../base/text.ts";
import type { AppendError } from "../../log/log.ts";
import type { Answers, HostAsk } from "../../protocol/messages.ts";
import { type RequestId, requestKey } from "../bill.ts";
import { askBudget } from "../budget.ts";
import type { Agent } from "../state.ts";
import { limitReached, requestsBegun } from "../tasks.ts";
import { type Context, leaseRefusal, type WaitingRequests } from "./context.ts";

type Ask<K extends HostAsk["kind"]> = Extract<HostAsk, { kind: K }>;
type Begun = Answers["request_begin"];
type Begin = Promise<Result<Begun, AppendError>>;

/** An answer of fewer tokens is not worth asking for. */
const outputTokensMin = 512;
/** Of what a request or an attempt failed by. */
const failedCharsMax = 2_100;

/** Waits while the budget has no room but requests on their way may give some back. */
export async function requestBegin(context: Context, ask: Ask<"request_begin">): Begin {
  const { state, options, control } = context;
  const { lease, outputTokensMax, priced, after } = ask;
  let charged = false;
  for (;;) {
    const refusal = leaseRefusal(state, lease);
    if (refusal !== null) return ok({ kind: "stop", reason: refusal, pause: false });
    const stopping = after === null ? control.stopping : control.holding;
    if (stopping !== null) return ok({ kind: "stop", reason: stopping, pause: true });
    // It has cost nothing: what is held back for the request is still there.
    if (after === "refused") return ok({ kind: "go", outputTokensMax });
    // Those that were let through are sent all the same: the limit is theirs too.
    if (after === null && requestsBegun(state) >= options.requestsMax)
      return reached(context, limitReached(state, options.requestsMax), "sent");
    if (options.budgetUsd === null) return begun(context, ask, { outputTokensMax, reservedUsd: worstCase(ask) });
    if (priced === null) return reached(context, "a model without a price cannot be kept within a budget", "given-up");
    const answer = askBudget(state, options.budgetUsd, {
      ...priced,
      agent: lease.agent,
      outputTokensMax,
      outputTokensMin: after === null ? Math.min(outputTokensMin, outputTokensMax) : outputTokensMax,
    });
    if (answer.kind === "go") return begun(context, ask, answer);
    if (after === "broken" && !charged) {
      // What it held comes back to nobody: two that wait must not wait for each other.
      const appended = await begun(context, ask, { outputTokensMax, reservedUsd: 0 });
      if (!appended.ok) return appended;
      charged = true;
      continue;
    }
    if (answer.kind === "spent") return reached(context, answer.reason, "given-up");
    await control.changed();
  }
}

function worstCase({ priced, outputTokensMax }: Ask<"request_begin">): number | null {
  return priced === null ? null : priced.inputUsd + outputTokensMax * priced.outputUsdPerToken;
}

function reached(context: Context, reason: string, waiting: WaitingRequests): Result<Begun, AppendError> {
  context.control.stopInOrder(reason, waiting);
  return ok({ kind: "stop", reason, pause: true });
}

async function begun(
  context: Context,
  { lease, turn, failed }: Ask<"request_begin">,
  leave: { readonly outputTokensMax: number; readonly reservedUsd: number | null },
): Begin {
  const { outputTokensMax, reservedUsd } = leave;
  const record = context.record("request_begun", {
    ...lease,
    turn,
    reserved_usd: reservedUsd,
    failed: failed === null ? null : capText(failed, failedCharsMax),
  });
  const appended = await context.append([record]);
  return appended.ok ? ok({ kind: "go", outputTokensMax }) : appended;
}

/** The bill of a request, which is in it once: its host may tell of it once more after a crash. */
export async function requestDone(
  context: Context,
  ask: Ask<"request_done">,
): Promise<Result<Answers["request_done"], AppendError>> {
  const { lease, model, usage } = ask;
  const agent = context.state.agents.get(lease.agent);
  if (agent === undefined) return ok({});
  const request = ask.again ? toldAgain(agent, ask) : { turn: ask.turn, fence: lease.fence };
  if (request === null || agent.billed.has(requestKey(request))) return ok({});
  const record = context.record("model_request", {
    agent: lease.agent,
    task: lease.task,
    role: agent.role,
    model,
    ...request,
    attempts: ask.attempts,
    input_tokens: usage.inputTokens,
    cached_tokens: usage.cachedTokens,
    output_tokens: usage.outputTokens,
    cost_usd: ask.costUsd,
    duration_ms: ask.durationMs,
    held_charged: ask.heldCharged,
    failed: ask.failed === null ? null : capText(ask.failed, failedCharsMax),
  });
  const appended = await context.append([record]);
  return appended.ok ? ok({}) : appended;
}

/** Only what is held back or charged for is given back: nothing, where the bill has it or it was withdrawn before. */
export async function requestWithdrawn(
  { state, ...context }: Context,
  { lease, turn }: Ask<"request_withdrawn">,
): Promise<Result<Answers["request_withdrawn"], AppendError>> {
  const { agent, task, fence } = lease;
  const key = requestKey({ turn, fence });
  const held = state.reserved.get(agent);
  const isHeld = (held !== undefined && requestKey(held) === key) || state.untold.has(`${agent} ${key}`);
  if (!isHeld) return ok({});
  const appended = await context.append([context.record("request_withdrawn", { agent, task, fence, turn })]);
  return appended.ok ? ok({}) : appended;
}

/** The request that the agent's transcript ends with; null where a later one was let through, so that it was settled. */
function toldAgain({ begun }: Agent, { turn, lease }: Ask<"request_done">): RequestId | null {
  if (begun === null || begun.turn < turn) return { turn, fence: lease.fence };
  return begun.turn === turn ? begun : null;
}
