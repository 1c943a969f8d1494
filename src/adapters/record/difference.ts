// Says why no recorded answer fits a request: the first of role, task, turn and messages in which it differs from all of them.

import { cleanLine } from "../../base/text.ts";
import type { Message } from "../../model/message.ts";
import type { Recordings } from "./load.ts";

export interface Wanted {
  readonly role: string;
  /** Sorted. */
  readonly taskKeys: readonly string[];
  readonly turn: number;
  readonly roles: readonly Message["role"][];
  /** Without secrets and the machine's places, as they are compared. */
  readonly messages: readonly unknown[];
  readonly digests: readonly string[];
}

const shownMax = 12;
const excerptChars = 80;
/** Of an excerpt, what stands before the difference. */
const excerptLeadChars = 20;

export function differenceOf(wanted: Wanted, { requests, parts }: Recordings): string {
  const whole = requests.filter((request) => request.events !== null);
  const sameRole = whole.filter((request) => request.role === wanted.role);
  if (sameRole.length === 0)
    return `no answer to a ${wanted.role} was recorded, only to ${listed(whole.map((request) => request.role))}`;
  const task = taskName(wanted.taskKeys);
  const sameTask = sameRole.filter((request) => taskName(request.taskKeys) === task);
  if (sameTask.length === 0) {
    const recorded = listed(sameRole.map((request) => taskName(request.taskKeys)));
    return `no answer to a ${wanted.role} with ${task} was recorded, only with ${recorded}`;
  }
  const who = `the ${wanted.role} with ${task}`;
  const sameTurn = sameTask.filter((request) => request.turn === wanted.turn);
  if (sameTurn.length === 0)
    return `${who} was recorded for turn ${listed(sameTask.map((request) => String(request.turn)))}, not for turn ${wanted.turn}`;
  const nearest = sameTurn.map(({ messages }) => ({ messages, same: sameUpTo(messages, wanted.digests) }));
  const { messages, same } = nearest.reduce((best, next) => (next.same > best.same ? next : best));
  const [role, is, was] = [wanted.roles[same], wanted.messages[same], messages[same]];
  const where = `${who}, turn ${wanted.turn}: message ${same + 1}`;
  if (role === undefined) return `${where} of ${messages.length} is missing`;
  if (was === undefined) return `${where} (${role}) was not there in the recording`;
  const then = parts.get(was);
  if (then === undefined) return `${where} (${role}) differs from the recorded one`;
  return `${where} (${role}) differs: ${excerpts(JSON.stringify(is), JSON.stringify(then))}`;
}

function sameUpTo(a: readonly string[], b: readonly string[]): number {
  const first = a.findIndex((digest, index) => digest !== b[index]);
  return first === -1 ? a.length : first;
}

function excerpts(is: string, was: string): string {
  let at = 0;
  while (at < is.length && is[at] === was[at]) at++;
  const from = Math.max(0, at - excerptLeadChars);
  const cut = (text: string) =>
    `${from > 0 ? "…" : ""}${cleanLine(text.slice(from, from + excerptChars), excerptChars)}`;
  return `it is ${cut(is)} and was ${cut(was)}`;
}

function taskName(taskKeys: readonly string[]): string {
  return taskKeys.length === 0 ? "no task" : `task ${taskKeys.join(" and ")}`;
}

function listed(names: readonly string[]): string {
  const different = [...new Set(names)];
  const shown = different.slice(0, shownMax).map((name) => cleanLine(name, excerptChars));
  const rest = different.length > shown.length ? ` and ${different.length - shown.length} more` : "";
  return `${shown.join(", ")}${rest}`;
}
