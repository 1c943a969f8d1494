// Keys that are told by their shape: tokens of several parts with points between them, a bot's number with its key, blocks with a header, and
// long runs that look drawn by lot. A commit's full hash looks like one and goes with them.

import { withoutFullStop } from "./marked-keys.ts";
import { changeRate, digitsIn, isNameLike, kindsIn } from "./random-look.ts";
import { alphanumericOr, type Characters, isDigit, isOneOf, isUpper, type Scan, type Span } from "./scan.ts";

const base64url: Characters = alphanumericOr("_-");
const dotted: Characters = alphanumericOr("_.=-");
const labelCharsMax = 80;
/** Of the shortest token that is told below. */
const dottedCharsMin = 9;
const numberCharsMin = 6;

/** RFC 7468: from the header to the footer, or to the end of the text where there is none. */
export function keyBlocks(scan: Scan): readonly Span[] {
  const found: Span[] = [];
  for (let at = 0; ; ) {
    const start = scan.find("-----BEGIN ", at);
    if (start < 0) return found;
    const label = scan.runEnd(start + 11, (code) => isUpper(code) || isDigit(code) || code === 32, labelCharsMax);
    at = start + 11;
    if (!scan.startsWith("-----", label)) continue;
    const footer = scan.find("-----END ", label);
    if (footer < 0) return [...found, { start, end: scan.length }];
    const labelEnd = scan.runEnd(footer + 9, (code) => code !== 45 && code !== 10, labelCharsMax);
    at = scan.startsWith("-----", labelEnd) ? labelEnd + 5 : labelEnd;
    found.push({ start, end: at });
  }
}

/** RFC 7519 (a header in base64url always begins so), and tokens of Discord's bots, Terraform Cloud and the like. */
export function dottedTokens(scan: Scan): readonly Span[] {
  const found: Span[] = [];
  for (const run of scan.runs(dotted, dottedCharsMin)) {
    const text = scan.slice(run);
    const start = text.startsWith("eyJ") ? 0 : jsonStart(text);
    if (start !== null && text.indexOf(".", start) >= start + 8)
      found.push({ start: run.start + start, end: withoutFullStop(scan, run.start, run.end) });
    else if (isBotToken(text.split(".", 4)) || text.includes(".atlasv1."))
      found.push({ start: run.start, end: withoutFullStop(scan, run.start, run.end) });
  }
  return found;
}

function jsonStart(text: string): number | null {
  const at = Math.max(text.indexOf("=eyJ"), text.indexOf("-eyJ"), text.indexOf("_eyJ"));
  return at < 0 ? null : at + 1;
}

function isBotToken([id = "", time = "", key = ""]: readonly string[]): boolean {
  return /^[MNO]/.test(id) && id.length >= 23 && id.length <= 28 && time.length === 6 && key.length >= 27;
}

/** core.telegram.org/bots/api: `110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw`. */
export function numberedTokens(scan: Scan): readonly Span[] {
  const found: Span[] = [];
  for (const { start, end } of scan.runs(isDigit, numberCharsMin)) {
    if (scan.char(end) !== ":") continue;
    const key = scan.runEnd(end + 1, base64url);
    if (key - end - 1 >= 30) found.push({ start, end: key });
  }
  return found;
}

const runChars: Characters = alphanumericOr("+/_~-");
const paddingMax = 2;
const longCharsMin = 32;
const digitsOfLongMin = 4;
const mixedCharsMin = 24;

/** 40 characters of AWS's secret keys, keys in hexadecimal, in base64: whatever has no mark and is no name. */
export function randomRuns(scan: Scan): readonly Span[] {
  const found: Span[] = [];
  for (const run of scan.runs(runChars, mixedCharsMin)) {
    // Neither the root of a path nor a dash before an option is a part of a key; what fills up base64 is.
    const start = scan.runEnd(run.start, isOneOf("/-+_~"));
    if (run.end - start < mixedCharsMin) continue;
    const text = scan.slice({ start, end: run.end });
    scan.steps += 4 * text.length;
    if (!isNameLike(text) && !isUuid(text) && isRandom(text))
      found.push({ start, end: scan.runEnd(run.end, isOneOf("="), paddingMax) });
    else found.push(...randomParts(text, start));
  }
  return found;
}

/** A key in a path or behind a name. */
function randomParts(text: string, start: number): readonly Span[] {
  const found: Span[] = [];
  let at = start;
  for (const part of text.split(/[/~]/)) {
    if (
      part.length >= mixedCharsMin &&
      part.length < text.length &&
      !isNameLike(part) &&
      !isUuid(part) &&
      isRandom(part)
    )
      found.push({ start: at, end: at + part.length });
    at += part.length + 1;
  }
  return found;
}

function isRandom(text: string): boolean {
  const kinds = kindsIn(text);
  if (text.length >= longCharsMin && digitsIn(text) >= digitsOfLongMin && kinds >= 2 && !isMostlyNames(text))
    return true;
  const rate = changeRate(text);
  return kinds === 3 && rate >= (text.length >= longCharsMin ? 0.3 : 0.5);
}

/** A long path with one odd part in it is a path: the part is judged by itself. */
function isMostlyNames(text: string): boolean {
  const parts = text.split("/");
  return parts.length > 2 && parts.filter((part) => part.length > 1 && isNameLike(part)).length * 2 > parts.length;
}

/** An id, of which a session's is the commonest: nobody's secret by itself. */
function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
