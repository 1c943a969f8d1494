// Secrets that are told by the name before them: `password: x`, `API_KEY="x y"`, `--token x`, `-H 'Authorization: ApiKey x'`, `the password
// is x`, `PASSWORD 'x'`. Invariant: each value is looked at once for the name that ends before it.

import { unreachable } from "../../base/assert.ts";
import { digitsIn } from "./random-look.ts";
import { alphanumericOr, type Characters, isBlank, isOneOf, isSpace, type Scan, type Span } from "./scan.ts";
import { isOrdinary, isPlainWord, isStandIn, QUERY_NAMES, type Strength, strengthOf } from "./words.ts";

const inPlainValue: Characters = (code) => !isSpace(code) && !isValueEnd(code);
const isValueEnd = isOneOf("\"'`,;&|");
const nameChars: Characters = alphanumericOr("_.-");
const quotes = "\"'`";
const schemes =
  /^(bearer|basic|digest|token|apikey|api-key|negotiate|ntlm|hawk|oauth|jwt|ssws|geniekey|key|aws4-hmac-sha256|private-token)$/i;
const headerNames = /^(proxy-)?authorization$|^(set-)?cookie2?$/i;
const nameCharsMax = 80;
/** By so many characters of a value it is judged; what is taken is taken whole. */
const judgedCharsMax = 200;

export function namedValues(scan: Scan): readonly Span[] {
  const found: Span[] = [];
  let done = 0;
  for (const run of scan.runs(nameChars)) {
    if (run.start < done) continue;
    const value = secretAfter(scan, run);
    if (value === null || value.end <= value.start) continue;
    found.push(value);
    done = value.end;
  }
  return found;
}

/** Names that say nothing of a secret, wherever they stand: the same words come again and again. */
const plain = new Set<string>();
const plainMax = 2_000;

function isPlain(name: string): boolean {
  if (plain.has(name)) return true;
  if (headerNames.test(name) || /^(bearer|basic|by)$/i.test(name)) return false;
  if (QUERY_NAMES.has(name.toLowerCase()) || strengthOf(name) !== null) return false;
  if (plain.size >= plainMax) plain.clear();
  plain.add(name);
  return true;
}

function secretAfter(scan: Scan, run: Span): Span | null {
  const name = scan.slice({ start: Math.max(run.start, run.end - nameCharsMax), end: run.end });
  if (isPlain(name)) return null;
  if (headerNames.test(name)) return headerValue(scan, run);
  if (/^(bearer|basic)$/i.test(name)) return bareScheme(scan, run.end, name.toLowerCase());
  const before = scan.char(run.start - 1);
  const strength =
    (before === "?" || before === "&") && QUERY_NAMES.has(name.toLowerCase())
      ? "strong"
      : nameStrength(scan, run, name);
  if (strength === null) return null;
  const sign = signAfter(scan, run, name);
  return sign === null ? null : judged(scan, sign, strength, name);
}

/** SQL says `IDENTIFIED BY`. */
function nameStrength(scan: Scan, { start }: Span, name: string): Strength | null {
  if (/^by$/i.test(name))
    return /identified $/i.test(scan.slice({ start: Math.max(0, start - 11), end: start })) ? "strong" : null;
  // `-pSECRET` is an option with its value, and not a name.
  return /^-p(?!ass|w|riv)/i.test(name) ? null : strengthOf(name);
}

/** What stands between a name and its value. */
interface Sign {
  readonly kind: "tight" | "loose" | "said" | "beside";
  readonly value: number;
}

function signAfter(scan: Scan, { start, end }: Span, name: string): Sign | null {
  // A name in quotes, as in JSON, or in brackets.
  let at = end;
  if (scan.char(at) === "\\") at += 1;
  if (`${quotes}]`.includes(scan.char(at)) && scan.char(at) !== "") at += 1;
  if (scan.char(at) === "]") at += 1;
  const blanksEnd = scan.runEnd(at, isBlank);
  const sign = /^(:=|=>|:|=|->)(?![=:])/.exec(scan.slice({ start: blanksEnd, end: blanksEnd + 3 }))?.[1] ?? null;
  if (sign !== null) {
    const value = scan.runEnd(blanksEnd + sign.length, isBlank);
    const isTight = value === at + sign.length && (sign === "=" || at > end || scan.startsWith("--", start));
    return { kind: isTight ? "tight" : "loose", value };
  }
  if (blanksEnd === at || at !== end) return null;
  if (name.startsWith("-") || scan.char(start - 1) === "-") return { kind: "loose", value: blanksEnd };
  const word = /^(is|was|to|as|be)[ \t]+/i.exec(scan.slice({ start: blanksEnd, end: blanksEnd + 8 }))?.[0] ?? null;
  if (word !== null) return { kind: "said", value: scan.runEnd(blanksEnd + word.length, isBlank) };
  return { kind: "beside", value: blanksEnd };
}

function judged(scan: Scan, { kind, value }: Sign, strength: Strength, name: string): Span | null {
  const quoted = quotedAt(scan, value);
  if (quoted !== null) {
    const text = scan.slice(quoted);
    if (text === "" || isStandIn(text)) return null;
    if (strength === "strong" || kind === "tight") return quoted;
    return text.split(/\s+/).every((word) => isPlainWord(word) || isOrdinary(word)) ? null : quoted;
  }
  const text = scan.slice(plainValue(scan, value, judgedCharsMax));
  if (!isSecret(text, kind, strength, name)) return null;
  return plainValue(scan, value);
}

function isSecret(text: string, kind: Sign["kind"], strength: Strength, name: string): boolean {
  if (text === "" || isStandIn(text) || (kind !== "tight" && text.startsWith("-"))) return false;
  if (kind !== "tight" && isOrdinary(text)) return false;
  switch (kind) {
    case "tight":
      return strength === "strong" || text.length >= 3;
    case "loose":
      return strength === "strong" || isKeyLike(text);
    case "said":
      // Of a secret people say much; of a password they say the password.
      return isKeyLike(text) || (strength === "strong" && (/pass|pwd/i.test(name) || !isPlainWord(text)));
    case "beside":
      return /^(password|passwd|passphrase|passcode|secret)$/i.test(name) && isMixed(text);
    default:
      return unreachable(kind);
  }
}

/** No word, no short number. */
function isKeyLike(text: string): boolean {
  return !isPlainWord(text) && !/^\d{1,5}\D?$/.test(text) && text.length >= 4;
}

/** Letters with digits, and no algorithm's name or version. */
function isMixed(text: string): boolean {
  if (text.length < 6 || digitsIn(text) === 0 || !/[A-Za-z]/.test(text) || /[/(=]/.test(text)) return false;
  return !/^(sha-?\d+|md5|base\d+|argon2\w*|bcrypt\w*|scrypt\d*|oauth2?|pbkdf2|totp|utf-?\d+|\w+-v?\d[\d.]*)$/i.test(
    text,
  );
}

/** The inside of a quotation that ends on its line. */
function quotedAt(scan: Scan, at: number): Span | null {
  const open = scan.char(at) === "\\" ? at + 1 : at;
  const quote = scan.char(open);
  if (quote === "" || !quotes.includes(quote)) return null;
  const code = quote.charCodeAt(0);
  const end = scan.runEnd(open + 1, (one) => one !== code && one !== 10 && one !== 13);
  if (scan.char(end) !== quote) return null;
  return { start: open + 1, end: scan.char(end - 1) === "\\" && open > at ? end - 1 : end };
}

/** To the next space or mark of punctuation that has one behind it. */
function plainValue(scan: Scan, from: number, charsMax = Number.POSITIVE_INFINITY): Span {
  const start = quotes.includes(scan.char(from)) && scan.char(from) !== "" ? from + 1 : from;
  let at = start;
  for (;;) {
    at = scan.runEnd(at, inPlainValue, start + charsMax - at);
    const mark = scan.char(at);
    const next = scan.char(at + 1);
    const goesOn =
      (mark === "," && /[^\s"'`{[]/.test(next)) ||
      (mark === "&" && /[^\s&]/.test(next) && !startsParameter(scan, at + 1));
    if (!goesOn || at - start >= charsMax) break;
    at += 1;
  }
  const end = scan.runStart(at, isOneOf(").]}>"));
  return { start, end: Math.max(start, end) };
}

function startsParameter(scan: Scan, at: number): boolean {
  const end = scan.runEnd(at, nameChars, nameCharsMax);
  return end > at && scan.char(end) === "=";
}

/** The whole rest of a quotation, or the scheme with what it takes. */
function headerValue(scan: Scan, { start, end }: Span): Span | null {
  const open = scan.char(start - 1);
  const closed = quotes.includes(scan.char(end)) && scan.char(end) !== "" && scan.char(end) === open;
  let at = scan.runEnd(closed ? end + 1 : end, isBlank);
  if (!":=".includes(scan.char(at)) || scan.char(at) === "") return null;
  at = scan.runEnd(at + 1, isBlank);
  const own = quotedAt(scan, at);
  if (own !== null) return isStandIn(withoutScheme(scan.slice(own))) ? null : own;
  const code = open.charCodeAt(0);
  if (!closed && open !== "" && quotes.includes(open)) {
    const rest = scan.runEnd(at, (one) => one !== code && one !== 10 && one !== 13);
    return isStandIn(withoutScheme(scan.slice({ start: at, end: rest }))) ? null : { start: at, end: rest };
  }
  const word = scan.slice(wordAt(scan, at, judgedCharsMax));
  const isKnown = schemes.test(word);
  if (word === "" || (!isKnown && (isStandIn(word) || isOrdinary(word)))) return null;
  const second = scan.runEnd(at + word.length, isBlank);
  const value = scan.slice(wordAt(scan, second, judgedCharsMax));
  const isScheme = isKnown || (isPlainWord(word) && (digitsIn(value) > 0 || value.includes("=")));
  if (!isScheme || value === "") return isPlainWord(word) ? null : trimmed(scan, wordAt(scan, at));
  if (isStandIn(value) || (isOrdinary(value) && value.length < 8)) return null;
  return trimmed(scan, { start: at, end: listEnd(scan, wordAt(scan, second).end) });
}

function withoutScheme(text: string): string {
  const [first = "", ...others] = text.trim().split(/\s+/);
  return others.length > 0 && schemes.test(first) ? others.join(" ") : text.trim();
}

/** `Digest username="x", response="y"`, `a=b; c=d`: as long as the next word is a part of it. */
function listEnd(scan: Scan, from: number): number {
  let end = from;
  while (",;".includes(scan.char(end - 1))) {
    const next = scan.runEnd(end, isBlank);
    if (!scan.slice(wordAt(scan, next, judgedCharsMax)).includes("=")) break;
    end = wordAt(scan, next).end;
  }
  return end;
}

function wordAt(scan: Scan, start: number, charsMax?: number): Span {
  return { start, end: scan.runEnd(start, (code) => !isSpace(code) && code !== 39 && code !== 96, charsMax) };
}

function trimmed(scan: Scan, { start, end }: Span): Span {
  return { start, end: Math.max(start, scan.runStart(end, isOneOf(".,;)"))) };
}

/** `Bearer x`, `Basic x` (RFC 6750, 7617) by themselves. */
function bareScheme(scan: Scan, end: number, scheme: string): Span | null {
  const start = scan.runEnd(end, isBlank);
  const last = scan.runEnd(start, alphanumericOr("._~+/=-"));
  if (start === end || last - start < 8) return null;
  const value = scan.slice({ start, end: last });
  const isCredential = scheme === "basic" ? isNameAndPassword(value) : !isPlainWord(value);
  return isCredential ? trimmed(scan, { start, end: last }) : null;
}

function isNameAndPassword(value: string): boolean {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return false;
  const text = Buffer.from(value, "base64").toString("latin1");
  return text.indexOf(":") > 0 && [...text].every((char) => char >= " " && char <= "~");
}
