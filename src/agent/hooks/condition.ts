// The `if` of a hook against a call: a permission rule in Claude Code's form. A command is read as rules that forbid read it, since a guard
// that a second space gets around guards nothing. Invariant: in doubt a hook is run.

import picomatch from "picomatch";
import { readCommandLine } from "../approval/command-line.ts";
import { denies } from "../approval/denies.ts";
import { parseRule } from "../approval/rule.ts";
import { commandTool } from "../approval/ruled-tools.ts";
import type { MatchNames } from "./matcher.ts";

export interface ConditionCall {
  readonly names: MatchNames;
  /** A shell command; null for a call that is none. */
  readonly command: string | null;
  /** A path, relative to the root where it lies in it; null for a call that names none. */
  readonly path: string | null;
}

/** `Tool` or `Tool(pattern)`. */
export function mayCover(condition: string, { names, command, path }: ConditionCall): boolean {
  const [, tool = "", , pattern] = /^\s*([\w-]+)\s*(\(([\s\S]*)\))?\s*$/.exec(condition) ?? [];
  if (tool === "") return true;
  if (!names.includes(tool)) return false;
  if (pattern === undefined || pattern === "" || pattern === "*") return true;
  if (command !== null) return commandMayMatch(command, pattern);
  if (path === null) return true;
  return picomatch.isMatch(path, pattern.replace(/^\.?\//, ""), { dot: true, matchBase: !pattern.includes("/") });
}

/** Whatever the line says, or may come to run. */
function commandMayMatch(command: string, pattern: string): boolean {
  // `git push:*` is an older form of `git push *`.
  const rule = parseRule(`${commandTool}(${pattern.trim().replace(/:\*$/, " *")})`, [commandTool]);
  if (!rule.ok || wildcard(pattern).test(command.trim())) return true;
  return denies([rule.value], readCommandLine(command)).kind !== "no";
}

/** `*` is anything; at the end and after a space, or as `:*`, the words after a command, of which there may be none. */
function wildcard(pattern: string): RegExp {
  const [, head = "", rest = ""] = /^([\s\S]*?)((?::| )\*)?$/.exec(pattern.trim()) ?? [];
  const escaped = head.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${escaped.join("[\\s\\S]*")}${rest === "" ? "" : "(?:\\s[\\s\\S]*)?"}$`);
}
