// Sums of the requests of a run. A sum is unavailable as soon as one part is; beside it stand the sum of what was said
// and the number of requests that did not say it, so that a missing figure is never taken for 0.

import { addFigures, type Figure, type Usage } from "../model/usage.ts";
import type { Charge } from "./request-report.ts";

export interface Totals {
  readonly requests: number;
  /** Unavailable as soon as one request's figure is. */
  readonly usage: Usage;
  readonly costUsd: Figure;
  /** Sums over the figures that were said: lower bounds where `requestsIncomplete` is not 0. */
  readonly known: {
    readonly inputTokens: number;
    readonly cachedTokens: number;
    readonly outputTokens: number;
    readonly costUsd: number;
  };
  /** Requests of which at least one token figure is unavailable. */
  readonly requestsIncomplete: number;
  /** Requests whose cost is unavailable. */
  readonly requestsUnpriced: number;
}

export const NO_TOTALS: Totals = {
  requests: 0,
  usage: { inputTokens: 0, cachedTokens: 0, outputTokens: 0 },
  costUsd: 0,
  known: { inputTokens: 0, cachedTokens: 0, outputTokens: 0, costUsd: 0 },
  requestsIncomplete: 0,
  requestsUnpriced: 0,
};

/** The totals with one more request: what each of its attempts was charged, none if nothing was. */
export function addRequest(totals: Totals, charges: readonly Charge[]): Totals {
  const before = { ...totals, requests: totals.requests + 1 };
  const after = charges.reduce(addCharge, before);
  const incomplete = charges.some(({ usage }) =>
    [usage.inputTokens, usage.cachedTokens, usage.outputTokens].includes("unavailable"),
  );
  return {
    ...after,
    requestsIncomplete: totals.requestsIncomplete + (incomplete ? 1 : 0),
    requestsUnpriced: totals.requestsUnpriced + (charges.some(({ costUsd }) => costUsd === "unavailable") ? 1 : 0),
  };
}

/** Of requests as transcripts have them. */
export function totalsOf(requests: readonly Charge[]): Totals {
  return requests.reduce<Totals>((sum, { usage, costUsd }) => addRequest(sum, [{ usage, costUsd }]), NO_TOTALS);
}

/** Both together. */
export function addTotals(a: Totals, b: Totals): Totals {
  return {
    requests: a.requests + b.requests,
    usage: {
      inputTokens: addFigures(a.usage.inputTokens, b.usage.inputTokens),
      cachedTokens: addFigures(a.usage.cachedTokens, b.usage.cachedTokens),
      outputTokens: addFigures(a.usage.outputTokens, b.usage.outputTokens),
    },
    costUsd: addFigures(a.costUsd, b.costUsd),
    known: {
      inputTokens: a.known.inputTokens + b.known.inputTokens,
      cachedTokens: a.known.cachedTokens + b.known.cachedTokens,
      outputTokens: a.known.outputTokens + b.known.outputTokens,
      costUsd: a.known.costUsd + b.known.costUsd,
    },
    requestsIncomplete: a.requestsIncomplete + b.requestsIncomplete,
    requestsUnpriced: a.requestsUnpriced + b.requestsUnpriced,
  };
}

function addCharge(totals: Totals, { usage, costUsd }: Charge): Totals {
  return {
    ...totals,
    usage: {
      inputTokens: addFigures(totals.usage.inputTokens, usage.inputTokens),
      cachedTokens: addFigures(totals.usage.cachedTokens, usage.cachedTokens),
      outputTokens: addFigures(totals.usage.outputTokens, usage.outputTokens),
    },
    costUsd: addFigures(totals.costUsd, costUsd),
    known: {
      inputTokens: totals.known.inputTokens + known(usage.inputTokens),
      cachedTokens: totals.known.cachedTokens + known(usage.cachedTokens),
      outputTokens: totals.known.outputTokens + known(usage.outputTokens),
      costUsd: totals.known.costUsd + known(costUsd),
    },
  };
}

function known(figure: Figure): number {
  return figure === "unavailable" ? 0 : figure;
}
