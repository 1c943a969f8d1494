// Tokens to a tree, by precedence climbing over the table in operators.js.
//
// A node is one of
//   { kind: "number", value }
//   { kind: "name", name, at }
//   { kind: "negate", operand }
//   { kind: "binary", operator, left, right, at }     `at` is the operator's column
//   { kind: "call", name, args, at }                  `at` is the name's column

/** The tree of an expression. Throws CalcError where the text is not one. */
export function parse(text) {
  throw new Error("not built yet");
}
