// Text as tokens, for comparing what was written and not how it was laid out: words, single symbols, runs of white space.

export type TokenKind = "word" | "operator" | "separator" | "space";

const TOKEN = /[\p{L}\p{M}\p{N}_$]+|\s+|[^\p{L}\p{M}\p{N}_$\s]/gu;
const WORD = /^[\p{L}\p{M}\p{N}_$]/u;
const SPACE = /^\s/;
/** Symbols that only hold other tokens apart or together: two changes on one line may need fewer of them than each alone. */
const SEPARATORS = new Set(",;:.()[]{}\"'`\\");

/** The tokens in order; joined, they are the text. */
export function tokensOf(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

export function tokenKind(token: string): TokenKind {
  if (WORD.test(token)) return "word";
  if (SPACE.test(token)) return "space";
  return SEPARATORS.has(token) ? "separator" : "operator";
}

/** How often each token occurs, white space left out. */
export function countTokens(tokens: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const token of tokens) if (tokenKind(token) !== "space") counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

/** The texts of these bytes. If one of them is not UTF-8, all are read as Latin-1: nothing is lost, and equal bytes stay equal. */
export function decodeAlike(all: readonly Uint8Array[]): readonly string[] {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    return all.map((bytes) => decoder.decode(bytes));
  } catch {
    return all.map((bytes) => Buffer.from(bytes).toString("latin1"));
  }
}
