// Whether a rule forbids a command line: also where the program is started by another one, its options stand elsewhere or are written
// otherwise, or more words follow. What may be forbidden, and cannot be known before it runs, is `maybe`: nothing allows it unasked.

import { CALCULATES, type CommandLine, type ShellWord } from "./command-line.ts";
import { invocations, programName } from "./invocations.ts";
import { isInert, looseWords, textsOf, withoutOption } from "./mentions.ts";
import type { CommandPattern, Rule } from "./rule.ts";
import { fits, type WordPattern } from "./word-pattern.ts";

export type Denied =
  | { readonly kind: "yes" | "maybe"; readonly rule: string; readonly why: string }
  | { readonly kind: "no" };

type Match = "yes" | "maybe" | "no";

export function denies(rules: readonly Rule[], line: CommandLine): Denied {
  const [first] = rules;
  if (first === undefined) return { kind: "no" };
  const { found, open } = invocations(line.commands);
  let maybe: Denied | null = null;
  for (const { text, pattern } of rules) {
    if (pattern === null) return { kind: "yes", rule: text, why: "every command is forbidden" };
    if (pattern.kind !== "command") continue;
    for (const words of found) {
      const match = matches(pattern, words);
      const why = `it runs "${words.map(shown).join(" ").slice(0, 200)}"`;
      if (match === "yes") return { kind: "yes", rule: text, why };
      if (match === "maybe") maybe ??= { kind: "maybe", rule: text, why };
    }
  }
  if (line.unknown !== null) return { kind: "maybe", rule: first.text, why: line.unknown };
  if (open) return { kind: "maybe", rule: first.text, why: "it runs what cannot be known beforehand" };
  return maybe ?? mentioned(rules, line);
}

/** What is forbidden stands on the line, and what becomes of it there is not known. */
function mentioned(rules: readonly Rule[], line: CommandLine): Denied {
  const loud = line.commands.filter((command) => !isInert(command));
  const texts = [
    ...loud.flatMap(textsOf),
    // Without a program that could do something with it, an input is only passed on.
    ...(loud.length > 0 ? line.inputs : []),
    ...(line.concerns.includes(CALCULATES) ? [line.source] : []),
  ].map(looseWords);
  for (const { text, pattern } of rules) {
    if (pattern?.kind !== "command") continue;
    const words = texts.find((words) => mentions(pattern, words));
    if (words === undefined) continue;
    const why = `it may run what it speaks of: "${words.map(shown).join(" ").slice(0, 200)}"`;
    return { kind: "maybe", rule: text, why };
  }
  return { kind: "no" };
}

function mentions(pattern: CommandPattern, words: readonly ShellWord[]): boolean {
  return words.some((word, index) => {
    if (word.kind !== "literal") return false;
    const rest = words.slice(index + 1);
    return [word.value, withoutOption(word)].some(
      (value) => matches(pattern, [{ kind: "literal", value }, ...rest]) !== "no",
    );
  });
}

function shown(word: ShellWord): string {
  return word.kind === "literal" ? word.value : word.text;
}

function matches(pattern: CommandPattern, [program, ...args]: readonly ShellWord[]): Match {
  const [wanted, ...rest] = pattern.words;
  if (program === undefined || wanted === undefined) return "no";
  // One word of a line may become many.
  if (program.kind === "dynamic") return "maybe";
  const name = programName(program.value);
  // Some file systems do not tell case apart.
  if (!fits(baseOf(wanted), name) && !fits(baseOf(wanted), name.toLowerCase())) return "no";
  const options = rest.filter(isOption).map((option) => hasOption(option, args));
  return allOf([
    ...options,
    hasInOrder(
      rest.filter((word) => !isOption(word)),
      args,
      name,
    ),
  ]);
}

function allOf(all: readonly Match[]): Match {
  if (all.includes("no")) return "no";
  return all.includes("maybe") ? "maybe" : "yes";
}

function baseOf(word: WordPattern): WordPattern {
  return word.kind === "plain" ? { kind: "plain", value: programName(word.value) } : word;
}

function isOption(word: WordPattern): boolean {
  if (word.kind === "stars") return word.pieces[0]?.startsWith("-") === true;
  return word.kind === "plain" && /^-./.test(word.value) && word.value !== "--";
}

/** Letters of short options that have a long name with many programs. */
const LONG: Readonly<Record<string, readonly string[]>> = {
  a: ["all"],
  d: ["delete"],
  f: ["force"],
  i: ["interactive"],
  r: ["recursive"],
  g: ["global"],
  y: ["yes"],
};

function hasOption(wanted: WordPattern, args: readonly ShellWord[]): Match {
  const given = args.flatMap((arg) => (arg.kind === "literal" && arg.value.startsWith("-") ? [arg.value] : []));
  if (isAmong(wanted, given)) return "yes";
  return args.some(({ kind }) => kind === "dynamic") ? "maybe" : "no";
}

function isAmong(wanted: WordPattern, given: readonly string[]): boolean {
  if (wanted.kind !== "plain") return given.some((one) => fits(wanted, one));
  if (wanted.value.startsWith("--")) return hasLong(wanted.value.slice(2), given);
  return [...wanted.value.slice(1)].every((letter) => hasShort(letter, given));
}

/** `-rf`, `-f -r`, `-R`; a long name that is known for it. */
function hasShort(letter: string, given: readonly string[]): boolean {
  const small = letter.toLowerCase();
  return given.some((one) =>
    one.startsWith("--")
      ? LONG[small]?.some((name) => isLong(one, name)) === true
      : one.slice(1).toLowerCase().includes(small),
  );
}

function hasLong(name: string, given: readonly string[]): boolean {
  const letter = Object.entries(LONG).find(([, names]) => names.includes(name))?.[0];
  return given.some((one) =>
    one.startsWith("--") ? isLong(one, name) : letter !== undefined && one.slice(1).toLowerCase().includes(letter),
  );
}

/** Programs take the beginning of a long name for it. */
function isLong(given: string, name: string): boolean {
  const [bare = ""] = given.slice(2).split("=");
  const [wanted = ""] = name.split("=");
  return bare === wanted || (bare.length >= 3 && wanted.startsWith(bare));
}

/** Options of these programs that have no value, so that the word after them is not one. */
const VALUELESS: Readonly<Record<string, RegExp>> = {
  git: /^(-p|-P|--paginate|--no-pager|--bare|--no-replace-objects|--literal-pathspecs|--no-optional-locks|--html-path|--version|--help)$/,
};

/** The words in this order, each next to the one before; a word after an option may be its value, and is passed over where it does not fit. */
function hasInOrder(wanted: readonly WordPattern[], args: readonly ShellWord[], program: string): Match {
  let sure = true;
  let next = 0;
  let afterOption = false;
  let onlyPlain = false;
  for (const arg of args) {
    const pattern = wanted[next];
    if (pattern === undefined) break;
    if (arg.kind === "dynamic") {
      sure = false;
      // It may be nothing, one word or many.
      next += 1;
      afterOption = true;
      continue;
    }
    const { value } = arg;
    if (value === "--") {
      onlyPlain = true;
      continue;
    }
    if (!onlyPlain && value.startsWith("-") && value !== "-") {
      afterOption = !value.includes("=") && VALUELESS[program]?.test(value) !== true;
      continue;
    }
    if (fits(pattern, value)) next += 1;
    else if (!afterOption) return "no";
    afterOption = false;
  }
  if (!sure) return "maybe";
  return next >= wanted.length ? "yes" : "no";
}
