// glob: the files whose path matches a pattern, sorted by path; ignored ones are left out, `.git` is never shown.

import { z } from "zod";
import { defineTool, type Tool, type ToolAnswer } from "../agent/tool.ts";
import { readsBelow } from "./claims.ts";
import { answerCharsMax, type ToolEnv } from "./env.ts";
import { globPattern } from "./glob-pattern.ts";
import { lineName, relativeName, runRg, searchTarget } from "./rg.ts";

const pathsShownMax = 1_000;

const INPUT = z.object({
  pattern: z
    .string()
    .describe(
      "Glob pattern, for example `**/*.ts`, `src/**/test_*.py` or `*.{json,yaml}`. Without a slash it is matched against file names in all directories.",
    ),
  path: z
    .string()
    .optional()
    .describe("Directory to look in; the pattern is relative to it. Default: the root of the tree."),
});

export function globTool(env: ToolEnv): Tool {
  return defineTool({
    name: "glob",
    description: [
      "Lists files whose path matches a glob pattern, sorted by path, one per line and relative to the root of the tree.",
      "Use it to find files by name, or to see what is in a directory (pattern `**`). Files that the repository ignores are left out, symlinks as well.",
      "Not for finding something inside files (use grep).",
    ].join("\n"),
    input: INPUT,
    effect: "read",
    claim: ({ path }) => readsBelow(env, path),
    async run({ pattern, path }, { signal }) {
      const matches = globPattern(pattern);
      if (!matches.ok) return { kind: "error", text: matches.error };
      const target = await searchTarget(env, path);
      if (!target.ok) return target.error;
      const shown: string[] = [];
      let chars = 0;
      let found = 0;
      const searched = await runRg(
        env,
        {
          args: ["--files", "--null"],
          target: target.value,
          separator: 0,
          onPiece: (piece) => {
            const name = relativeName(piece ?? "");
            if (!matches.value(below(target.value.shown, name))) return "more";
            found++;
            const line = lineName(name);
            if (shown.length < pathsShownMax && chars + line.length < answerCharsMax) {
              shown.push(line);
              chars += line.length + 1;
            }
            return "more";
          },
        },
        signal,
      );
      return searched.ok ? answer(shown, found, searched.value.complaint) : searched.error;
    },
  });
}

function answer(shown: readonly string[], found: number, complaint: string): ToolAnswer {
  const notes: string[] = [];
  if (found > shown.length)
    notes.push(`[${shown.length} of ${found} files; narrow the pattern or the path for the others]`);
  if (complaint !== "") notes.push(`[not everything could be read: ${complaint}]`);
  const lines = found === 0 ? ["no file matches"] : shown;
  return { kind: "text", text: [...lines, ...notes].join("\n") };
}

/** The name relative to the directory that is looked in; a file that is looked at by itself keeps its name. */
function below(directory: string, name: string): string {
  return name.startsWith(`${directory}/`) ? name.slice(directory.length + 1) : name;
}
