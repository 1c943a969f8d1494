// Credentials in addresses, secret places of webhooks, and mail addresses. RFC 3986 (userinfo), RFC 5321 (mailbox). A git remote, an image on
// a screen of double size and a package's version have an @ and are none.

import { changeRate, digitsIn } from "./random-look.ts";
import { alphanumericOr, type Characters, isAlphanumeric, isOneOf, isSpace, type Scan, type Span } from "./scan.ts";

const isAuthorityEnd = isOneOf('/?#"`<>\\');
const authority: Characters = (code) => !isSpace(code) && !isAuthorityEnd(code);
const pathOfUrl: Characters = alphanumericOr("_.~/%+-");

/** Places that are a secret by themselves, after their host. */
const webhooks = [
  "hooks.slack.com/services/",
  "hooks.slack.com/workflows/",
  "hooks.slack.com/triggers/",
  "discord.com/api/webhooks/",
  "discordapp.com/api/webhooks/",
  "api.telegram.org/bot",
  "hooks.zapier.com/hooks/catch/",
];

export function urlSecrets(scan: Scan): readonly Span[] {
  const found: Span[] = [];
  for (let at = 0; ; ) {
    const scheme = scan.find("://", at);
    if (scheme < 0) return found;
    const start = scheme + 3;
    const end = scan.runEnd(start, authority);
    at = Math.max(start, end);
    const who = scan.slice({ start, end });
    const host = who.lastIndexOf("@");
    if (host > 0 && isCredential(who.slice(0, host))) found.push({ start, end: start + host });
    for (const place of webhooks)
      if (scan.startsWith(place, start)) {
        at = scan.runEnd(start + place.length, pathOfUrl);
        found.push({ start: start + place.length, end: at });
      }
  }
}

const userCharsMax = 15;

/** A user's name alone is none, a token in its place is. */
function isCredential(userinfo: string): boolean {
  if (userinfo.includes(":")) return true;
  return (
    userinfo.length > userCharsMax || (digitsIn(userinfo) > 2 && userinfo.length > 8) || changeRate(userinfo) > 0.5
  );
}

const isLocalMark = isOneOf("._%+-");
const local: Characters = (code) => isAlphanumeric(code) || isLocalMark(code) || (code > 127 && isLetter(code));
const domain: Characters = (code) =>
  isAlphanumeric(code) || code === 46 || code === 45 || (code > 127 && isLetter(code));
/** What stands before the host in `user:password@host`. */
const isPairEnd = isOneOf("@\"'`<>(),;/");
const pair: Characters = (code) => !isSpace(code) && !isPairEnd(code);

function isLetter(code: number): boolean {
  return /\p{L}/u.test(String.fromCharCode(code));
}

/** Between two `@` nothing is looked at more than a few times. */
export function mailAddresses(scan: Scan): readonly Span[] {
  const found: Span[] = [];
  for (let at = scan.find("@", 0); at >= 0; at = scan.find("@", at + 1)) {
    const end = withoutEnd(scan, at + 1, scan.runEnd(at + 1, domain));
    const start = scan.runStart(at, local);
    const host = scan.slice({ start: at + 1, end });
    const name = scan.slice({ start, end: at });
    const before = scan.runStart(at, pair);
    const both = scan.slice({ start: before, end: at });
    if (isLogin(both, host)) found.push({ start: before, end: at });
    else if (name !== "" && name !== "git" && !scan.startsWith("://", start - 3) && isMailDomain(host))
      found.push({ start, end });
  }
  return found;
}

function withoutEnd(scan: Scan, from: number, end: number): number {
  return Math.max(
    from,
    scan.runStart(end, (code) => code === 46 || code === 45),
  );
}

/** The last part is letters: a version's is not. `icon@2x.png` is a file. */
function isMailDomain(host: string): boolean {
  const parts = host.split(".");
  const last = parts.at(-1) ?? "";
  return parts.length > 1 && parts.every((part) => part !== "") && /^\p{L}{2,}$/u.test(last) && !/^\dx\./.test(host);
}

/** `jo:secret@tcp(db)`, `jo:secret@10.0.0.5`, `jo:secret@db.local`: not `npm:left-pad@1.3.0`, not an image with its digest. */
function isLogin(both: string, host: string): boolean {
  const colon = both.indexOf(":");
  if (colon < 1 || colon === both.length - 1) return false;
  if (/^(npm|workspace|file|link|patch|jsr|catalog|git|github|mailto)$/.test(both.slice(0, colon))) return false;
  return /^(\p{L}|\d{1,3}(\.\d{1,3}){3}$)/u.test(host) && !/^(sha256|sha512|next|latest|beta|alpha|rc)\b/.test(host);
}
