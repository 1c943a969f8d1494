// grep: what matches a regular expression in the tree's files, as lines, file names or counts; capped, sorted by path.

import { z } from "zod";
import { defineTool, type Tool, type ToolAnswer } from "../agent/tool.ts";
import { ok } from "../base/result.ts";
import { CappedLines } from "./capped-lines.ts";
import { readsBelow } from "./claims.ts";
import type { ToolEnv } from "./env.ts";
import { globPattern } from "./glob-pattern.ts";
import { GrepLines } from "./grep-lines.ts";
import { lineName, type RgEnd, type RgRun, relativeName, runRg, searchTarget } from "./rg.ts";

const contextMax = 20;
const NEWLINE = 0x0a;

const INPUT = z.object({
  pattern: z
    .string()
    .min(1)
    .describe("Regular expression (Rust syntax). Escape ( ) [ ] { } . * + ? | ^ $ to search for them literally."),
  path: z.string().optional().describe("File or directory to search. Default: the whole tree."),
  glob: z.string().optional().describe("Search only files whose path matches, for example `*.ts` or `src/**`."),
  case: z.enum(["sensitive", "insensitive"]).optional().describe("Default: sensitive."),
  context: z
    .number()
    .int()
    .min(0)
    .max(contextMax)
    .optional()
    .describe("Lines to show before and after each match, with output `content`. Default 0."),
  output: z
    .enum(["content", "files", "count"])
    .optional()
    .describe(
      "`content` shows matching lines with their numbers (default), `files` only the names of files with a match, `count` the number of matching lines in each file.",
    ),
});
type Input = z.infer<typeof INPUT>;

export function grepTool(env: ToolEnv): Tool {
  return defineTool({
    name: "grep",
    description: [
      "Searches files for a regular expression. Shows `path:line:text` for matching lines and `path-line-text` for lines around them.",
      "Use it to find where something is defined or used; start with output `files` for a common word. Ignored and binary files are left out.",
      "It matches line by line. Not for finding files by name (use glob), and to read more around a match use read_file.",
    ].join("\n"),
    input: INPUT,
    effect: "read",
    claim: ({ path }) => readsBelow(env, path),
    async run(input, { signal }) {
      const matches = input.glob === undefined ? ok(() => true) : globPattern(input.glob);
      if (!matches.ok) return { kind: "error", text: matches.error };
      const target = await searchTarget(env, input.path);
      if (!target.ok) return target.error;
      const found =
        (input.output ?? "content") === "content"
          ? new GrepLines(matches.value)
          : new FileLines(matches.value, input.output === "count");
      const search = searchOf(input);
      const searched = await runRg(
        env,
        { ...search, target: target.value, onPiece: (piece) => found.take(piece) },
        signal,
      );
      return searched.ok ? answer(found.lines, searched.value) : searched.error;
    },
  });
}

function searchOf(input: Input): Pick<RgRun, "args" | "separator"> {
  const cased = input.case === "insensitive" ? ["--ignore-case"] : [];
  const pattern = [...cased, `--regexp=${input.pattern}`];
  switch (input.output ?? "content") {
    case "files":
      return { args: ["--files-with-matches", "--null", ...pattern], separator: 0 };
    case "count":
      return { args: ["--count", "--with-filename", "--null", ...pattern], separator: NEWLINE };
    case "content":
      return { args: ["--json", `--context=${input.context ?? 0}`, ...pattern], separator: NEWLINE };
  }
}

/** Names of files, with a count where ripgrep gives one (`name NUL count`). */
class FileLines {
  private readonly capped = new CappedLines();
  private readonly matches: (path: string) => boolean;
  private readonly counts: boolean;
  /** Beginning of a name that has line breaks. */
  private begun = "";

  constructor(matches: (path: string) => boolean, counts: boolean) {
    this.matches = matches;
    this.counts = counts;
  }

  get lines(): readonly string[] {
    return this.capped.lines;
  }

  take(piece: string | null): "more" | "enough" {
    const whole = this.begun + (piece ?? "");
    if (this.counts && !whole.includes("\0")) {
      this.begun = `${whole}\n`;
      return "more";
    }
    this.begun = "";
    const [path = "", count] = whole.split("\0");
    const name = relativeName(path);
    if (!this.matches(name)) return "more";
    return this.capped.add(count === undefined ? lineName(name) : `${lineName(name)}: ${count}`);
  }
}

function answer(lines: readonly string[], end: RgEnd): ToolAnswer {
  const notes: string[] = [];
  if (end.stoppedEarly) notes.push("[there is more: the search was stopped here; narrow it by pattern, path or glob]");
  if (end.complaint !== "") notes.push(`[not everything could be searched: ${end.complaint}]`);
  return { kind: "text", text: [...(lines.length === 0 ? ["no match"] : lines), ...notes].join("\n") };
}
