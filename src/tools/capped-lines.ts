// The lines of a search's answer, up to a cap of lines and of characters.

import { answerCharsMax } from "./env.ts";

const linesShownMax = 1_000;

export class CappedLines {
  readonly lines: string[] = [];
  private chars = 0;

  /** `enough` when the line no longer fits: it is then left out. */
  add(line: string): "more" | "enough" {
    if (this.lines.length >= linesShownMax || this.chars + line.length > answerCharsMax) return "enough";
    this.lines.push(line);
    this.chars += line.length + 1;
    return "more";
  }
}
