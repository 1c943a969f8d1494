// What an agent is told at one event: the block at its start, the notice at a first touch, the line about a HEAD that moved.
// Invariant: what is not told, because the client takes nothing now, stays to be told.

import { unreachable } from "../../base/assert.ts";
import type { Fold } from "./fold.ts";
import type { Move, Standing } from "./line.ts";
import type { LineContent } from "./line-content.ts";
import { firstTouchNotice, hasMoved, headNotice } from "./notices.ts";
import { type Moment, othersRows } from "./record-event.ts";
import { isKnown, isSameAgent } from "./rows.ts";
import { startBlock } from "./start-block.ts";

export interface Words {
  readonly text: string | null;
  /** Marks of the notices, to be recorded. */
  readonly told: readonly string[];
  /** As in the line: null where nothing changes. */
  readonly untold: boolean | null;
}

export async function wordsFor(moment: Moment, content: LineContent): Promise<Words> {
  const head = await headWords(moment, content);
  if (!moment.event.takesContext) return { text: null, told: [], untold: head.untold };
  const block = beginsAnew(moment) ? await blockWords(moment) : null;
  const more = beginsAnew(moment) ? await moment.startWords() : null;
  const touch = await touchWords(moment, content);
  const texts = [block, more, head.line, ...touch.lines].filter((text) => text !== null);
  return { text: texts.length === 0 ? null : texts.join("\n"), told: touch.told, untold: head.untold };
}

function beginsAnew({ event: { action } }: Moment): boolean {
  return action.kind === "session-started" || action.kind === "subagent-started";
}

async function blockWords(moment: Moment): Promise<string | null> {
  const { facts, place, standing, before, now, settings } = moment;
  const known = standing ?? before.fold.standing;
  return startBlock({
    rows: othersRows(await moment.around(), facts),
    worktree: known?.worktree ?? place.worktree,
    branch: known?.branch ?? null,
    now,
    charsMax: settings.blockCharsMax,
  });
}

async function touchWords(moment: Moment, { files, how }: LineContent) {
  const { standing, before, place, now } = moment;
  if (files === undefined || files === null || files.length === 0 || how === "unattributed")
    return { lines: [], told: [] };
  return firstTouchNotice({
    rows: await moment.othersOfFiles(files),
    worktree: standing?.worktree ?? before.fold.standing?.worktree ?? place.worktree,
    files,
    told: before.fold.told,
    now,
  });
}

async function headWords(
  moment: Moment,
  { ownMove }: LineContent,
): Promise<{ readonly line: string | null; readonly untold: boolean | null }> {
  const { event, standing, now } = moment;
  const { fold } = moment.before;
  const from = fold.movedFrom ?? fold.standing;
  if (standing === null || from === null || from.worktree !== standing.worktree)
    return { line: null, untold: fold.movedFrom === null ? null : false };
  if (!hasMoved(from, standing)) return { line: null, untold: fold.movedFrom === null ? null : false };
  // Its own command moved it, and the agent saw that; what moved before the command is still news.
  if (ownMove && fold.movedFrom === null) return { line: null, untold: null };
  if (startsFresh(event.action)) return { line: null, untold: false };
  const own = await ownFolds(moment);
  const moves = [...own.flatMap(({ ownMoves }) => ownMoves), ...(ownMove ? [ownMove] : [])];
  if (leadsTo(from, standing, moves)) return { line: null, untold: fold.movedFrom === null ? null : false };
  if (!event.takesContext) return { line: null, untold: true };
  const maybeOwn = own.some(({ openCalls }) => openCalls.length > 0);
  return { line: headNotice({ before: from, after: standing, lastAt: fold.lastAt, now, maybeOwn }), untold: false };
}

/** The session's own, its subagents', and of a subagent its parent's and the others'. Read only when HEAD has moved. */
async function ownFolds({ around, before, facts }: Moment): Promise<readonly Fold[]> {
  const { sessions } = await around();
  const family = sessions.filter(isKnown).filter(({ fold }) => isSameAgent(fold.facts, facts));
  return [before.fold, ...family.map(({ fold }) => fold)];
}

/** Whether own moves alone lead from the one place to the other. */
function leadsTo(from: Standing, to: Standing, moves: readonly Move[]): boolean {
  const reached = new Set([JSON.stringify(from)]);
  // In any order: commands that ran at the same time overlap.
  for (const _ of moves)
    for (const move of moves) if (reached.has(JSON.stringify(move.from))) reached.add(JSON.stringify(move.to));
  return reached.has(JSON.stringify(to));
}

/** A new history knows of no earlier HEAD. */
function startsFresh(action: Moment["event"]["action"]): boolean {
  if (action.kind !== "session-started") return false;
  switch (action.source) {
    case "startup":
    case "clear":
      return true;
    case "resume":
    case "compact":
    case "fork":
    case "other":
      return false;
    default:
      return unreachable(action.source);
  }
}
