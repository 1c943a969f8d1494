// A store's commits, conflicts, differences and events as lines for people. Texts of others are on one line each, or indented.

import type { ConflictAnswer } from "../../app/vcs-reading.ts";
import { capLine } from "../../base/text.ts";
import type { FileDifference } from "../../vcs/reading/compare.ts";
import { patchBytes, patchOf } from "../../vcs/reading/patch.ts";
import type { LandedCommit } from "../../vcs/types.ts";
import type { StoreEvent } from "../../vcs/watch.ts";
import type { PlainIo } from "../plain-io.ts";
import { plural } from "./figures.ts";

const pathCharsMax = 500;
const subjectCharsMax = 200;
const messageLinesMax = 200;
/** Of all differences that one command prints. */
const patchCharsMax = 2_000_000;

export function time(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.\d+Z$/, "Z");
}

export function subjectOf(message: string): string {
  return capLine(message.split("\n")[0] ?? "", subjectCharsMax);
}

/** `12  2026-11-30T04:00:00Z  a3 (t2)  Rename the flag  [3 files]`. */
export function commitLine({
  position,
  atMs,
  author,
  message,
  changes,
  merged,
  resolves,
  moved,
}: LandedCommit): string {
  const marks = [
    plural(changes.length, "file"),
    ...(merged.length > 0 ? [`${merged.length} merged`] : []),
    ...(moved === undefined ? [] : [`${moved.length} at a new path`]),
    ...(resolves === null ? [] : [`resolves ${resolves}`]),
  ];
  return `${position}  ${time(atMs)}  ${who(author)}  ${subjectOf(message)}  [${marks.join(", ")}]`;
}

/** The head of `show`. */
export function commitLines(commit: LandedCommit): readonly string[] {
  const { position, atMs, author, base, message, merged, moved = [], resolves, resolvedBy, discarded = [] } = commit;
  const text = message.split("\n");
  return [
    `commit at position ${position}`,
    `by     ${who(author)}`,
    `at     ${time(atMs)}, made from position ${base}`,
    ...(resolves === null
      ? []
      : [`resolves ${resolves}${resolvedBy === undefined ? "" : `, decided by ${who(resolvedBy)}`}`]),
    ...merged.map(({ path }) => `merged ${shown(path)}`),
    ...moved.map(({ from, to }) => `moved  ${shown(from)} → ${shown(to)}`),
    ...discarded.map(
      ({ path, side, task, reason }) =>
        `left out ${shown(path)}: ${side}${task === null ? "" : ` of ${capLine(task, 100)}`}: ${capLine(reason, subjectCharsMax)}`,
    ),
    "",
    ...text.slice(0, messageLinesMax).map((line) => `    ${line}`),
    ...(text.length > messageLinesMax ? [`    … ${text.length - messageLinesMax} more lines`] : []),
  ];
}

/** To the byte into a pipe or file, for programs; for a terminal as text. */
export function showPatch({ out, exact }: Pick<PlainIo, "out" | "exact">, files: readonly FileDifference[]): void {
  if (exact === null) return out(patchText(files).replace(/\n$/, ""));
  for (const file of files) exact(patchBytes(file));
}

/** Nothing is cut, and no line end lost, without a word. */
export function patchText(files: readonly FileDifference[]): string {
  let text = "";
  for (const [index, file] of files.entries()) {
    const patch = patchOf(file).replaceAll("\r", "^M");
    if (text.length + patch.length > patchCharsMax) {
      const left = files.length - index;
      return `${text}… ${plural(left, "more file")} not shown: name paths, or use --json or --names\n`;
    }
    text += patch;
  }
  return text;
}

/** `M  src/a.ts`, `R  old → new`. */
export function nameLine({ kind, path, from }: FileDifference): string {
  const mark = { added: "A", deleted: "D", changed: "M", renamed: "R" }[kind];
  return `${mark}  ${from === null ? "" : `${shown(from)} → `}${shown(path)}`;
}

export function conflictLines(conflict: ConflictAnswer): readonly string[] {
  const { id, state, author, paths, commits, head, resolved_at: at, resolved_by: by } = conflict;
  const end = state === "open" ? "open" : `resolved at ${at}${by === null ? "" : ` by ${who(by)}`} for ${who(author)}`;
  return [
    `${id}  ${end}  ${who(author)}  ${plural(commits.length, "commit")} held, sides of position ${head}`,
    ...paths
      .slice(0, conflictPathsMax)
      .map(
        (side) =>
          `    ${shown(side.path)}: ${sidesOf(side)}${side.ours_author === null ? "" : `; ours is of ${who(side.ours_author)}`}`,
      ),
    ...(paths.length > conflictPathsMax ? [`    … ${paths.length - conflictPathsMax} more paths`] : []),
  ];
}

const conflictPathsMax = 100;

function sidesOf({ base, ours, theirs }: ConflictAnswer["paths"][number]): string {
  const did = (side: typeof ours): string =>
    side === null ? (base === null ? "has no file" : "deleted it") : base === null ? "added it" : "changed it";
  return `ours ${did(ours)}, theirs ${did(theirs)}`;
}

export function eventLine(event: StoreEvent): string {
  switch (event.kind) {
    case "landed":
      return commitLine(event);
    case "imported":
      return `${event.position}  ${time(event.atMs)}  imported ${plural(event.files, "file")} of ${capLine(event.commit, 64)}`;
    case "conflict": {
      const paths = event.paths.slice(0, 5).map(shown).join(", ");
      const what = event.joined ? "joined" : "kept as";
      return `${event.position}  ${time(event.atMs)}  ${who(event.author)}  ${what} conflict ${event.conflict}: ${subjectOf(event.message)}  [${paths}${event.paths.length > 5 ? ", …" : ""}]`;
    }
    case "refreshed":
      return `${event.position}  ${time(event.atMs)}  conflict ${event.conflict} has the head's sides anew`;
    case "closed":
      return `${event.position}  ${time(event.atMs)}  conflict ${event.conflict} closed by ${who(event.resolvedBy)}: the head has it already`;
    case "collected":
      return `${event.position}  ${time(event.atMs)}  contents are kept from position ${event.keptFrom} on`;
  }
}

export function shown(path: string): string {
  return capLine(path, pathCharsMax);
}

export function who({ agent, task }: { readonly agent: string; readonly task: string }): string {
  return `${capLine(agent, 100)} (${capLine(task, 100)})`;
}
