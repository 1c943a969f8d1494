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
const INTERPRETERS = /^(python|node|perl|ruby|php|lua|tclsh|osascript)[\d.]*$/;
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
  for (const { words, variables } of commands) {
    // git takes settings from them, aliases as well.
    if (variables.some(({ name }) => name.startsWith("GIT_CONFIG"))) open = true;
    add(words, 0);
  }
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
  if (LAUNCHERS.has(name)) return { words: fed(name, args), scripts: scriptsIn(args), open: false };
  switch (name) {
    case "eval":
      return evaluated(args);
    case "trap":
      return trapped(args);
    case "source":
    case ".":
      return { ...NOTHING, open: isUnread(operands(args)[0]) };
    case "git":
      return { ...NOTHING, open: args.some(namesAlias) };
    case "alias":
    case "hash":
    case "enable":
      return { ...NOTHING, open: args.some((arg) => arg.kind === "dynamic" || /=|^-[pf]/.test(arg.value)) };
    case "at":
    case "batch":
      return { ...NOTHING, open: true };
    case "find":
      return {
        ...NOTHING,
        words: args.flatMap((arg, index) =>
          arg.kind === "literal" && FIND_RUNS.has(arg.value) ? [args.slice(index + 1)] : [],
        ),
      };
    default:
      // It runs what comes in.
      return INTERPRETERS.test(name) ? { ...NOTHING, open: args.every((arg) => isLiteral(arg, "-")) } : NOTHING;
  }
}

/** What is given to `-c` is a line of its own; without a file, too, it runs what comes in. */
function inShell(args: readonly ShellWord[]): Within {
  const at = args.findIndex((arg) => arg.kind === "literal" && /^-[A-Za-z]*c[A-Za-z]*$/.test(arg.value));
  if (at >= 0) {
    const script = args.slice(at + 1).find((arg) => arg.kind === "dynamic" || !/^[-+]/.test(arg.value));
    return script?.kind === "literal" ? { ...NOTHING, scripts: [script.value] } : { ...NOTHING, open: true };
  }
  const reads = args.some((arg) => arg.kind === "literal" && /^-[A-Za-z]*s[A-Za-z]*$/.test(arg.value));
  return { ...NOTHING, open: reads || isUnread(operands(args)[0]) };
}

function evaluated(args: readonly ShellWord[]): Within {
  const open = args.some(({ kind }) => kind === "dynamic");
  return { ...NOTHING, scripts: open ? [] : [literals(args).join(" ")], open };
}

function trapped(args: readonly ShellWord[]): Within {
  const [action] = args.filter((arg) => !isLiteral(arg, "--"));
  return { ...NOTHING, scripts: action === undefined ? [] : literals([action]), open: action?.kind === "dynamic" };
}

/** Options of shells with a word of their own behind them. */
const VALUED = /^([-+][oO]|--rcfile|--init-file)$/;

function operands(args: readonly ShellWord[]): readonly ShellWord[] {
  return args.filter((arg, index) => {
    const before = args[index - 1];
    if (before?.kind === "literal" && VALUED.test(before.value)) return false;
    return arg.kind === "dynamic" || !/^[-+]/.test(arg.value);
  });
}

/** No file of a known name: a substitution, or what comes in. */
function isUnread(script: ShellWord | undefined): boolean {
  if (script?.kind === "dynamic") return !/^~[\w./-]*$/.test(script.text);
  return script === undefined || /^\/(dev|proc)\//.test(script.value);
}

/** Settings by which a name of git's stands for something else. */
function namesAlias(arg: ShellWord): boolean {
  return arg.kind === "literal" && /^((-c)?(alias\.|include\.|includeif\.)|--config-env)/i.test(arg.value);
}

function isLiteral(arg: ShellWord, value: string): boolean {
  return arg.kind === "literal" && arg.value === value;
}

/** `xargs` and `parallel` add words that come in, in the place of a mark or at the end. */
function fed(name: string, args: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  const found = launched(args);
  if (name !== "xargs" && name !== "parallel") return found;
  const more: ShellWord = { kind: "dynamic", text: "…" };
  const marks = ["{}", ...marksIn(args)];
  return found.map((words) => {
    const end = words.findIndex((word) => word.kind === "literal" && word.value.startsWith(":::"));
    const own = end < 0 ? words : words.slice(0, end);
    const isMarked = (word: ShellWord) => marks.some((mark) => word.kind === "literal" && word.value.includes(mark));
    return [...own.map((word) => (isMarked(word) ? more : word)), more];
  });
}

/** `-I mark`, `-Imark`, `--replace=mark`. */
function marksIn(args: readonly ShellWord[]): readonly string[] {
  return args.flatMap((arg, index) => {
    if (arg.kind !== "literal") return [];
    const [, own = ""] = /^(?:-[IJi]|--replace=)(.+)$/.exec(arg.value) ?? [];
    const next = args[index + 1];
    const other = /^-[IJ]$/.test(arg.value) && next?.kind === "literal" ? next.value : "";
    return [own, other].filter((mark) => mark !== "");
  });
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
