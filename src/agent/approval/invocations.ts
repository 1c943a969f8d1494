// The programs that a command would start, also through others: `sudo`, `env`, `xargs`, `find -exec`, `sh -c`. For rules that forbid,
// which rather see one too many.

import { readCommandLine, type ShellWord, type SimpleCommand } from "./command-line.ts";

export interface Invocations {
  /** Words of each, the program first. */
  readonly found: readonly (readonly ShellWord[])[];
  /** It runs something that nobody can name beforehand. */
  readonly open: boolean;
}

/** A program in a program in a program. */
const depthMax = 6;

/** They run the words that follow. */
const LAUNCHERS: ReadonlySet<string> = new Set(
  "sudo doas su env nohup nice ionice timeout time stdbuf setsid xargs command builtin exec chroot watch strace unshare parallel busybox chrt taskset flock script ssh bwrap".split(
    " ",
  ),
);
const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash", "fish"]);
const FIND_RUNS: ReadonlySet<string> = new Set(["-exec", "-execdir", "-ok", "-okdir"]);

export function invocations(commands: readonly SimpleCommand[]): Invocations {
  const found: (readonly ShellWord[])[] = [];
  let open = false;
  const add = (words: readonly ShellWord[], depth: number): void => {
    const [program] = words;
    if (program === undefined) return;
    if (depth > depthMax) {
      open = true;
      return;
    }
    found.push(words);
    if (program.kind === "dynamic") return;
    const inner = within(programName(program.value), words.slice(1));
    if (inner.open) open = true;
    for (const one of inner.words) add(one, depth + 1);
    for (const script of inner.scripts) {
      const line = readCommandLine(script);
      if (line.unknown !== null) open = true;
      for (const command of line.commands) add(command.words, depth + 1);
    }
  };
  for (const { words } of commands) add(words, 0);
  return { found, open };
}

export function programName(value: string): string {
  return value.slice(value.lastIndexOf("/") + 1);
}

interface Within {
  readonly words: readonly (readonly ShellWord[])[];
  readonly scripts: readonly string[];
  readonly open: boolean;
}

const NOTHING: Within = { words: [], scripts: [], open: false };

function within(name: string, args: readonly ShellWord[]): Within {
  if (SHELLS.has(name)) return inShell(args);
  if (LAUNCHERS.has(name)) return { words: launched(args), scripts: scriptsIn(args), open: false };
  if (name === "eval") return evaluated(args);
  if (name === "trap") return { ...NOTHING, scripts: literals(args.slice(0, 1)), open: args[0]?.kind === "dynamic" };
  if (name !== "find") return NOTHING;
  return {
    ...NOTHING,
    words: args.flatMap((arg, index) =>
      arg.kind === "literal" && FIND_RUNS.has(arg.value) ? [args.slice(index + 1)] : [],
    ),
  };
}

/** What is given to `-c` is a line of its own; without a file, too, it runs what comes in. */
function inShell(args: readonly ShellWord[]): Within {
  const at = args.findIndex((arg) => arg.kind === "literal" && /^-[a-z]*c[a-z]*$/.test(arg.value));
  const plain = args.filter((arg) => arg.kind === "dynamic" || !/^[-+]/.test(arg.value));
  if (at < 0) return { ...NOTHING, open: plain.length === 0 };
  const script = args.slice(at + 1).find((arg) => arg.kind === "dynamic" || !/^[-+]/.test(arg.value));
  if (script?.kind !== "literal") return { ...NOTHING, open: true };
  return { ...NOTHING, scripts: [script.value] };
}

function evaluated(args: readonly ShellWord[]): Within {
  const open = args.some(({ kind }) => kind === "dynamic");
  return { ...NOTHING, scripts: open ? [] : [literals(args).join(" ")], open };
}

/** The first word that is no option, no value of one, no variable and no number; where it may be a value, the next as well. */
function launched(args: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  const found: (readonly ShellWord[])[] = [];
  let afterOption = false;
  for (const [index, arg] of args.entries()) {
    const value = arg.kind === "literal" ? arg.value : null;
    if (value !== null && value !== "--" && value.startsWith("-")) {
      afterOption = !value.includes("=");
      continue;
    }
    if (value === "--" || (value !== null && /^(\w+=|[\d.]+[smhd]?$)/.test(value))) {
      afterOption = false;
      continue;
    }
    found.push(args.slice(index));
    if (!afterOption) break;
    afterOption = false;
  }
  return found;
}

/** `watch "git push"`, `ssh host "git push"`, `su -c "git push"`. */
function scriptsIn(args: readonly ShellWord[]): readonly string[] {
  return literals(args).filter((value) => /\s/.test(value.trim()));
}

function literals(args: readonly ShellWord[]): readonly string[] {
  return args.flatMap((arg) => (arg.kind === "literal" ? [arg.value] : []));
}
