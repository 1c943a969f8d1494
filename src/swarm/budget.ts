// Whether a request may be made: decided from the state alone, so that a fan-out cannot start together on the last cents.
// Spent and reserved dollars never pass the budget, since a request reserves the most it can cost before it is sent.

import type { AgentId } from "../base/ids.ts";
import { budgetSpent, failedAttempts } from "../model/spent.ts";
import type { SwarmState } from "./state.ts";

export interface RequestBounds {
  /** Who asks: what is held back for it already does not come back by waiting. */
  readonly agent: AgentId;
  /** The most the input can cost, dollars. */
  readonly inputUsd: number;
  readonly outputUsdPerToken: number;
  /** Tokens of output that are wanted. */
  readonly outputTokensMax: number;
  /** Fewer are not worth asking for; at most `outputTokensMax`. */
  readonly outputTokensMin: number;
}

export type BudgetAnswer =
  | { readonly kind: "go"; readonly outputTokensMax: number; readonly reservedUsd: number }
  /** There is no room now, but a request on its way may settle for less than was held back for it. */
  | { readonly kind: "wait" }
  | { readonly kind: "spent"; readonly reason: string };

/** Dollars that are spent or held back. */
export function committedUsd(state: SwarmState): number {
  let sum = state.spentUsd;
  for (const { usd } of state.reserved.values()) sum += usd;
  return sum;
}

export function askBudget(state: SwarmState, budgetUsd: number, bounds: RequestBounds): BudgetAnswer {
  const { agent, inputUsd, outputUsdPerToken, outputTokensMax, outputTokensMin } = bounds;
  const granted = affordableTokens(budgetUsd - committedUsd(state), bounds);
  const othersHold = [...state.reserved].some(([other, { usd }]) => other !== agent && usd > 0);
  if (granted === outputTokensMax || (granted >= outputTokensMin && !othersHold)) {
    return { kind: "go", outputTokensMax: granted, reservedUsd: inputUsd + granted * outputUsdPerToken };
  }
  if (othersHold) return { kind: "wait" };
  return { kind: "spent", reason: spentReason(state, budgetUsd, bounds) };
}

/** Tokens of output for which there is room; below 0 where there is none for the input. */
function affordableTokens(roomUsd: number, { inputUsd, outputUsdPerToken, outputTokensMax }: RequestBounds): number {
  const room = roomUsd - inputUsd;
  const tokens = outputUsdPerToken === 0 ? (room >= 0 ? outputTokensMax : 0) : Math.floor(room / outputUsdPerToken);
  return Math.min(outputTokensMax, tokens);
}

/** Who used it up besides work is said too, where another request would fit without that. */
function spentReason(state: SwarmState, budgetUsd: number, bounds: RequestBounds): string {
  const { inputUsd, outputTokensMax, outputUsdPerToken } = bounds;
  const left = Math.max(0, budgetUsd - state.spentUsd);
  const reason = budgetSpent(`the budget of $${budgetUsd}`, {
    leftUsd: left,
    neededUsd: inputUsd + outputTokensMax * outputUsdPerToken,
  });
  const { attempts, usd, last } = state.failures;
  const without = affordableTokens(budgetUsd + usd - committedUsd(state), bounds);
  if (last === null || usd === 0 || without < bounds.outputTokensMin) return reason;
  return `${reason}; ${failedAttempts({ attempts, usd })}, the last: ${last}`;
}
