// Whether a command speaks of what a rule forbids although it is no command of the line by itself: behind a program that starts others and
// that nobody here knows, in a script for another interpreter, in a variable or an input. For rules that forbid: a question too many.

import type { ShellWord, SimpleCommand } from "./command-line.ts";

/** Their words are told, counted, looked for or named, and never run. */
const INERT: ReadonlySet<string> = new Set(
  ": [ basename cat cd dirname echo egrep false fgrep grep head ls mkdir printf pwd sleep tail test touch true type wc which".split(
    " ",
  ),
);
const INERT_GIT: ReadonlySet<string> = new Set("add branch commit diff log mv rm show status tag".split(" "));

export function isInert({ words, variables }: SimpleCommand): boolean {
  const [program, first] = words;
  if (program?.kind !== "literal" || variables.length > 0) return false;
  // The shell itself runs what stands in an index: `printf -v 'a[$(make)]'`.
  if (words.some((word) => word.kind === "literal" && /\$\(|`/.test(word.value))) return false;
  if (program.value === "git") return first?.kind === "literal" && INERT_GIT.has(first.value);
  return INERT.has(program.value);
}

/** Texts of a command that something may run: its words side by side, and the values of its variables. */
export function textsOf({ words, variables }: SimpleCommand): readonly string[] {
  return [words.map(textOf).join(" "), ...variables.map(({ value }) => textOf(value))];
}

/** Words of a text as any language may hold them: `system("git push")`, `--exec=git push`, `-S'git push'`, `["git", "push"]`. */
export function looseWords(text: string): readonly ShellWord[] {
  return text
    .replaceAll("\\_", " ")
    .split(/[\s"'`$(){}[\];&|<>,=!\\]+/)
    .flatMap((value): ShellWord[] => (value === "" ? [] : [{ kind: "literal", value }]));
}

/** A short option and what is written onto it. */
export function withoutOption({ value }: { readonly value: string }): string {
  return value.replace(/^-[A-Za-z](?=[A-Za-z/.])/, "");
}

function textOf(word: ShellWord): string {
  return word.kind === "literal" ? word.value : word.text;
}
