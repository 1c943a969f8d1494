// What a run has spent: what is known, and what is only assumed at the most, apart.

import type { Ledger } from "../log/ledger.ts";
import { addFigures, type Figure } from "../model/usage.ts";
import { assumedOf } from "../swarm/bill.ts";
import { swarmFold } from "../swarm/state.ts";
import { runOptionsFold } from "./run-options.ts";

/** Dollars. */
export interface Spending {
  readonly budgetUsd: number | null;
  /**
   * With a budget `knownUsd` and `assumedUsd` together: an upper bound, which never passes the budget. Without one, unavailable as
   * soon as one request's cost is not known.
   */
  readonly spentUsd: Figure;
  /** The sum of the costs that are known: a lower bound. */
  readonly knownUsd: number;
  /** The most that the others can have cost; without a budget nobody has worked it out for all of them. */
  readonly assumedUsd: Figure;
  /** Requests whose cost is not known. */
  readonly requestsAssumed: number;
}

/** What is held back for requests on their way is not spent yet. */
export function spendingOf(ledger: Ledger): Spending {
  const budgetUsd = ledger.state(runOptionsFold).options?.budget_in_force_usd ?? null;
  const state = ledger.state(swarmFold);
  const { spentUsd } = state;
  const { usd, requests: requestsAssumed } = assumedOf(state);
  const known = addFigures(spentUsd, -usd);
  const knownUsd = known === "unavailable" ? spentUsd : known;
  if (budgetUsd !== null) return { budgetUsd, spentUsd, knownUsd, assumedUsd: usd, requestsAssumed };
  const [spent, assumedUsd]: readonly Figure[] = requestsAssumed > 0 ? ["unavailable", "unavailable"] : [knownUsd, 0];
  return { budgetUsd, spentUsd: spent ?? 0, knownUsd, assumedUsd: assumedUsd ?? 0, requestsAssumed };
}
