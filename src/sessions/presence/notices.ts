// The single lines that a session is told later: the first touch of a file that another live session has touched, and a HEAD that moved.
// Invariant: one notice for each file and peer.

import type { Touch } from "./fold.ts";
import type { Standing } from "./line.ts";
import type { Row } from "./rows.ts";
import { ageWord, branchWord, clockWord, pathWord, quoted, whoWord } from "./words.ts";

export interface FirstTouches {
  /** Peers' rows only: neither the session itself nor its own subagents. */
  readonly rows: readonly Row[];
  readonly worktree: string;
  /** As recorded: relative to the worktree, or absolute. */
  readonly files: readonly string[];
  /** What the session was told before. */
  readonly told: readonly string[];
  readonly now: number;
}

export interface Notice {
  readonly lines: readonly string[];
  /** To be recorded, so that it is not told again. */
  readonly told: readonly string[];
}

const noticesMax = 5;

export function firstTouchNotice({ rows, worktree, files, told, now }: FirstTouches): Notice {
  const known = new Set(told);
  const lines: string[] = [];
  const newly: string[] = [];
  for (const row of rows) {
    if (row.liveness.kind !== "live" || row.state.kind === "ended") continue;
    for (const path of files) {
      // After `/clear` the peer is the same, under another key.
      const isKnown = [row.key, ...row.earlier].some((key) => known.has(markOf(key, path)));
      if (isKnown || lines.length >= noticesMax) continue;
      const touch = touchOf(row, path);
      if (touch === null) continue;
      newly.push(markOf(row.key, path));
      lines.push(touchLine(row, touch, { worktree, now }));
    }
  }
  return { lines, told: newly };
}

function markOf(key: string, path: string): string {
  return `${key} ${path}`;
}

interface FoundTouch {
  readonly touch: Touch;
  readonly by: Row;
}

/** The session's own touch or one of its subagents'. */
function touchOf(row: Row, path: string): FoundTouch | null {
  for (const by of [row, ...row.subagents]) {
    const touch = by.files.find((touched) => touched.path === path);
    if (touch !== undefined) return { touch, by };
  }
  return null;
}

function touchLine(row: Row, { touch, by }: FoundTouch, { worktree, now }: { worktree: string; now: number }): string {
  const place = touch.worktree ?? by.standing?.worktree ?? null;
  const where =
    place === null || place === worktree
      ? ""
      : ` in its worktree ${pathWord(place)} (branch ${branchWord(by.standing)})`;
  const intent = row.intent === null ? "" : `; its intent: ${quoted(row.intent.text)}`;
  return `Session ${whoWord(by)} edited ${pathWord(touch.path)}${where} at ${clockWord(touch.at, now)} (${ageWord(now - touch.at)})${intent}.`;
}

export interface HeadMove {
  readonly before: Standing;
  readonly after: Standing;
  /** The session's last event before. Milliseconds since the epoch, as `now`. */
  readonly lastAt: number;
  readonly now: number;
  /** A command of the session's own ran meanwhile, or was interrupted: it may have been that. */
  readonly maybeOwn: boolean;
}

/** One line where the worktree's HEAD is not where the session knew it; null where it is. */
export function headNotice({ before, after, lastAt, now, maybeOwn }: HeadMove): string | null {
  if (before.worktree !== after.worktree || !hasMoved(before, after)) return null;
  const since = `since this session's last event at ${clockWord(lastAt, now)}`;
  const branches =
    before.branch === after.branch
      ? `branch ${branchWord(after)}`
      : `branch ${branchWord(before)} → ${branchWord(after)}`;
  const commits = before.commit === after.commit ? "" : `, commit ${short(before.commit)} → ${short(after.commit)}`;
  const doubt = maybeOwn ? ", maybe by a command of this session's own" : "";
  return `HEAD of this worktree moved ${since}: ${branches}${commits}${doubt}.`;
}

/** What cannot be read is no move. */
export function hasMoved(before: Standing, after: Standing): boolean {
  if (before.branch !== null && after.branch !== null && before.branch !== after.branch) return true;
  if (before.commit === null || after.commit === null) return false;
  return before.commit !== after.commit || before.branch !== after.branch;
}

function short(commit: string | null): string {
  return commit === null ? "none" : commit.slice(0, 9);
}
