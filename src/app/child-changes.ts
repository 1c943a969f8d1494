// What a parent is told of its child's changes: what was merged, what was not and why, and where the rest is.

import type { RepoPath } from "../base/ids.ts";
import { cleanLine } from "../base/text.ts";
import type { MergeBackReport } from "../vcs/workspace/merge-back.ts";
import type { SkippedPath } from "../vcs/workspace/walk.ts";
import type { SavedSides } from "./conflict-sides.ts";

const pathsShownMax = 30;
const pathCharsMax = 300;

export interface BroughtDetails {
  readonly sides: ReadonlyMap<RepoPath, SavedSides>;
  readonly skipped: readonly SkippedPath[];
  /** Where the child's copy is kept; null where it was removed. */
  readonly kept: string | null;
}

export function broughtText(
  { brought, merged, conflicts }: MergeBackReport,
  { sides, skipped, kept }: BroughtDetails,
): string {
  const lines: string[] = [];
  if (brought.length > 0) lines.push(`Its changes are in your tree: ${named(brought)}.`);
  if (merged.length > 0) lines.push(`Lines were merged with other changes in: ${named(merged)}.`);
  if (conflicts.length > 0) {
    lines.push(
      "Conflicts: these were changed on both sides, and stand in your tree as they were there. Nothing was overwritten.",
    );
    for (const { path, reason } of conflicts.slice(0, pathsShownMax)) {
      const { theirs = null, base = null } = sides.get(path) ?? {};
      const side = theirs === null ? "the child removed it" : `the child's version: ${theirs}`;
      lines.push(`- ${shown(path)}: ${reason}; ${side}${base === null ? "" : `; what it began from: ${base}`}`);
    }
    if (conflicts.length > pathsShownMax) lines.push(`- and ${conflicts.length - pathsShownMax} more`);
    lines.push("Bring them together yourself.");
  }
  if (skipped.length > 0) lines.push(`${noticeOfSkipped(skipped, "Not taken over")}.`);
  if (kept !== null) lines.push(`The child's whole copy is kept in ${kept}`);
  return lines.join("\n");
}

export function keptText(root: string, why: string): string {
  return `Its changes are not in your tree: ${why}. The child's whole copy is kept in ${root}`;
}

/** Names what the child's copy had not. */
export function withMissing(text: string, missing: readonly SkippedPath[]): string {
  if (missing.length === 0) return text;
  return [text, `${noticeOfSkipped(missing, "Its copy was without")}.`].filter((part) => part !== "").join("\n");
}

function noticeOfSkipped(skipped: readonly SkippedPath[], what: string): string {
  const some = skipped
    .slice(0, pathsShownMax)
    .map(({ path, detail }) => `${shown(path)} (${cleanLine(detail, pathCharsMax)})`);
  const more = skipped.length > pathsShownMax ? `, and ${skipped.length - pathsShownMax} more` : "";
  return `${what}: ${some.join(", ")}${more}`;
}

function named(paths: readonly string[]): string {
  const more = paths.length > pathsShownMax ? `, and ${paths.length - pathsShownMax} more` : "";
  return `${paths.slice(0, pathsShownMax).map(shown).join(", ")}${more}`;
}

function shown(path: string): string {
  return cleanLine(path, pathCharsMax);
}
