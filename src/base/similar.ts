// How alike two short texts are, for hints: what a wrong name or a wrong line was probably meant to be. Pure.

/** Longer texts are compared by their beginning. */
const comparedCharsMax = 200;

/** The `count` candidates most like `wanted`, best first; none below the threshold (0 to 1). */
export function mostAlike(
  wanted: string,
  candidates: readonly string[],
  count: number,
  threshold: number,
): readonly number[] {
  const pairs = pairsOf(wanted);
  return candidates
    .map((candidate, index) => ({ index, score: dice(pairs, pairsOf(candidate)) }))
    .filter(({ score }) => score >= threshold)
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, count)
    .map(({ index }) => index);
}

/** Sørensen–Dice coefficient of two multisets of letter pairs. */
function dice(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let shared = 0;
  for (const [pair, count] of a) shared += Math.min(count, b.get(pair) ?? 0);
  const total = size(a) + size(b);
  return total === 0 ? 0 : (2 * shared) / total;
}

function pairsOf(text: string): ReadonlyMap<string, number> {
  const compared = ` ${text.slice(0, comparedCharsMax).trim().toLowerCase()} `;
  const pairs = new Map<string, number>();
  for (let index = 0; index + 1 < compared.length; index++) {
    const pair = compared.slice(index, index + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

function size(pairs: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const count of pairs.values()) total += count;
  return total;
}
