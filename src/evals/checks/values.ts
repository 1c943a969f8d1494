// Whether each name has its value in the answer, whatever the form: lines, one line, a table, a sentence. What is said last of a name
// counts, a line of its own before words around it, and a sum that is written out counts as its result.

import type { CheckOf } from "../check-spec.ts";
import { type Judged, right, wrong } from "./judged.ts";
import { type FoundNumber, joinedGroups, numbersIn, plainCharacters } from "./numbers.ts";

type ValuesCheck = CheckOf<"values">;

export function judgeValues(check: ValuesCheck, given: string): Judged {
  const names = Object.keys(check.expected);
  const known = [check.expected, ...Object.values(check.decoys)].flatMap((values) => Object.values(values));
  const answer = joinedGroups(plainCharacters(given), new Set(known));
  if (answer.trim() === "") return wrong("the answer is empty");
  const problems = names.flatMap((name) => problemOf(check, name, answer) ?? []);
  if (problems.length === 0) return right(`all ${names.length} values are right`);
  const causes = problems.flatMap(({ cause }) => cause ?? []);
  return wrong(problems.map(({ detail }) => detail).join("; "), causes.length === 0 ? null : causes.join("; "));
}

function problemOf(
  { expected, decoys }: ValuesCheck,
  name: string,
  answer: string,
): { readonly detail: string; readonly cause: string | null } | null {
  const want = expected[name];
  const known = decoys[name] ?? {};
  const said = saidOf(name, Object.keys(expected), answer);
  if (said.length === 0) return { detail: `${name} has no value`, cause: `${name}: missing` };
  if (said.some((value) => value === want) && !said.some((value) => Object.values(known).includes(value))) return null;
  const last = said.at(-1);
  const decoy = Object.entries(known).find(([, value]) => said.includes(value))?.[0];
  const other = Object.entries(expected).find(([own, value]) => own !== name && value === last)?.[0];
  const cause = decoy !== undefined ? `from ${decoy}` : other !== undefined ? `swapped with ${other}` : null;
  const detail = `${name} is given as ${said.join(", ")}, not ${want}${cause === null ? "" : ` (${cause})`}`;
  return { detail, cause: cause === null ? null : `${name}: ${cause}` };
}

/** What is assigned to the name; where nothing is, the numbers between it and the next name, and those that are said to be for it. */
function saidOf(name: string, names: readonly string[], answer: string): readonly number[] {
  const numbers = numbersIn(answer);
  const mentions = names.flatMap((own) =>
    [...answer.matchAll(mentionOf(own))].map((found) => ({ own, at: found.index, end: found.index + found[0].length })),
  );
  const own = mentions.filter((mention) => mention.own === name);
  const assigned = own.flatMap(({ at, end }) => {
    const value = assignedAfter(end, numbers, answer);
    return value === null ? [] : [{ ...value, stands: standsAlone(answer, { at, end: value.end }) }];
  });
  // Words around the asked-for lines may name other values, and only a correction means them.
  const last = assigned.findLast(({ stands }) => stands) ?? assigned.at(-1);
  if (last !== undefined) return [last.value];
  const following = own.flatMap(({ end }) => {
    const next = Math.min(answer.length, ...mentions.filter(({ at }) => at >= end).map(({ at }) => at));
    return numbers.filter(({ at }) => at >= end && at < next && !belongsToNext(answer, at, next));
  });
  const before = own.flatMap(({ at }) => numbers.filter(({ end }) => forName.test(answer.slice(end, at))));
  return [...before, ...following].map(({ value }) => value);
}

function mentionOf(name: string): RegExp {
  return new RegExp(`(?<![\\w-])${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w-])`, "gi");
}

/** What stands between a name and the value that it is given. */
const assigning = /^["'`*_)\]]*\s*(?:=|:|\||->|=>|→|is|was)\s*["'`*_(]*[-\u2212]?$/i;
/** `2750 ms for auth`. */
const forName = /^\s*(?:ms|milliseconds)?["'`*_)]*\s+(?:for|in|is)\s+(?:module\s+)?["'`*_(]*$/i;

function belongsToNext(answer: string, at: number, next: number): boolean {
  const number = numbersIn(answer).find((one) => one.at === at);
  return number !== undefined && forName.test(answer.slice(number.end, next));
}

/** A line with nothing but the name and its value, or one that says that it corrects what was said before. */
function standsAlone(answer: string, { at, end }: { readonly at: number; readonly end: number }): boolean {
  const [before, after] = [answer.slice(0, at).split("\n").at(-1) ?? "", answer.slice(end).split("\n", 1)[0] ?? ""];
  if (/\b(?:actually|correction|corrected|sorry)\b/i.test(before)) return true;
  return /^[^\p{L}\p{N}]*$/u.test(before) && /^\s*(?:ms|milliseconds)?[^\p{L}\p{N}]*$/iu.test(after);
}

/** Also of `1500 + 350` and of `1500 + 350 = 1850`. Null where no value is assigned there. */
function assignedAfter(
  end: number,
  numbers: readonly FoundNumber[],
  answer: string,
): { readonly value: number; readonly end: number } | null {
  const place = numbers.findIndex(({ at }) => at >= end);
  const first = numbers[place];
  if (first === undefined || !assigning.test(answer.slice(end, first.at))) return null;
  let value = first.value;
  let before = first;
  for (const number of numbers.slice(place + 1)) {
    const between = answer.slice(before.end, number.at);
    if (/^\s*=\s*$/.test(between)) return { value: number.value, end: number.end };
    if (!/^\s*\+\s*$/.test(between)) break;
    value += number.value;
    before = number;
  }
  return { value, end: before.end };
}
