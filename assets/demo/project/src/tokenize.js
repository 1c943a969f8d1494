// Text to tokens.
//
// A token is { kind, text, at }: `kind` is "number", "name", "symbol" or "end", `text` is what was written, and `at` is
// the column where it starts, from 1. A number also has its `value`. The last token is always an "end" with empty text.

/** The tokens of an expression. Throws CalcError at a character that no token starts with. */
export function tokenize(text) {
  throw new Error("not built yet");
}
