// A number to the text that is printed.

/** A finite number as text: whole numbers in full, others to 12 significant digits. */
export function format(value) {
  throw new Error("not built yet");
}
