// What the operators compute.

/** The sum of two numbers. */
export function add(a, b) {
  return a + b;
}

/** The quotient of two numbers. */
export function divide(a, b) {
  return a / b;
}

/** The modulo of floored division: its sign is that of `b`. */
export function modulo(a, b) {
  throw new Error("not built yet");
}

/** The product of two numbers. */
export function multiply(a, b) {
  return a * b;
}

/** `base` to the power of `exponent`. */
export function power(base, exponent) {
  throw new Error("not built yet");
}

/** The difference of two numbers. */
export function subtract(a, b) {
  return a - b;
}
