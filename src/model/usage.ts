// Token counts and their price. What a provider did not say is `unavailable`, never 0.

export type Figure = number | "unavailable";

export interface Usage {
  /** All input tokens, cached ones included. */
  readonly inputTokens: Figure;
  /** Of the input, those read from the provider's cache. */
  readonly cachedTokens: Figure;
  readonly outputTokens: Figure;
}

export const USAGE_UNKNOWN: Usage = {
  inputTokens: "unavailable",
  cachedTokens: "unavailable",
  outputTokens: "unavailable",
};

/** US dollars per million tokens. */
export interface Price {
  readonly inputUsdPerMtok: number;
  readonly cachedUsdPerMtok: number;
  readonly outputUsdPerMtok: number;
}

/** A sum is unavailable as soon as one of its parts is. Fractions are dollars: see `wholeNanos`. */
export function addFigures(a: Figure, b: Figure): Figure {
  return a === "unavailable" || b === "unavailable" ? "unavailable" : wholeNanos(a + b);
}

/** Rounds to a billionth, the finest price of a token there is, so that sums of dollars carry no binary dust. */
function wholeNanos(value: number): number {
  return Number.isInteger(value) ? value : Math.round(value * 1e9) / 1e9;
}

/** Dollars for one request; unavailable where the price or any count is. */
export function costUsd(usage: Usage, price: Price | null): Figure {
  const { inputTokens, cachedTokens, outputTokens } = usage;
  if (
    price === null ||
    inputTokens === "unavailable" ||
    outputTokens === "unavailable" ||
    cachedTokens === "unavailable"
  ) {
    return "unavailable";
  }
  const fresh = inputTokens - cachedTokens;
  const micro =
    fresh * price.inputUsdPerMtok + cachedTokens * price.cachedUsdPerMtok + outputTokens * price.outputUsdPerMtok;
  return wholeNanos(micro / 1_000_000);
}
