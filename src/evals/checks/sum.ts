// Whether the answer holds the sum of all parts, and if another one, which mistake makes that: a part that was lost or added twice, a decoy
// that was added, values from an outdated source.

import type { CheckOf } from "../check-spec.ts";
import { type Judged, right, wrong } from "./judged.ts";
import { type FoundNumber, joinedGroups, numbersIn, plainCharacters } from "./numbers.ts";

type SumCheck = CheckOf<"sum">;

export function judgeSum(check: SumCheck, given: string): Judged {
  const { parts, decoys, outdated } = check;
  const expected = total(Object.values(parts));
  const causes = causesOf(check);
  const answer = joinedGroups(plainCharacters(given), new Set([expected, ...causes.keys()]));
  const found = numbersIn(answer);
  const said = found.map(({ value }) => value);
  if (said.length === 0) return wrong(answer.trim() === "" ? "the answer is empty" : "the answer has no number");
  // The parts themselves may be named on the way to the sum, and small numbers count things.
  const named = new Set([parts, decoys, outdated?.parts ?? {}].flatMap((some) => Object.values(some)));
  const least = Math.min(...Object.values(parts));
  const operands = new Set(found.filter((number) => isOperand(answer, number)).map(({ value }) => value));
  const claimed = found.filter((number) => !isRejected(answer, number) && !operands.has(number.value));
  const all = claimed.length === 0 ? found : claimed;
  const counted = all.filter(({ value }) => Math.abs(value) >= least && !named.has(value));
  const sums = claimsOf(check, answer, counted);
  const [first = said.at(-1) ?? Number.NaN] = sums.filter((value) => value !== expected);
  if (sums.length === 1 && sums[0] === expected) return right(`the sum is ${expected}`);
  // Where many are given none of them says what went wrong.
  const cause = sums.length > 2 ? null : (causes.get(first) ?? null);
  const also = sums.includes(expected)
    ? ` beside ${expected}: which of them is meant is not said`
    : `, not ${expected}`;
  return wrong(`the sum is given as ${first}${also}${cause === null ? "" : ` (${cause})`}`, cause);
}

/** Each once. Of sums that grow by one part after the other only the last is claimed, unless it is said as one of several. */
function claimsOf({ parts }: SumCheck, answer: string, counted: readonly FoundNumber[]): readonly number[] {
  const values = [...new Set(counted.map(({ value }) => value))];
  const partial = new Set(subsetsOf(Object.keys(parts)).map((names) => valuesOf(parts, names)));
  const isRunning = values.every((value, index) => partial.has(value) && value > (values[index - 1] ?? 0));
  const isChoice = counted.some(({ at }) => /\bor\s+\W*$/i.test(answer.slice(Math.max(0, at - 20), at)));
  return isRunning && !isChoice ? values.slice(-1) : values;
}

/** `not 35909`, `instead of 35909`, `~~35909~~`: named to be told apart. */
function isRejected(answer: string, { at, end }: FoundNumber): boolean {
  if (answer.slice(0, at).endsWith("~~") && answer.slice(end).startsWith("~~")) return true;
  return /(?:\bnot|\brather than|\binstead of|≠|!=)[^\S\n]+$/i.test(answer.slice(Math.max(0, at - 40), at));
}

/** `15731; + 9133`, `35909 minus 5000`: on the way to what comes after it. */
function isOperand(answer: string, { end }: FoundNumber): boolean {
  return /^[^\S\n]*[;,]?\s*(?:\+|plus\b|minus\b|[-\u2212][^\S\n]*\d)/i.test(answer.slice(end, end + 40));
}

/** By the wrong sum, the mistakes that make it; those of fewer parts hide those of more. */
function causesOf({ parts, decoys, outdated }: SumCheck): ReadonlyMap<number, string> {
  const expected = total(Object.values(parts));
  const mistakes: { readonly sum: number; readonly size: number; readonly text: string }[] = [];
  const add = (sum: number, names: readonly string[], what: string) => {
    if (sum !== expected) mistakes.push({ sum, size: names.length, text: `${what}: ${names.join(", ")}` });
  };
  for (const names of subsetsOf(Object.keys(decoys))) add(expected + valuesOf(decoys, names), names, "added");
  for (const names of subsetsOf(Object.keys(parts))) add(expected - valuesOf(parts, names), names, "lost");
  for (const names of subsetsOf(Object.keys(parts))) add(expected + valuesOf(parts, names), names, "doubled");
  if (outdated !== undefined)
    for (const names of subsetsOf(Object.keys(outdated.parts)))
      add(expected - valuesOf(parts, names) + valuesOf(outdated.parts, names), names, `from ${outdated.from}`);
  const causes = new Map<number, string>();
  const sizes = new Map<number, number>();
  for (const { sum, size, text } of mistakes.toSorted((a, b) => a.size - b.size)) {
    const known = causes.get(sum);
    if (known !== undefined && sizes.get(sum) !== size) continue;
    causes.set(sum, known === undefined ? text : `${known}, or ${text}`);
    sizes.set(sum, size);
  }
  return causes;
}

/** All but the empty one; the check's numbers are few. */
function subsetsOf(names: readonly string[]): readonly (readonly string[])[] {
  const masks = Array.from({ length: 2 ** names.length - 1 }, (_, index) => index + 1);
  return masks.map((mask) => names.filter((_, place) => (mask & (1 << place)) !== 0));
}

function valuesOf(numbers: Readonly<Record<string, number>>, names: readonly string[]): number {
  return total(names.map((name) => numbers[name] ?? 0));
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
