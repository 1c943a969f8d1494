// Whether rules allow a command line: only where every command in it is exactly what a rule says, and nothing around it can change what
// that means. What is not sure is not allowed: a person is asked instead.

import type { CommandLine, ShellWord, SimpleCommand } from "./command-line.ts";
import type { CommandPattern, Rule } from "./rule.ts";
import { fits } from "./word-pattern.ts";

export type Allowed =
  | { readonly kind: "yes"; readonly rules: readonly string[] }
  /** What no rule speaks of, in a few words. */
  | { readonly kind: "no"; readonly why: string };

export function allows(rules: readonly Rule[], line: CommandLine): Allowed {
  const whole = rules.find(({ pattern }) => pattern === null);
  if (whole !== undefined) return { kind: "yes", rules: [whole.text] };
  if (line.unknown !== null) return { kind: "no", why: line.unknown };
  if (rules.length === 0) return { kind: "no", why: "no rule allows it" };
  const [concern] = line.concerns;
  if (concern !== undefined) return { kind: "no", why: `it ${concern}` };
  const used = new Set<string>();
  for (const command of line.commands) {
    // It only sets variables of its own shell; what their values run is a command of its own here.
    if (command.words.length === 0) continue;
    const rule = rules.find(({ pattern }) => pattern?.kind === "command" && isWhat(pattern, command));
    if (rule === undefined) return { kind: "no", why: `no rule allows "${command.text}"` };
    used.add(rule.text);
  }
  return used.size === 0 ? { kind: "no", why: "no rule allows it" } : { kind: "yes", rules: [...used] };
}

function isWhat(pattern: CommandPattern, { words, variables }: SimpleCommand): boolean {
  if (pattern.open ? words.length < pattern.words.length : words.length !== pattern.words.length) return false;
  if (variables.length !== pattern.variables.length) return false;
  const sameVariables = pattern.variables.every(({ name, value }, index) => {
    const given = variables[index];
    return given?.name === name && isWord(value, given.value);
  });
  return sameVariables && pattern.words.every((word, index) => isWord(word, words[index]));
}

function isWord(pattern: CommandPattern["words"][number], word: ShellWord | undefined): boolean {
  return word?.kind === "literal" && fits(pattern, word.value);
}
