// Token counts and their price. What a provider did not say is `unavailable`, never 0.

export type Figure = number | "unavailable";

export interface Usage {
  /** All input tokens: fresh ones, those read from the provider's cache and those written to it. */
  readonly inputTokens: Figure;
  /** Of the input, those read from the provider's cache. */
  readonly cachedTokens: Figure;
  /** Of the input, those written to the provider's cache; left out where the provider does not count them apart. */
  readonly cacheWriteTokens?: Figure;
  readonly outputTokens: Figure;
}

export const USAGE_UNKNOWN: Usage = {
  inputTokens: "unavailable",
  cachedTokens: "unavailable",
  outputTokens: "unavailable",
};

/** Of a request that was surely not charged for. */
export const USAGE_NONE: Usage = { inputTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };

/** US dollars per million tokens. */
export interface Rates {
  readonly inputUsdPerMtok: number;
  readonly cachedUsdPerMtok: number;
  /** Left out where tokens written to the cache cost what other input does. */
  readonly cacheWriteUsdPerMtok?: number;
  readonly outputUsdPerMtok: number;
}

/** Rates of a whole request, output included, whose input has more tokens than `inputTokensAbove`. */
export interface RatesAbove extends Rates {
  readonly inputTokensAbove: number;
}

/** What a model costs: the rates of a request of any size, or of one below the first of `tiers`. */
export interface Price extends Rates {
  /** By growing `inputTokensAbove`; left out where a large request costs the same. */
  readonly tiers?: readonly RatesAbove[];
}

/** A sum is unavailable as soon as one of its parts is. Fractions are dollars: see `wholePicos`. */
export function addFigures(a: Figure, b: Figure): Figure {
  return a === "unavailable" || b === "unavailable" ? "unavailable" : wholePicos(a + b);
}

/**
 * Dollars for one request; unavailable where the price is, or any count that the price makes matter. Exact for rates
 * of up to six decimals.
 */
export function costUsd(usage: Usage, price: Price | null): Figure {
  const { inputTokens, outputTokens } = usage;
  if (price === null || inputTokens === "unavailable" || outputTokens === "unavailable") return "unavailable";
  const rates = ratesOf(price, inputTokens);
  const writeRate = rates.cacheWriteUsdPerMtok ?? rates.inputUsdPerMtok;
  // A part of the input that costs what the rest does need not be known.
  const read = rates.cachedUsdPerMtok === rates.inputUsdPerMtok ? 0 : usage.cachedTokens;
  const written = writeRate === rates.inputUsdPerMtok ? 0 : (usage.cacheWriteTokens ?? "unavailable");
  if (read === "unavailable" || written === "unavailable") return "unavailable";
  const fresh = inputTokens - read - written;
  // Parts that exceed the whole: nobody knows which of the counts is wrong.
  if (fresh < 0) return "unavailable";
  const micro =
    fresh * rates.inputUsdPerMtok +
    read * rates.cachedUsdPerMtok +
    written * writeRate +
    outputTokens * rates.outputUsdPerMtok;
  return wholePicos(micro / 1_000_000);
}

/**
 * The most dollars a request can cost that has at most so many tokens of input and output, whatever the cache does:
 * never less than `costUsd` of such a request.
 */
export function costUsdMax(
  { inputTokens, outputTokens }: { readonly inputTokens: number; readonly outputTokens: number },
  price: Price,
): number {
  const reachable: readonly Rates[] = [
    price,
    ...(price.tiers ?? []).filter(({ inputTokensAbove }) => inputTokens > inputTokensAbove),
  ];
  const input = Math.max(
    ...reachable.flatMap(({ inputUsdPerMtok, cachedUsdPerMtok, cacheWriteUsdPerMtok }) => [
      inputUsdPerMtok,
      cachedUsdPerMtok,
      cacheWriteUsdPerMtok ?? inputUsdPerMtok,
    ]),
  );
  const output = Math.max(...reachable.map(({ outputUsdPerMtok }) => outputUsdPerMtok));
  return wholePicos((inputTokens * input + outputTokens * output) / 1_000_000);
}

function ratesOf(price: Price, inputTokens: number): Rates {
  return price.tiers?.findLast(({ inputTokensAbove }) => inputTokens > inputTokensAbove) ?? price;
}

/**
 * Rounds to a trillionth, so that sums of dollars carry no binary dust. A token of a rate with six decimals is a whole
 * number of them: there are rates of $0.01875 per million.
 */
function wholePicos(value: number): number {
  return Number.isInteger(value) ? value : Math.round(value * 1e12) / 1e12;
}
