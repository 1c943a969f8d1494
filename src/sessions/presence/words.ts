// How presence is put into words for another agent and for people. Facts only, absolute times, and everything that a session wrote itself
// is cleaned, capped and quoted: it is data in somebody else's context.

import { cleanLine } from "../../base/text.ts";
import type { Row } from "./rows.ts";

const quotedCharsMax = 160;
const pathCharsMax = 120;
const reasonCharsMax = 80;

/** Untrusted words as one quoted line. */
export function quoted(text: string, charsMax: number = quotedCharsMax): string {
  return JSON.stringify(cleanLine(text, charsMax));
}

const HARMLESS = /^[A-Za-z0-9_./@+~-]+$/;

/** A path: bare where it is made of harmless characters, else quoted. Letters of other scripts could be a sentence without spaces. */
export function pathWord(path: string): string {
  if (path.length <= pathCharsMax && HARMLESS.test(path)) return path;
  const clean = cleanLine(path, pathCharsMax);
  return HARMLESS.test(clean) ? clean : JSON.stringify(clean);
}

/** `2026-11-30 14:02 UTC`: text that was injected once is replayed word for word when a session is resumed. */
export function timeWord(ms: number): string {
  const date = new Date(ms);
  const year = date.getUTCFullYear();
  // Its first call has the system's time zone read: more than a millisecond.
  if (!(year >= 1000 && year <= 9999)) return `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const [month, day, hour, minute] = [
    date.getUTCMonth() + 1,
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
  ].map((part) => `${part}`.padStart(2, "0"));
  return `${year}-${month}-${day} ${hour}:${minute} UTC`;
}

/** Only the time where it is the same UTC day as `now`. */
export function clockWord(ms: number, now: number): string {
  const [day, today] = [ms, now].map((time) => new Date(time).toISOString().slice(0, 10));
  return day === today ? `${new Date(ms).toISOString().slice(11, 16)} UTC` : timeWord(ms);
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A clock that stepped back makes no negative ages. */
export function ageWord(ms: number): string {
  if (ms < MINUTE) return "less than 1 min ago";
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ago`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ago`;
  return `${Math.floor(ms / DAY)} d ago`;
}

/** `claude-code 1f2e3d4c`. */
export function whoWord({ client, name }: Pick<Row, "client" | "name">): string {
  return `${client} ${name}`;
}

/** `working`, `waiting (permission: Bash)`; what could not be decided says so. */
export function stateWord({ state, liveness }: Pick<Row, "state" | "liveness">): string {
  // Who has said goodbye did not die, though its process has gone since.
  if (state.kind === "ended") return state.reason === null ? "ended" : `ended (${cleanLine(state.reason, 80)})`;
  if (liveness.kind === "dead") return `dead (${liveness.why})`;
  const doubt = liveness.kind === "unknown" ? `, unknown whether it lives (${cleanLine(liveness.why, 80)})` : "";
  if (state.kind === "waiting") return `waiting (${reasonWord(state.reason)})${doubt}`;
  return `${state.kind}${doubt}`;
}

/** Our own words, and the name of a tool that looks like one, are bare; a server may call its tool anything. */
function reasonWord(reason: string): string {
  const own =
    /^(a prompt|a person|a plan|a question|idle|interrupted|permission(: (a tool|[A-Za-z0-9_.:-]{1,64}))?)$/.test(
      reason,
    );
  return own ? reason : quoted(reason, reasonCharsMax);
}

/** The branch, or the commit of a detached HEAD. */
export function branchWord(standing: Row["standing"]): string {
  if (standing === null) return "unknown";
  if (standing.branch !== null) return pathWord(standing.branch);
  return standing.commit === null ? "none" : `none (detached at ${standing.commit.slice(0, 9)})`;
}
