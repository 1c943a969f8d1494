// Turns ripgrep's JSON records (one a line: begin, match, context, end, summary) into the lines of a grep answer.
// The format is documented in ripgrep's `grep_printer::JSON`.

import { z } from "zod";
import { CappedLines } from "./capped-lines.ts";
import { lineName, relativeName } from "./rg.ts";

const lineCharsMax = 400;
/** Shown before the match in a line that is cut. */
const beforeMatchChars = 100;

/** ripgrep gives text, or base64 where the bytes are no UTF-8. */
const DATA = z.union([z.object({ text: z.string() }), z.object({ bytes: z.string() })]);
const LINE = {
  path: DATA,
  lines: DATA,
  line_number: z.number(),
  submatches: z.array(z.object({ start: z.number(), end: z.number() })),
};
const RECORD = z.discriminatedUnion("type", [
  z.object({ type: z.literal("begin"), data: z.object({ path: DATA }) }),
  z.object({ type: z.literal("match"), data: z.object(LINE) }),
  z.object({ type: z.literal("context"), data: z.object(LINE) }),
  z.object({ type: z.literal("end"), data: z.object({ path: DATA, binary_offset: z.number().nullable() }) }),
  z.object({ type: z.literal("summary") }),
]);
type Line = Extract<z.infer<typeof RECORD>, { type: "match" }>["data"];

export class GrepLines {
  private readonly capped = new CappedLines();
  private readonly matches: (path: string) => boolean;
  /** The file that is being shown; null where its path is not wanted. */
  private file: string | null = null;
  private lastNumber = 0;
  private anyGap = false;

  constructor(matches: (path: string) => boolean) {
    this.matches = matches;
  }

  get lines(): readonly string[] {
    return this.capped.lines;
  }

  take(piece: string | null): "more" | "enough" {
    if (piece === null)
      return this.file === null
        ? "more"
        : this.capped.add(`${lineName(this.file)}: (a line here is too long to be shown)`);
    const record = RECORD.parse(JSON.parse(piece));
    switch (record.type) {
      case "begin": {
        const path = relativeName(textOf(record.data.path));
        this.file = this.matches(path) ? path : null;
        this.lastNumber = 0;
        return "more";
      }
      case "match":
        return this.line(record.data, ":");
      case "context":
        this.anyGap = true;
        return this.line(record.data, "-");
      case "end":
      case "summary":
        return "more";
    }
  }

  private line(data: Line, mark: ":" | "-"): "more" | "enough" {
    if (this.file === null) return "more";
    // With context, groups of lines that do not touch are kept apart.
    const gap = this.anyGap && this.lines.length > 0 && data.line_number !== this.lastNumber + 1;
    this.lastNumber = data.line_number;
    const text = textOf(data.lines);
    // A NUL makes the file binary: its bytes are not shown as a line.
    const shown = text.includes("\0")
      ? "(binary data matches)"
      : clipped(text.replace(/\r?\n$/, ""), data.submatches[0]?.start ?? 0);
    const line = `${lineName(this.file)}${mark}${data.line_number}${mark}${shown}`;
    return this.capped.add(gap ? `--\n${line}` : line);
  }
}

function textOf(data: z.infer<typeof DATA>): string {
  return "text" in data ? data.text : Buffer.from(data.bytes, "base64").toString("utf8");
}

/** A long line around its first match; `startBytes` is where that begins. */
function clipped(text: string, startBytes: number): string {
  if (text.length <= lineCharsMax) return text;
  const start = Buffer.from(text, "utf8").subarray(0, startBytes).toString("utf8").length;
  const from = Math.max(0, Math.min(start - beforeMatchChars, text.length - lineCharsMax));
  const to = from + lineCharsMax;
  return `${from > 0 ? "…" : ""}${text.slice(from, to)}${to < text.length ? "…" : ""} [line of ${text.length} characters]`;
}
