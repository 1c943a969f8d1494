// What requests cost a run, folded from its records: the bill by role, what is held back, what is charged and what is only assumed.
// Spent and held back together never pass what the budget let through.

import type { AgentId, Fence } from "../base/ids.ts";
import { failureInBill } from "../model/failure.ts";
import { addFigures, type Figure } from "../model/usage.ts";
import type { RecordData } from "./records.ts";
import type { Agent, SwarmState } from "./state.ts";

/** A turn is asked once under a lease; where nobody knows what became of it, it may be asked again under the next one. */
export interface RequestId {
  readonly turn: number;
  readonly fence: Fence;
}

export interface Bill {
  requests: number;
  requestsFailed: number;
  /** How often they were sent, all together. */
  attempts: number;
  /** Of whose tokens a figure is unavailable. */
  requestsIncomplete: number;
  inputTokens: Figure;
  cachedTokens: Figure;
  outputTokens: Figure;
  costUsd: Figure;
}

/** What providers failed by. */
export interface Failures {
  /** Requests that were given up. */
  readonly requests: number;
  /** Attempts that may have been charged, and what `spentUsd` holds for them. */
  readonly attempts: number;
  readonly usd: number;
  /** The newest, as a reason for people; null before the first. */
  readonly last: string | null;
}

export interface Assumed {
  readonly requests: number;
  /** The most that they can have cost; 0 where no price is known. */
  readonly usd: number;
}

export interface Reservation extends RequestId {
  /** The most that the attempt can cost; 0 where no price is known. */
  readonly usd: number;
  /** What `spentUsd` holds for this request already. */
  readonly chargedUsd: number;
}

export function requestKey({ turn, fence }: RequestId): string {
  return `${fence}.${turn}`;
}

export function beginRequest(state: SwarmState, agent: Agent, data: RecordData<"request_begun">): void {
  const { turn, fence, reserved_usd } = data;
  const held = state.reserved.get(agent.id);
  let chargedUsd = 0;
  if (held?.turn === turn && held.fence === fence) {
    // Another attempt at the same request: the one before may have been paid for.
    state.spentUsd = addUsd(state.spentUsd, held.usd);
    chargedUsd = addUsd(held.chargedUsd, held.usd);
    addFailure(state, { failed: data.failed, model: agent.model, attempts: 1, usd: held.usd, requests: 0 });
  } else loseRequest(state, agent.id);
  agent.begun = { turn, fence };
  state.reserved.set(agent.id, { turn, fence, usd: reserved_usd ?? 0, chargedUsd });
}

/** Nobody is left to settle what the agent has under way. It may have been paid for: it is charged with the most it can cost. */
export function loseRequest(state: SwarmState, agent: AgentId): void {
  const held = state.reserved.get(agent);
  if (held === undefined) return;
  state.reserved.delete(agent);
  state.spentUsd = addUsd(state.spentUsd, held.usd);
  const chargedUsd = addUsd(held.chargedUsd, held.usd);
  state.untold.set(`${agent} ${requestKey(held)}`, { ...held, chargedUsd });
}

/** It was never sent: what was held back or charged for it is free again. */
export function withdrawRequest(state: SwarmState, data: RecordData<"request_withdrawn">): void {
  const held = state.reserved.get(data.agent);
  const untold = `${data.agent} ${requestKey(data)}`;
  const isHeld = held !== undefined && requestKey(held) === requestKey(data);
  const known = isHeld ? held : state.untold.get(untold);
  if (isHeld) state.reserved.delete(data.agent);
  else state.untold.delete(untold);
  state.spentUsd = addUsd(state.spentUsd, -(known?.chargedUsd ?? 0));
}

export function billRequest(state: SwarmState, agent: Agent, data: RecordData<"model_request">): void {
  agent.requests += 1;
  agent.billed.add(requestKey(data));
  if (data.failed === null) agent.answeredTurn = Math.max(agent.answeredTurn, data.turn);
  const usd = settle(state, data);
  addFailure(state, { failed: data.failed, model: data.model, requests: 1, attempts: usd > 0 ? 1 : 0, usd });
  const before = state.bills.get(data.role) ?? emptyBill();
  const told = [data.input_tokens, data.cached_tokens, data.output_tokens];
  state.bills.set(data.role, {
    requests: before.requests + 1,
    requestsFailed: before.requestsFailed + (data.failed === null ? 0 : 1),
    attempts: before.attempts + data.attempts,
    requestsIncomplete: before.requestsIncomplete + (told.includes("unavailable") ? 1 : 0),
    inputTokens: addFigures(before.inputTokens, data.input_tokens),
    cachedTokens: addFigures(before.cachedTokens, data.cached_tokens),
    outputTokens: addFigures(before.outputTokens, data.output_tokens),
    costUsd: addFigures(before.costUsd, data.cost_usd),
  });
}

/** The part of `spentUsd` that is not known but the most that it can be, and the requests whose cost is not known. */
export function assumedOf(state: SwarmState): Assumed {
  const charged = [...state.untold.values(), ...[...state.reserved.values()].filter((held) => held.chargedUsd > 0)];
  return {
    requests: state.assumed.requests + charged.length,
    usd: charged.reduce((sum, { chargedUsd }) => addUsd(sum, chargedUsd), state.assumed.usd),
  };
}

export function emptyBill(): Bill {
  return {
    requests: 0,
    requestsFailed: 0,
    attempts: 0,
    requestsIncomplete: 0,
    inputTokens: 0,
    cachedTokens: 0,
    outputTokens: 0,
    costUsd: 0,
  };
}

/**
 * What it has cost takes the place of what was held back or charged for it; if that is not known, it stays. Answers the dollars that
 * its last attempt is assumed to have cost.
 */
function settle(state: SwarmState, data: RecordData<"model_request">): number {
  const { agent, cost_usd: cost } = data;
  const held = state.reserved.get(agent);
  const isHeld = held !== undefined && requestKey(held) === requestKey(data);
  const untold = `${agent} ${requestKey(data)}`;
  const known = isHeld ? held : state.untold.get(untold);
  if (isHeld) state.reserved.delete(agent);
  else state.untold.delete(untold);
  const chargedUsd = known?.chargedUsd ?? 0;
  if (cost !== "unavailable") {
    state.spentUsd = addUsd(state.spentUsd, cost - chargedUsd);
    return 0;
  }
  const heldUsd = isHeld && data.held_charged ? held.usd : 0;
  const { requests, usd } = state.assumed;
  state.spentUsd = addUsd(state.spentUsd, heldUsd);
  state.assumed = { requests: requests + 1, usd: addUsd(addUsd(usd, chargedUsd), heldUsd) };
  return heldUsd;
}

interface Failing {
  readonly failed: string | null;
  readonly model: string;
  readonly requests: number;
  readonly attempts: number;
  readonly usd: number;
}

/** Only what the provider failed by counts, not what a stop or a crash has cut off. */
function addFailure(state: SwarmState, { failed, model, requests, attempts, usd }: Failing): void {
  const reason = failed === null ? null : failureInBill(failed, model);
  if (reason === null) return;
  const { failures } = state;
  state.failures = {
    requests: failures.requests + requests,
    attempts: failures.attempts + attempts,
    usd: addUsd(failures.usd, usd),
    last: reason,
  };
}

function addUsd(a: number, b: number): number {
  const sum = addFigures(a, b);
  return sum === "unavailable" ? a : sum;
}
