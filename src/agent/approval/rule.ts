// Rules that a person writes down: `bash(git diff *)`, `edit_file(src/**)`, `bash`. What is in the brackets is read as a command line for
// bash, as a pattern of paths for tools with a file, and is not there for others.

import { err, ok, type Result } from "../../base/result.ts";
import { cleanLine } from "../../base/text.ts";
import { readCommandLine } from "./command-line.ts";
import { commandTool, pathTools } from "./ruled-tools.ts";
import { type WordPattern, wordPattern } from "./word-pattern.ts";

export interface CommandPattern {
  readonly kind: "command";
  /** The program first. */
  readonly words: readonly WordPattern[];
  /** It ends in `*`: any words may follow. */
  readonly open: boolean;
  readonly variables: readonly { readonly name: string; readonly value: WordPattern }[];
}

export interface PathPattern {
  readonly kind: "path";
  /** As picomatch reads it, relative to the tree. */
  readonly glob: string;
}

export interface Rule {
  /** As the person wrote it. */
  readonly text: string;
  readonly tool: string;
  /** Null for every use of the tool. */
  readonly pattern: CommandPattern | PathPattern | null;
}

const ruleCharsMax = 1_000;

/** The error is a sentence for the person. */
export function parseRule(text: string, tools: readonly string[]): Result<Rule, string> {
  const shown = cleanLine(text, 200);
  if (text.length > ruleCharsMax) return err(`a rule has at most ${ruleCharsMax} characters`);
  const [, tool, given] = /^\s*([a-z_]+)\s*(?:\(([\s\S]*)\))?\s*$/.exec(text) ?? [];
  if (tool === undefined)
    return err(`"${shown}": a rule is a tool with or without a pattern, such as bash(git diff *)`);
  if (!tools.includes(tool)) return err(`"${shown}": there is no tool ${tool}; the tools are ${tools.join(", ")}`);
  const inner = given?.trim();
  if (inner === undefined || inner === "*" || (pathTools.has(tool) && inner === "**"))
    return ok({ text: shown, tool, pattern: null });
  if (inner === "") return err(`"${shown}": the brackets are empty; ${tool} alone speaks of every use of it`);
  if (tool === commandTool) return commandRule(shown, inner);
  if (!pathTools.has(tool))
    return err(`"${shown}": a rule for ${tool} has no pattern; ${tool} alone speaks of every use of it`);
  if (inner.startsWith("/") || inner.split("/").includes(".."))
    return err(`"${shown}": paths in rules are relative to the directory of the run, without ".."`);
  return ok({ text: shown, tool, pattern: { kind: "path", glob: inner.replace(/^\.\//, "") } });
}

function commandRule(shown: string, inner: string): Result<Rule, string> {
  const line = readCommandLine(inner);
  const [command] = line.commands;
  if (line.unknown !== null || line.commands.length !== 1 || command === undefined || line.concerns.length > 0)
    return err(`"${shown}": the pattern is one command with its words, without pipes, redirections and substitutions`);
  if (command.words.length === 0) return err(`"${shown}": the pattern names no program`);
  const words = command.words.map(wordPattern);
  const variables = command.variables.map(({ name, value }) => ({ name, value: wordPattern(value) }));
  const faulty = [...words, ...variables.map(({ value }) => value)].find((word) => word === null);
  if (faulty === null) return err(`"${shown}": a word of a pattern is plain text, with * for any characters`);
  const known = words.filter((word) => word !== null);
  const open = known.length > 1 && known.at(-1)?.kind === "any";
  return ok({
    text: shown,
    tool: commandTool,
    pattern: {
      kind: "command",
      words: open ? known.slice(0, -1) : known,
      open,
      variables: variables.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }])),
    },
  });
}
