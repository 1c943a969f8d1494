// Whether rules allow a command line: only where every command in it is exactly what a rule says, and nothing around it can change what
// that means. What is not sure is not allowed: a person is asked instead.

import type { CommandLine, ShellWord, SimpleCommand } from "./command-line.ts";
import { invocations, programName } from "./invocations.ts";
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
    const fitting = rules.filter(({ pattern }) => pattern?.kind === "command" && isWhat(pattern, command));
    const rule = fitting.find((one) => startsOther(rules, one, command) === null);
    if (rule === undefined) {
      const [first] = fitting;
      const more = first === undefined ? null : startsOther(rules, first, command);
      return { kind: "no", why: `no rule allows ${more === null ? "" : `${more} in `}"${command.text}"` };
    }
    used.add(rule.text);
  }
  return used.size === 0 ? { kind: "no", why: "no rule allows it" } : { kind: "yes", rules: [...used] };
}

/**
 * What a program starts or writes by words that a rule leaves open is not what the person had in mind: `bash(find *)` is not `find -exec rm`.
 * Null where there is nothing of the kind, or rules allow that, too.
 */
function startsOther(rules: readonly Rule[], rule: Rule, command: SimpleCommand): string | null {
  if (rule.pattern?.kind !== "command" || !isLoose(rule.pattern)) return null;
  const [program, ...args] = command.words;
  if (program?.kind !== "literal") return null;
  const given = args.slice(rule.pattern.words.length - 1);
  const name = programName(program.value);
  const word = given.find((arg) => arg.kind === "literal" && isTelling(name, arg.value));
  if (word?.kind === "literal") return word.value;
  const { found, open } = invocations([command]);
  if (open) return "what comes in";
  const named = new Set(command.words.slice(0, rule.pattern.words.length));
  const other = found.slice(1).find((words) => {
    if (words[0] !== undefined && named.has(words[0])) return false;
    const started = { words, variables: [], text: "" };
    return !rules.some(({ pattern }) => pattern?.kind === "command" && isWhat(pattern, started));
  });
  return other === undefined ? null : "the program that is started";
}

function isLoose(pattern: CommandPattern): boolean {
  return pattern.open || pattern.words.some(({ kind }) => kind !== "plain");
}

/** Options by which these programs start others or write files. */
const TELLING: Readonly<Record<string, RegExp>> = {
  find: /^-(delete|fprint0?|fprintf|fls|exec|execdir|ok|okdir)$/,
  fd: /^(-[xX]|--exec|--exec-batch)(=|$)/,
  fdfind: /^(-[xX]|--exec|--exec-batch)(=|$)/,
  git: /^(-x|--exec|--config-env|--upload-pack|--receive-pack|--extcmd|--open-files-in-pager|-O|--output|--ext-diff|--textconv|(-c)?[a-z][a-z0-9-]*\.[^=\s]+=)|^(run|foreach|filter-branch|difftool|mergetool)$/i,
  rg: /^--(pre|hostname-bin)(=|$)/,
  sort: /^(-o|--output|--compress-program)/,
  tar: /^(-I|-F|--checkpoint-action|--to-command|--use-compress-program|--info-script|--new-volume-script|--rsh-command)/,
};
/** The shell runs what stands in an index: `printf -v 'a[$(make)]'`. */
const INDEXING =
  /^(\[|declare|export|getopts|let|local|mapfile|printf|read|readarray|readonly|test|typeset|unset|wait)$/;

function isTelling(name: string, value: string): boolean {
  return TELLING[name]?.test(value) === true || (INDEXING.test(name) && /\$\(|`/.test(value));
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
