// Whether a hook is for an event: its matcher against the event's value (a tool's name, a reason), as Claude Code compares them, and its
// `if` against the call. Invariant: in doubt a hook is run, since it may be a guard.

import picomatch from "picomatch";

/** Names of one tool: the one that hooks are told first, then those that older matchers, or people who know Skein's names, use. */
export type MatchNames = readonly [string, ...string[]];

/** Letters, digits and these alone make a list of names; anything else a regular expression. */
const LIST = /^[A-Za-z0-9_\- ,|]*$/;

/** A pattern that is no regular expression matches everything: see above. */
export function matches(matcher: string, names: MatchNames): boolean {
  const text = matcher.trim();
  if (text === "" || text === "*") return true;
  if (LIST.test(text)) {
    const wanted = text.split(/[|,]/).map((name) => name.trim());
    return names.some((name) => wanted.includes(name));
  }
  try {
    const pattern = new RegExp(text);
    return names.some((name) => pattern.test(name));
  } catch {
    return true;
  }
}

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

/** Any of its simple commands; what is substituted or quoted oddly cannot be told here, and may be anything. */
function commandMayMatch(command: string, pattern: string): boolean {
  if (/[`\\]|\$\(|\$\{|\$'|<\(|\beval\b/.test(command)) return true;
  const wanted = wildcard(pattern);
  return command
    .split(/&&|\|\||[;|&\n(){}]/)
    .map((part) =>
      part
        .trim()
        .replace(/^(?:\w+=\S*\s+)+/, "")
        .replace(/["']/g, ""),
    )
    .some((part) => wanted.test(part));
}

/** `*` is anything; at the end and after a space, or as `:*`, the words after a command, of which there may be none. */
function wildcard(pattern: string): RegExp {
  const [, head = "", rest = ""] = /^([\s\S]*?)((?::| )\*)?$/.exec(pattern.trim()) ?? [];
  const escaped = head.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${escaped.join("[\\s\\S]*")}${rest === "" ? "" : "(?:\\s[\\s\\S]*)?"}$`);
}
