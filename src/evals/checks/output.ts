// Whether the answer is exactly as asked. Line ends may be LF or CRLF and a final one may be there or not: a terminal and a pipe add and
// change those, and no model is at fault for them.

import { cleanLine } from "../../base/text.ts";
import type { CheckOf } from "../check-spec.ts";
import { type Judged, right, wrong } from "./judged.ts";

const shownChars = 120;

export function judgeOutput({ equals, matches }: CheckOf<"output">, answer: string): Judged {
  const text = plainLines(answer);
  if (equals !== undefined && text !== plainLines(equals))
    return wrong(`it is ${shown(text)}, not ${shown(plainLines(equals))}`);
  if (matches !== undefined && !matchesWhole(matches, text)) return wrong(`it is ${shown(text)}`);
  return right("the answer has the form that was asked for");
}

export function plainLines(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(/\n$/, "");
}

export function matchesWhole(pattern: RegExp, text: string): boolean {
  return new RegExp(`^(?:${pattern.source})$`, pattern.flags).test(text);
}

/** With its line ends and spaces to be seen. */
export function shown(text: string): string {
  const cut = text.length > shownChars ? `${text.slice(0, shownChars)}…` : text;
  return text === "" ? "empty" : cleanLine(JSON.stringify(cut), 2 * shownChars);
}
