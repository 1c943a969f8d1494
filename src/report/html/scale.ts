// Where a value stands on a drawing that is as wide as its place: in percent, from a zero at the left. Positions are percentages, so that
// a page needs no script to fit its window and no text is stretched.

export interface Scale {
  readonly max: number;
  /** Round values from 0 to at most `max`. */
  readonly ticks: readonly number[];
}

const ticksMax = 6;

/** From 0 to a little beyond the greatest value; of what comes in whole numbers alone, without ticks between them. */
export function scaleOf(values: readonly number[], { whole = false }: { readonly whole?: boolean } = {}): Scale {
  const top = Math.max(0, ...values);
  if (top === 0) return { max: 1, ticks: [0] };
  const step = Math.max(whole ? 1 : 0, roundStep(top / (ticksMax - 1)));
  const max = top * 1.02;
  const count = Math.floor(max / step);
  // Multiplied, not added up: a sum of tenths is no tenth.
  return { max, ticks: Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12))) };
}

/** `12.34%`, within the drawing. */
export function at(value: number, { max }: Scale): string {
  const share = Math.min(1, Math.max(0, value / max));
  return `${Number((share * 100).toFixed(3))}%`;
}

export function width(from: number, to: number, scale: Scale): string {
  return at(Math.max(0, Math.min(to, scale.max) - Math.max(0, from)), scale);
}

/** The next of 1, 2 and 5 times a power of ten. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10;
  return factor * power;
}
