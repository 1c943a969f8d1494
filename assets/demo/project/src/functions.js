// The functions that an expression can call.

/** The nearest number with `places` decimal places, by the decimal digits as they are written. */
export function round(value, places = 0) {
  throw new Error("not built yet");
}

/** The next whole number below. */
export function floor(value) {
  throw new Error("not built yet");
}

/** The next whole number above. */
export function ceil(value) {
  throw new Error("not built yet");
}

/** The table: the least and the greatest number of arguments, and what is computed. */
export const functions = {
  abs: { argsMin: 1, argsMax: 1, apply: Math.abs },
  sqrt: { argsMin: 1, argsMax: 1, apply: Math.sqrt },
  round: { argsMin: 1, argsMax: 2, apply: round },
  floor: { argsMin: 1, argsMax: 1, apply: floor },
  ceil: { argsMin: 1, argsMax: 1, apply: ceil },
  min: { argsMin: 1, argsMax: 100, apply: min },
  max: { argsMin: 1, argsMax: 100, apply: max },
  sum: { argsMin: 1, argsMax: 100, apply: sum },
  mean: { argsMin: 1, argsMax: 100, apply: mean },
};

/** The smallest of some numbers. */
export function min(...values) {
  throw new Error("not built yet");
}

/** The largest of some numbers. */
export function max(...values) {
  throw new Error("not built yet");
}

/** The sum of some numbers. */
export function sum(...values) {
  throw new Error("not built yet");
}

/** The arithmetic mean of some numbers. */
export function mean(...values) {
  throw new Error("not built yet");
}
