// Whether a value is a fold: the check of a summary, which is read hundreds of times in a few milliseconds. By hand, since general parsers cost
// more than all else that a hook does.

import { CLIENT_NAMES } from "../client-event.ts";
import type { Fold, Touch } from "./fold.ts";

export function isFold(value: unknown): value is Fold {
  if (!isObject(value)) return false;
  return (
    [value.firstAt, value.lastAt, value.filesForgotten, value.lines, value.unread].every(isNatural) &&
    typeof value.whole === "boolean" &&
    (value.crew === null || isNatural(value.crew)) &&
    isTurn(value.turn) &&
    (value.facts === null || isFacts(value.facts)) &&
    isStandingOrNull(value.standing) &&
    isStandingOrNull(value.movedFrom) &&
    isIntentOrNull(value.intent) &&
    isListOf(value.files, isTouch) &&
    isListOf(value.openCalls, (call) => isObject(call) && isText(call.call) && isNatural(call.from)) &&
    isListOf(value.pastCalls, (call) => isObject(call) && isNatural(call.from) && isNatural(call.to)) &&
    isListOf(value.told, isText) &&
    isListOf(value.ownMoves, (move) => isObject(move) && isStanding(move.from) && isStanding(move.to)) &&
    isListOf(value.formers, isFormer)
  );
}

export function isNatural(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isTouch(value: unknown): value is Touch {
  return (
    isObject(value) &&
    isText(value.path) &&
    isTextOrNull(value.worktree) &&
    (value.how === "tool" || value.how === "shell" || value.how === "unattributed") &&
    isNatural(value.from) &&
    isNatural(value.at)
  );
}

function isTurn(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { since, toldAt, beganAt, endedAt, ended, prompts, background, compacting } = value;
  return (
    isState(value.state) &&
    [since, toldAt, beganAt, endedAt, ended, prompts].every(isNatural) &&
    (background === null || isNatural(background)) &&
    (compacting === null || isState(compacting))
  );
}

function isState(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (value.kind === "working") return true;
  return value.kind === "waiting" ? isText(value.reason) : value.kind === "ended" && isTextOrNull(value.reason);
}

function isStandingOrNull(value: unknown): boolean {
  return value === null || isStanding(value);
}

function isStanding(value: unknown): boolean {
  return isObject(value) && isText(value.worktree) && isTextOrNull(value.branch) && isTextOrNull(value.commit);
}

function isIntentOrNull(value: unknown): boolean {
  if (value === null) return true;
  return (
    isObject(value) && isText(value.text) && (value.by === "agent" || value.by === "prompt") && isNatural(value.at)
  );
}

function isFacts(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { machine, process } = value;
  return (
    CLIENT_NAMES.some((name) => name === value.client) &&
    [value.session, value.repository, value.cwd].every(isText) &&
    [value.agent, value.terminal, value.tmux, value.transcript].every(isTextOrNull) &&
    typeof value.shared === "boolean" &&
    isMachine(machine) &&
    (process === null || isProcess(process))
  );
}

function isFormer(value: unknown): boolean {
  return (
    isObject(value) &&
    isProcess(value.process) &&
    isMachine(value.machine) &&
    isState(value.state) &&
    isNatural(value.at)
  );
}

function isProcess(value: unknown): boolean {
  return isObject(value) && isNatural(value.pid) && isStartOrNull(value.start);
}

function isMachine(value: unknown): boolean {
  return isObject(value) && isText(value.host) && isTextOrNull(value.boot) && isTextOrNull(value.namespace);
}

function isStartOrNull(value: unknown): boolean {
  if (value === null) return true;
  if (!isObject(value)) return false;
  if (value.kind === "ticks") return isNatural(value.ticks);
  return value.kind === "second" && typeof value.epochS === "number" && isText(value.command);
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function isTextOrNull(value: unknown): boolean {
  return value === null || isText(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
