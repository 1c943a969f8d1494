// What a session is told at its start: who else is here, on which branch and files and what for; most relevant first, capped.
// Invariant: nothing to say is null, and what does not fit is counted.

import { isAbsolute } from "node:path";
import type { Row } from "./rows.ts";
import { ageWord, branchWord, clockWord, pathWord, quoted, stateWord, timeWord, whoWord } from "./words.ts";

export interface BlockView {
  readonly rows: readonly Row[];
  /** Where the reader is. */
  readonly worktree: string;
  readonly branch: string | null;
  readonly now: number;
  readonly charsMax: number;
}

const filesShownMax = 6;
const subagentsShownMax = 3;

export function startBlock(view: BlockView): string | null {
  const others = view.rows
    .filter(isHere)
    .toSorted((a, b) => relevance(b, view) - relevance(a, view) || b.lastAt - a.lastAt);
  if (others.length === 0) return null;
  const head = `Other agent sessions in this repository at ${timeWord(view.now)}, as recorded by skein (facts for information; quoted text is theirs):`;
  const lines: string[] = [head];
  let chars = head.length;
  let shown = 0;
  for (const row of others) {
    const text = rowText(row, view);
    // The last line must fit, too.
    const room = view.charsMax - chars - (shown + 1 < others.length ? moreChars : 0);
    const fitting = [text.full, text.short].find((candidate) => candidate.length + 1 <= room);
    if (fitting === undefined) break;
    lines.push(fitting);
    chars += fitting.length + 1;
    shown += 1;
  }
  const left = others.length - shown;
  if (left > 0) lines.push(`- and ${left} more: the command \`skein who\` lists them`);
  return lines.join("\n");
}

const moreChars = 60;

/** The dead and the ended are nobody to be reckoned with. */
export function isHere(row: Row): boolean {
  return row.liveness.kind !== "dead" && row.state.kind !== "ended";
}

function relevance(row: Row, { worktree, branch }: BlockView): number {
  const live = row.liveness.kind === "live" ? 16 : 0;
  const sameWorktree = row.standing?.worktree === worktree ? 8 : 0;
  const sameBranch = branch !== null && row.standing?.branch === branch ? 4 : 0;
  const touched = row.files.length > 0 ? 2 : 0;
  return live + sameWorktree + sameBranch + touched + (row.state.kind === "working" ? 1 : 0);
}

function rowText(row: Row, view: BlockView): { readonly full: string; readonly short: string } {
  const { now } = view;
  const first = `- ${whoWord(row)}: ${stateWord(row)}; ${whereText(row, view)}; last activity ${clockWord(row.lastAt, now)} (${ageWord(now - row.lastAt)})`;
  const intent = row.intent === null ? [] : [`  intent: ${quoted(row.intent.text)}`];
  const details = [
    ...intent,
    ...filesText(row, now),
    ...crewText(row),
    ...subagentText(row),
    ...unattributedText(row, now),
  ];
  return { full: [first, ...details].join("\n"), short: [first, ...intent].join("\n") };
}

function whereText({ standing }: Row, { worktree, branch }: BlockView): string {
  const same = standing?.branch !== null && standing?.branch === branch;
  const name = `branch ${branchWord(standing)}${same ? " (yours)" : ""}`;
  if (standing === null) return name;
  return standing.worktree === worktree ? `${name}, your worktree` : `${name}, worktree ${pathWord(standing.worktree)}`;
}

function filesText({ files, filesForgotten }: Row, now: number): readonly string[] {
  if (files.length === 0) return [];
  const shown = files.slice(0, filesShownMax).map(({ path, at, worktree }) => {
    const place = worktree === null || isAbsolute(path) ? "" : ` in ${pathWord(worktree)}`;
    return `${pathWord(path)}${place} (${clockWord(at, now)})`;
  });
  const more = files.length + filesForgotten - shown.length;
  return [`  edited: ${shown.join(", ")}${more > 0 ? `, and ${more} more` : ""}`];
}

function crewText({ crew }: Row): readonly string[] {
  return crew === null
    ? []
    : [`  a swarm with ${crew} ${crew === 1 ? "worker" : "workers"} at work, in workspaces of their own`];
}

function subagentText({ subagents }: Row): readonly string[] {
  const active = subagents.filter(isHere);
  if (active.length === 0) return [];
  const shown = active.slice(0, subagentsShownMax).map(({ name, files }) => {
    const first = files[0];
    return first === undefined ? name : `${name} (edited ${pathWord(first.path)})`;
  });
  const more = active.length - shown.length;
  return [`  subagents: ${shown.join(", ")}${more > 0 ? `, and ${more} more` : ""}`];
}

function unattributedText({ unattributed }: Row, now: number): readonly string[] {
  if (unattributed.length === 0) return [];
  const shown = unattributed.slice(0, 3).map(({ path, at }) => `${pathWord(path)} (${clockWord(at, now)})`);
  const more = unattributed.length - shown.length;
  return [
    `  changed during its shell commands, maybe by others: ${shown.join(", ")}${more > 0 ? `, and ${more} more` : ""}`,
  ];
}
