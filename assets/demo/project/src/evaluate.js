// A tree, as parse.js describes it, to a number.

/** The value of a tree. Throws CalcError where it has none. */
export function evaluate(tree) {
  throw new Error("not built yet");
}
