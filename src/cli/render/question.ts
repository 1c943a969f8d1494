// How a question about a call is put to the person: who asks and why, the whole command or the diff, and which keys answer.

import type { Answer, Question } from "../../agent/approval/question.ts";
import { unreachable } from "../../base/assert.ts";
import { cleanLine, cleanText } from "../../base/text.ts";
import { lineDiff } from "../../vcs/merge/line-diff.ts";
import type { Colors } from "../io.ts";

/** More than a command may have: what is not shown is not agreed to. */
const commandCharsMax = 60_000;
const diffLinesMax = 300;
const lineCharsMax = 1_000;

export const ANSWERS: Readonly<Record<string, Answer>> = { y: "yes", a: "always", n: "no" };

/** Lines that stay above the question. All of it is data: what is in it cannot look like a line of ours. */
export function questionLines(question: Question, colors: Colors): readonly string[] {
  const { agent, parent, subject, why } = question;
  const who = parent === null ? agent : `${agent} (child of ${parent})`;
  const head = `${colors.yellow("?")} ${colors.bold(`${who} wants to ${wish(question)}`)}${colors.dim(` · ${cleanLine(why, 300)}`)}`;
  switch (subject.kind) {
    case "command":
      return [head, ...block(subject.command, commandCharsMax).map((line) => `    ${colors.cyan("$")} ${line}`)];
    case "edit":
      return [head, ...diffLines(subject, colors).map((line) => `    ${line}`)];
    case "other":
      return [head, ...block(subject.input, commandCharsMax).map((line) => `    ${line}`)];
    default:
      return unreachable(subject);
  }
}

/** The line that waits for a key; `more` questions stand behind it. */
export function promptLine(question: Question, more: number): string {
  const { agent, subject } = question;
  const what = { command: "run it?", edit: "make this change?", other: "let it?" }[subject.kind];
  const always = {
    command: "  [a] yes, and this command from now on",
    edit: "  [a] yes, and all edits from now on",
    other: "",
  }[subject.kind];
  const behind = more === 0 ? "" : `  (${more} more ${more === 1 ? "waits" : "wait"})`;
  return `? ${agent}: ${what}  [y] yes${always}  [n] no${behind}`;
}

export function answerKeys({ subject }: Question): string {
  return subject.kind === "other" ? "yn" : "yan";
}

/** In a few words, for the board. */
export function wish({ tool, subject }: Question): string {
  switch (subject.kind) {
    case "command":
      return "run a command";
    case "edit":
      return `${subject.before === null ? "create" : "change"} ${cleanLine(subject.path, 200)}`;
    case "other":
      return `use ${cleanLine(tool, 60)}`;
    default:
      return unreachable(subject);
  }
}

function block(text: string, charsMax: number): readonly string[] {
  return cleanText(text, charsMax).split("\n");
}

function diffLines(
  { before, after }: { readonly before: string | null; readonly after: string },
  colors: Colors,
): readonly string[] {
  const diff = lineDiff(Buffer.from(before ?? ""), Buffer.from(after));
  if (diff === null) return ["(no text, or too large to be shown)"];
  const lines = cleanText(diff, Number.POSITIVE_INFINITY).trimEnd().split("\n");
  const left = lines.length - diffLinesMax;
  const shown = lines.slice(0, diffLinesMax).map((line) => painted(cleanLineKept(line), colors));
  return left > 0 ? [...shown, colors.yellow(`… ${left} more lines of this change are not shown`)] : shown;
}

/** As `cleanLine`, with the white space that a diff is read by. */
function cleanLineKept(line: string): string {
  return cleanText(line, lineCharsMax);
}

function painted(line: string, colors: Colors): string {
  if (line.startsWith("+")) return colors.green(line);
  if (line.startsWith("-")) return colors.red(line);
  return line.startsWith("@@") ? colors.dim(line) : line;
}
