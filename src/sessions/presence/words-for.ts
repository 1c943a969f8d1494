// What an agent is told at one event: the block at its start, the notice at a first touch, the line about a HEAD that moved.
// Invariant: what is not told, because the client takes nothing now, stays to be told.

import { unreachable } from "../../base/assert.ts";
import type { LineContent } from "./line-content.ts";
import { firstTouchNotice, hasMoved, headNotice } from "./notices.ts";
import { type Moment, othersRows } from "./record-event.ts";
import { startBlock } from "./start-block.ts";

export interface Words {
  readonly text: string | null;
  /** Marks of the notices, to be recorded. */
  readonly told: readonly string[];
  /** As in the line: null where nothing changes. */
  readonly untold: boolean | null;
}

export async function wordsFor(moment: Moment, content: LineContent): Promise<Words> {
  const head = headWords(moment, content);
  if (!moment.event.takesContext) return { text: null, told: [], untold: head.untold };
  const block = beginsAnew(moment) ? await blockWords(moment) : null;
  const touch = await touchWords(moment, content);
  const texts = [block, head.line, ...touch.lines].filter((text) => text !== null);
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
  const { standing, before, place, facts, now } = moment;
  if (files === undefined || files === null || files.length === 0 || how === "unattributed")
    return { lines: [], told: [] };
  return firstTouchNotice({
    rows: othersRows(await moment.aroundFiles(files), facts),
    worktree: standing?.worktree ?? before.fold.standing?.worktree ?? place.worktree,
    files,
    told: before.fold.told,
    now,
  });
}

function headWords(
  { event, before, standing, now }: Moment,
  { movedHead }: LineContent,
): { readonly line: string | null; readonly untold: boolean | null } {
  const { fold } = before;
  const from = fold.movedFrom ?? fold.standing;
  if (standing === null || from === null || from.worktree !== standing.worktree)
    return { line: null, untold: fold.movedFrom === null ? null : false };
  if (!hasMoved(from, standing)) return { line: null, untold: fold.movedFrom === null ? null : false };
  // Its own command moved it, and the agent saw that; what moved before the command is still news.
  if (movedHead === true && fold.movedFrom === null) return { line: null, untold: null };
  if (startsFresh(event.action)) return { line: null, untold: false };
  if (!event.takesContext) return { line: null, untold: true };
  return { line: headNotice(from, standing, fold.lastAt, now), untold: false };
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
