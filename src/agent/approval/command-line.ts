// What a line for bash would run, read from its syntax tree: each simple command wherever it stands, with its words, and everything else
// that could change what they mean. Invariant: what cannot be known before the line runs is dynamic or a concern, never a guess.

import { type ParsedScript, parse, type Redirection, type Word } from "unbash";
import { CALCULATES, type Found, walkScript } from "./walk.ts";
import { literalOf } from "./words.ts";

export { CALCULATES };

/** A word after quotes and escapes are taken away, or one whose value only a shell knows. */
export type ShellWord =
  | { readonly kind: "literal"; readonly value: string }
  /** `text` is its source: a variable, a substitution, a pattern. */
  | { readonly kind: "dynamic"; readonly text: string };

export interface SimpleCommand {
  /** The program first; empty for a line that only sets variables. */
  readonly words: readonly ShellWord[];
  /** Before the program, `NAME=value` each: they are in its environment. */
  readonly variables: readonly { readonly name: string; readonly value: ShellWord }[];
  /** Its source. */
  readonly text: string;
}

export interface CommandLine {
  /** In the order of the source, those in substitutions, functions and loops included. */
  readonly commands: readonly SimpleCommand[];
  /** Why the words alone do not say what is done: files that are written, variables that are set, functions. A few words each. */
  readonly concerns: readonly string[];
  /** Here-documents and here-strings. */
  readonly inputs: readonly string[];
  /** The line itself. */
  readonly source: string;
  /** Null for a line that is understood. */
  readonly unknown: string | null;
}

/** UTF-16 units: a longer line is nothing that a rule speaks of. */
const lineCharsMax = 50_000;
/** All but tab and newline. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

export function readCommandLine(line: string): CommandLine {
  const unknown = (why: string): CommandLine => ({
    ...{ commands: [], concerns: [], inputs: [] },
    source: line,
    unknown: why,
  });
  if (line.length > lineCharsMax) return unknown(`it has more than ${lineCharsMax} characters`);
  // The shell and a reader see other things: a carriage return is a character of a word, NUL ends the line, and some are bash's own marks.
  if (CONTROL.test(line)) return unknown("it has control characters");
  let script: ParsedScript;
  try {
    script = parse(line);
  } catch {
    return unknown("its syntax is not understood");
  }
  const found = walkScript(script);
  if (found.unknown !== null) return unknown(found.unknown);
  return {
    commands: found.commands.map((command) => simpleCommand(command, line)),
    concerns: [...new Set([...found.concerns, ...found.redirections.flatMap(redirectionConcern)])],
    inputs: found.redirections.flatMap(inputOf),
    source: line,
    unknown: null,
  };
}

function simpleCommand({ command, source }: Found["commands"][number], line: string): SimpleCommand {
  const words: Word[] = command.name === undefined ? [] : [command.name];
  for (const argument of command.args) if (argument.type === "Word") words.push(argument);
  return {
    words: [
      ...words.map(literalOf),
      // `export A=1`: an assignment by its looks, an argument to the program.
      ...command.args.flatMap((one): ShellWord[] => (one.type === "Word" ? [] : [{ kind: "dynamic", text: one.text }])),
    ],
    variables: command.prefix.flatMap((one) =>
      one.type === "Assignment" ? [{ name: one.name, value: assignedOf(one.value) }] : [],
    ),
    text: (source ?? line).slice(command.pos, command.end),
  };
}

function assignedOf(value: Word | { readonly type: "ArrayValue" }): ShellWord {
  return value.type === "Word" ? literalOf(value) : { kind: "dynamic", text: "(…)" };
}

function inputOf(redirection: Redirection): readonly string[] {
  if (redirection.type === "HereDoc") return [redirection.body.text];
  return redirection.type === "HereString" && redirection.target !== undefined ? [redirection.target.value] : [];
}

/** Standard streams that are joined or thrown away change no file and bring nothing in. */
function redirectionConcern(redirection: Redirection): readonly string[] {
  switch (redirection.type) {
    case "HereDoc":
    case "HereString":
      return ["gives a program its input"];
    default: {
      const { operator, descriptor } = redirection;
      if (descriptor?.type === "FileDescriptorVariable") return [`sets ${descriptor.name}`];
      const target = redirection.target === undefined ? null : literalOf(redirection.target);
      const name = target?.kind === "literal" ? target.value : null;
      if ((operator === ">&" || operator === "<&") && name !== null && /^(\d+-?|-)$/.test(name)) return [];
      if (name === "/dev/null" && operator !== "<>") return [];
      const shown = name ?? redirection.target?.text ?? "a file";
      return operator === "<" ? [`reads ${shown}`] : [`writes ${shown}`];
    }
  }
}
