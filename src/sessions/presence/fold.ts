// What the lines of a session's file add up to. A fold is plain data, kept in summary.json up to a byte offset and continued from there.
// Invariant: it depends on the lines alone, is bounded, and one line applied twice changes nothing that people see.

import type { Facts, Line, Move, Standing, TouchHow } from "./line.ts";
import { nextTurn, noTurn, type SessionState, type Turn } from "./session-state.ts";

/** Changes with every change of the fold or of what a summary holds: an older summary is then not used. */
export const foldVersion = 3;

const folded = { files: 150, openCalls: 32, pastCalls: 32, told: 300, ownMoves: 16, formers: 4 } as const;
/** A call that never ended: its client was interrupted. */
const openCallMsMax = 60 * 60_000;

/** The last time that a session touched a file. Times in milliseconds since the epoch. */
export interface Touch {
  readonly path: string;
  /** Null for the worktree that the session is in. */
  readonly worktree: string | null;
  readonly how: TouchHow;
  readonly from: number;
  readonly at: number;
}

export interface FormerProcess {
  readonly process: NonNullable<Facts["process"]>;
  readonly machine: Facts["machine"];
  /** What the session did in it at last. */
  readonly state: SessionState;
  /** Its last event, in milliseconds since the epoch. */
  readonly at: number;
}

export interface Fold {
  readonly facts: Facts | null;
  readonly standing: Standing | null;
  /** Where HEAD was when it moved, as long as the agent was not told of it. */
  readonly movedFrom: Standing | null;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly turn: Turn;
  readonly intent: { readonly text: string; readonly by: "agent" | "prompt"; readonly at: number } | null;
  /** Oldest first. */
  readonly files: readonly Touch[];
  readonly filesForgotten: number;
  readonly openCalls: readonly { readonly call: string; readonly from: number }[];
  readonly pastCalls: readonly { readonly from: number; readonly to: number }[];
  readonly told: readonly string[];
  /** Moves of HEAD by the session's own commands, oldest first. */
  readonly ownMoves: readonly Move[];
  /** Other processes that the session ran in before this one and that did not tell its end, oldest first. */
  readonly formers: readonly FormerProcess[];
  /** Workers behind it; null where it is no swarm. */
  readonly crew: number | null;
  readonly lines: number;
  /** Lines that could not be read. */
  readonly unread: number;
  /** The last byte that was folded is a newline; else the next line must begin with one. */
  readonly whole: boolean;
}

export const emptyFold: Fold = {
  facts: null,
  standing: null,
  movedFrom: null,
  firstAt: 0,
  lastAt: 0,
  turn: noTurn,
  intent: null,
  files: [],
  filesForgotten: 0,
  openCalls: [],
  pastCalls: [],
  told: [],
  ownMoves: [],
  formers: [],
  crew: null,
  lines: 0,
  unread: 0,
  whole: true,
};

export function applyLine(fold: Fold, line: Line): Fold {
  const newProcess = line.facts !== null && !isSameProcess(fold.facts, line.facts);
  const moved = line.standing !== null && fold.standing !== null && line.standing.worktree !== fold.standing.worktree;
  const known = moved ? fold.files.map((touch) => pinned(touch, fold.standing)) : fold.files;
  const touched = withTouches(known, line);
  return {
    facts: line.facts ?? fold.facts,
    standing: line.standing ?? fold.standing,
    movedFrom: line.untold === null ? fold.movedFrom : line.untold ? (fold.movedFrom ?? fold.standing) : null,
    firstAt: fold.lines === 0 ? line.at : Math.min(fold.firstAt, line.at),
    lastAt: Math.max(fold.lastAt, line.at),
    turn: nextTurn(fold.turn, line, { first: fold.lines === 0, newProcess }),
    intent: nextIntent(fold, line),
    files: touched.slice(-folded.files),
    filesForgotten: fold.filesForgotten + Math.max(0, touched.length - folded.files),
    ...nextCalls(fold, line),
    told: line.told === null ? fold.told : [...new Set([...fold.told, ...line.told])].slice(-folded.told),
    ownMoves: line.ownMove === null ? fold.ownMoves : [...fold.ownMoves, line.ownMove].slice(-folded.ownMoves),
    formers: line.facts === null ? fold.formers : nextFormers(fold, line.facts),
    crew: line.kind === "crew" ? (line.crew ?? fold.crew) : fold.crew,
    lines: fold.lines + 1,
    unread: fold.unread,
    whole: true,
  };
}

function isSameProcess(before: Facts | null, after: Facts): boolean {
  return before !== null && before.process?.pid === after.process?.pid;
}

/** Two processes may run one session at the same time, so that the end of the newest is not the session's. */
function nextFormers({ facts, formers, turn: { state }, lastAt }: Fold, { process }: Facts): Fold["formers"] {
  const others = formers.filter((former) => former.process.pid !== process?.pid);
  if (facts === null || facts.process === null || facts.process.pid === process?.pid || state.kind === "ended")
    return others;
  return [...others, { process: facts.process, machine: facts.machine, state, at: lastAt }].slice(-folded.formers);
}

function nextIntent(fold: Fold, { intent, intentBy, at }: Line): Fold["intent"] {
  if (intent === null) return fold.intent;
  // What the agent says of itself is not overwritten by the next prompt's first words.
  const by = intentBy ?? "prompt";
  return by === "prompt" && fold.intent?.by === "agent" ? fold.intent : { text: intent, by, at };
}

function withTouches(files: readonly Touch[], { files: paths, how, from, at }: Line): readonly Touch[] {
  if (paths === null || paths.length === 0) return files;
  const names = paths.length > fewPaths ? new Set(paths) : null;
  const isAgain = ({ worktree, path }: Touch): boolean =>
    worktree === null && (names === null ? paths.includes(path) : names.has(path));
  const [kept, again]: [Touch[], Touch[]] = [[], []];
  for (const touch of files) (isAgain(touch) ? again : kept).push(touch);
  for (const path of new Set(paths)) {
    const before = again.find((touch) => touch.path === path);
    // A file that the session surely touched stays its own when somebody may have changed it later.
    const stays = how === "unattributed" && before !== undefined && before.how !== "unattributed";
    kept.push(stays ? before : { path, worktree: null, how: how ?? "tool", from: from ?? at, at });
  }
  return kept;
}

const fewPaths = 4;

function pinned(touch: Touch, standing: Standing | null): Touch {
  return touch.worktree === null && standing !== null ? { ...touch, worktree: standing.worktree } : touch;
}

function nextCalls(fold: Fold, line: Line): Pick<Fold, "openCalls" | "pastCalls"> {
  const { kind, call, from, at } = line;
  if (endsCalls(line)) return { openCalls: [], pastCalls: ended(fold, at, fold.openCalls) };
  if (kind === "shell-started" && call !== null) {
    const others = fold.openCalls.filter((open) => open.call !== call && at - open.from <= openCallMsMax);
    return { openCalls: [...others, { call, from: at }].slice(-folded.openCalls), pastCalls: fold.pastCalls };
  }
  if (kind !== "shell-ended") return { openCalls: fold.openCalls, pastCalls: fold.pastCalls };
  const [done] = fold.openCalls.filter((open) => open.call === call);
  const begun = { from: done?.from ?? from ?? at };
  return { openCalls: fold.openCalls.filter((open) => open !== done), pastCalls: ended(fold, at, [begun]) };
}

/** What runs in the background goes on after its turn. */
function endsCalls({ kind, background }: Line): boolean {
  if (kind === "turn-ended") return (background ?? 0) === 0;
  return ["session-started", "session-ended", "subagent-ended", "interrupted"].includes(kind);
}

function ended(fold: Fold, at: number, calls: readonly { readonly from: number }[]): Fold["pastCalls"] {
  return [...fold.pastCalls, ...calls.map(({ from }) => ({ from, to: at }))].slice(-folded.pastCalls);
}
