// Secrets in options of commands, which have no name of their own: `mysql -pSECRET`, `curl -u jo:secret`, `redis-cli -a x`. Which option of which
// command takes one is in its manual. Invariant: a command's options end with its line or the next command.

import { digitsIn } from "./random-look.ts";
import { type Characters, isSpace, type Scan, type Span } from "./scan.ts";
import { isStandIn, withoutEnd } from "./words.ts";

interface Option {
  readonly commands: readonly string[];
  readonly option: string;
  /** `attached`: in one word with the option. `next`: the next word, or attached. */
  readonly form: "attached" | "next";
  /** `pair`: only what has a colon or a percent sign in it, as in `user:password`. */
  readonly takes: "secret" | "pair";
}

const OPTIONS: readonly Option[] = [
  {
    commands: [
      "mysql",
      "mysqldump",
      "mysqladmin",
      "mysqlimport",
      "mysqlcheck",
      "mariadb",
      "mariadb-dump",
      "mariadb-admin",
    ],
    option: "-p",
    form: "attached",
    takes: "secret",
  },
  {
    commands: ["sshpass", "docker", "podman", "mongo", "mongosh", "mongodump", "az", "7z", "7za"],
    option: "-p",
    form: "next",
    takes: "secret",
  },
  { commands: ["redis-cli"], option: "-a", form: "next", takes: "secret" },
  { commands: ["sqlcmd", "bcp", "zip", "unzip", "cqlsh"], option: "-P", form: "next", takes: "secret" },
  { commands: ["ldapsearch", "ldapmodify", "ldapadd", "ldapwhoami"], option: "-w", form: "next", takes: "secret" },
  { commands: ["smbclient", "rpcclient", "curl"], option: "-U", form: "next", takes: "pair" },
  { commands: ["http", "https", "xh"], option: "-a", form: "next", takes: "pair" },
];

/** With these two words of it only: elsewhere the option means something else. */
const LOGIN = new Set(["docker", "podman", "az"]);
const commands = new Map<string, readonly Option[]>();
for (const one of OPTIONS)
  for (const command of one.commands) commands.set(command, [...(commands.get(command) ?? []), one]);

interface Context {
  readonly command: string;
  readonly options: readonly Option[];
  readonly login: boolean;
}

const none: Context = { command: "", options: [], login: false };
const wordCharsMax = 4_000;

export function commandOptions(scan: Scan): readonly Span[] {
  const found: Span[] = [];
  if (!hasOption(scan)) return found;
  let context = none;
  let end = 0;
  for (const span of words(scan)) {
    if (hasLineEnd(scan, end, span.start)) context = none;
    end = span.end;
    const word = scan.slice({ start: span.start, end: Math.min(span.end, span.start + wordCharsMax) });
    const command = word.slice(word.lastIndexOf("/") + 1).replace(/^[$(`"']+/, "");
    const options = commands.get(command);
    if (options !== undefined) context = { command, options, login: false };
    else if (word === "login") context = { ...context, login: true };
    const secret = ofOptions(scan, span, word, context) ?? pairOption(scan, span, word) ?? unknownOption(span, word);
    if (secret !== null) found.push(secret);
    if (/[|;&]$/.test(word)) context = none;
  }
  return found;
}

/** Whether any word begins with a dash: most texts have none, and need not be taken apart. */
function hasOption(scan: Scan): boolean {
  for (let at = scan.find("-", 0); at >= 0; at = scan.find("-", at + 1))
    if (at === 0 || isSpace(scan.code(at - 1))) return true;
  return false;
}

function* words(scan: Scan): Generator<Span> {
  yield* scan.runs((code) => !isSpace(code));
}

function hasLineEnd(scan: Scan, from: number, to: number): boolean {
  return scan.slice({ start: from, end: to }).includes("\n");
}

function ofOptions(scan: Scan, span: Span, word: string, { command, options, login }: Context): Span | null {
  if (LOGIN.has(command) && !login) return null;
  for (const { option, form, takes } of options) {
    if (!word.startsWith(option)) continue;
    if (word.length > option.length && !word.startsWith("--"))
      return valued(span.start + option.length, word.slice(option.length), takes);
    if (form === "next" && word === option) return nextWord(scan, span.end, takes);
  }
  return null;
}

/** curl's and wget's, which others have taken over: a name and its password. Two numbers are a user's and a group's. */
function pairOption(scan: Scan, span: Span, word: string): Span | null {
  if (/^(-u|--user|--proxy-user|--userpwd)$/.test(word)) return nextWord(scan, span.end, "pair");
  const [, option = "", value = ""] = /^(-u|--user=|--proxy-user=|--userpwd=)(.+)$/s.exec(word) ?? [];
  return option === "" || value.startsWith("=") ? null : valued(span.start + option.length, value, "pair");
}

/** `-pSECRET` of a command that is not known. Options of small letters, numbers, places and ports are others. */
function unknownOption({ start }: Span, word: string): Span | null {
  const value = word.startsWith("-p") ? withoutEnd(word.slice(2), "`\"').,;") : "";
  if (value.length < 6 || !/^[^\s/=]+$/.test(value) || /^[\d:.]+$|^[a-z-]+$/.test(value) || isStandIn(value))
    return null;
  return digitsIn(value) > 0 || /[A-Z]/.test(value) ? { start: start + 2, end: start + 2 + value.length } : null;
}

function nextWord(scan: Scan, from: number, takes: Option["takes"]): Span | null {
  const start = scan.runEnd(from, (code) => code === 32 || code === 9);
  const quote = /["'`]/.exec(scan.char(start))?.[0].charCodeAt(0) ?? null;
  const isWord: Characters = quote === null ? (code) => !isSpace(code) : (code) => code !== quote && code !== 10;
  const end = scan.runEnd(quote === null ? start : start + 1, isWord, wordCharsMax);
  return valued(start, scan.slice({ start, end }), takes);
}

function valued(start: number, word: string, takes: Option["takes"]): Span | null {
  const quote = /^["'`]/.exec(word)?.[0] ?? "";
  const inner = quote === "" ? withoutEnd(word, "\"'`);|&") : (word.slice(1).split(quote, 1)[0] ?? "");
  const span = { start: start + quote.length, end: start + quote.length + inner.length };
  if (inner === "" || inner.startsWith("-") || isStandIn(inner)) return null;
  if (takes === "secret") return span;
  return /^[^:%]+[:%].+$/s.test(inner) && !/^\d+:\d+$|^\w+:\/\//.test(inner) && !isStandIn(inner.split(/[:%]/)[1] ?? "")
    ? span
    : null;
}
