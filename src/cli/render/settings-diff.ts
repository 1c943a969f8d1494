// What would change in a settings file, as a unified diff. Settings hold keys, and diffs are pasted: what looks like one is shown as redacted.

import type { FilePlan } from "../../app/hooks/plan.ts";
import { redact } from "../../sessions/redact.ts";
import { lineDiff } from "../../vcs/merge/line-diff.ts";
import type { Colors } from "../io.ts";

const linesShownMax = 400;

export function settingsDiff({ file, before, after }: FilePlan, colors: Colors): string {
  const through = file.real === file.path ? "" : ` (a symlink to ${file.real})`;
  const head = `${file.path}${through}${before === null ? ", which is made" : after === null ? ", which is removed: it was made for this" : ""}`;
  const bytes = (text: string | null): Uint8Array => Buffer.from(text ?? "");
  const diff = lineDiff(bytes(before), bytes(after)) ?? "(too large to be shown)\n";
  const lines = diff.trimEnd().split("\n");
  // Our own lines hold long paths and nothing secret.
  const safe = (line: string): string => (line.includes("skein-hook") && line.startsWith("+") ? line : redact(line));
  const shown = lines.slice(0, linesShownMax).map((line) => painted(safe(line), colors));
  const rest = lines.length > linesShownMax ? [`… ${lines.length - linesShownMax} more lines`] : [];
  return [colors.bold(head), ...shown, ...rest].join("\n");
}

function painted(line: string, colors: Colors): string {
  if (line.startsWith("+")) return colors.green(line);
  if (line.startsWith("-")) return colors.red(line);
  return line.startsWith("@@") ? colors.dim(line) : line;
}
