// The part of a line that depends on what happened: files, calls, reasons and the intent.

import { unreachable } from "../../base/assert.ts";
import { cleanLine } from "../../base/text.ts";
import type { ClientAction } from "../client-event.ts";
import { othersRan, type Worker } from "./attribution.ts";
import type { Fold } from "./fold.ts";
import { intentFromPrompt } from "./intent-text.ts";
import { limits, type NewLine } from "./line.ts";
import type { Seen } from "./look-around.ts";
import { hasMoved } from "./notices.ts";
import type { Moment } from "./record-event.ts";
import { isKnown } from "./rows.ts";
import {
  changedAfter,
  changedSince,
  dropSnapshots,
  snapshotBefore,
  takeAllSnapshots,
  takeSnapshot,
} from "./shell-call.ts";
import { touchedPath } from "./touched-path.ts";

export type LineContent = Pick<
  NewLine,
  "files" | "how" | "from" | "call" | "intent" | "intentBy" | "person" | "reason" | "source" | "background" | "ownMove"
>;

export async function contentOf(moment: Moment): Promise<LineContent> {
  const { action } = moment.event;
  switch (action.kind) {
    case "session-started":
      if (action.source !== "compact") await dropSnapshots(moment.calls);
      return { source: action.source };
    case "prompt":
      return promptContent(moment, action);
    case "shell-started":
      return shellStarted(moment, action.call);
    case "shell-ended":
      return shellEnded(moment, action.call === null ? null : callName(action.call));
    case "files-edited":
      return { files: await paths(moment, action.paths), how: "tool" };
    case "waiting":
      return { reason: cleanLine(action.reason, limits.reasonChars) };
    case "turn-ended":
      return turnEnded(moment, action);
    case "session-ended":
      return {
        ...(await leftOver(moment, { goOn: false })),
        ...(action.reason === null ? {} : { reason: cleanLine(action.reason, limits.reasonChars) }),
      };
    case "subagent-ended":
    case "interrupted":
      return leftOver(moment, { goOn: false });
    case "subagent-started":
    case "compacting":
    case "moved":
    case "seen":
      return {};
    default:
      return unreachable(action);
  }
}

function promptContent({ settings }: Moment, action: Extract<ClientAction, { readonly kind: "prompt" }>): LineContent {
  const intent = settings.intentFromPrompts && action.byPerson ? intentFromPrompt(action.text) : null;
  const person = action.byPerson;
  return intent === null ? { person } : { person, intent, intentBy: "prompt" };
}

/** Its line needs nothing of the look, which goes on while that is written. */
async function shellStarted(moment: Moment, named: string): Promise<LineContent> {
  const { calls, standing, now: recordedAt } = moment;
  const call = callName(named);
  const { ends, from, look } = await moment.beginCommand(call);
  if (standing !== null)
    moment.meanwhile(
      look.then((seen) => snapshotBefore(calls, call, { look: seen, standing, ends, at: from, recordedAt })),
    );
  return { call };
}

/** As it is recorded. */
export function callName(call: string): string {
  return call.slice(0, limits.idChars);
}

async function shellEnded(moment: Moment, call: string | null): Promise<LineContent> {
  const { calls, place, standing, now, before, facts } = moment;
  const snapshot = call === null ? null : await takeSnapshot(calls, call);
  await moment.endCommand(call);
  if (standing === null) return { call };
  if (snapshot === null) {
    const from = before.fold.lastAt || now;
    const files = await changedAfter(calls, from);
    return { call, from, ...(files.length === 0 ? {} : { files: recorded(files), how: "unattributed" }) };
  }
  const files = (await changedSince(calls, snapshot, { place, standing })) ?? [];
  // Most commands only look: then there is nothing that could be somebody else's.
  const moved = hasMoved(snapshot.standing, standing);
  if (files.length === 0 && !moved) return { call, from: snapshot.at };
  // Read after the look at the files: whoever could have changed one has told of it by now.
  const doubtful = othersRan(
    facts,
    standing.worktree,
    snapshot.at,
    workers(await moment.aroundCommands(snapshot.ends)),
  );
  return {
    call,
    from: snapshot.at,
    ...(moved && !doubtful ? { ownMove: { from: snapshot.standing, to: standing } } : {}),
    ...(files.length === 0 ? {} : { files: recorded(files), how: doubtful ? "unattributed" : "shell" }),
  };
}

async function turnEnded(
  moment: Moment,
  action: Extract<ClientAction, { readonly kind: "turn-ended" }>,
): Promise<LineContent> {
  const background = action.background === null ? null : Math.max(0, Math.trunc(action.background) || 0);
  const files = await leftOver(moment, { goOn: (background ?? 0) > 0 });
  return background === null ? files : { ...files, background };
}

/**
 * What commands have changed that told no end of theirs: those in the background, whose call came back at once, and interrupted ones. Which of
 * them still run is not told, only whether any does: then all are looked at again later, from here on.
 */
async function leftOver(moment: Moment, { goOn }: { readonly goOn: boolean }): Promise<LineContent> {
  const { calls, place, standing, now, before, facts } = moment;
  const snapshots = await takeAllSnapshots(calls);
  const [first] = snapshots;
  if (first === undefined || standing === null) return {};
  const found = new Set<string>();
  for (const snapshot of snapshots)
    for (const path of (await changedSince(calls, snapshot, { place, standing })) ?? [])
      if (!isKnownSince(before.fold, path, snapshot.at)) found.add(path);
  const doubtful =
    found.size > 0 && othersRan(facts, standing.worktree, first.at, workers(await moment.aroundCommands(first.ends)));
  for (const { call } of snapshots) {
    if (!goOn) await moment.endCommand(call);
    else {
      const { ends, from, look } = await moment.goOnWithCommand();
      await snapshotBefore(calls, call, { look: await look, standing, ends, at: from, recordedAt: now });
    }
  }
  if (found.size === 0) return {};
  return { from: first.at, files: recorded([...found]), how: doubtful ? "unattributed" : "shell" };
}

/** The session's own tools or later commands have told of that change. */
function isKnownSince({ files }: Fold, path: string, at: number): boolean {
  return files.some((touch) => touch.path === path && touch.worktree === null && touch.at >= at);
}

function workers({ sessions, rows }: Seen): readonly Worker[] {
  const dead = rows.filter(({ liveness }) => liveness.kind === "dead");
  const gone = new Set(
    dead.flatMap(({ key, earlier, subagents }) => [key, ...earlier, ...subagents.map((one) => one.key)]),
  );
  return sessions.filter(isKnown).map((session) => ({ fold: session.fold, alive: !gone.has(session.key) }));
}

async function paths({ event, place, standing, before, calls }: Moment, named: readonly string[]): Promise<string[]> {
  const worktree = standing?.worktree ?? before.fold.standing?.worktree ?? place.worktree;
  const found = new Set<string>();
  for (const path of named.slice(0, limits.filesOfLine)) {
    // A name with a NUL is no file's.
    if (path === "" || path.includes("\0")) continue;
    found.add(await touchedPath(calls.files, path, { cwd: event.cwd, worktree }));
  }
  return recorded([...found]);
}

/** A longer path than any system has is left out: cut, it would name another file. */
function recorded(files: readonly string[]): string[] {
  return files.filter((path) => path.length <= limits.pathChars).slice(0, limits.filesOfLine);
}
