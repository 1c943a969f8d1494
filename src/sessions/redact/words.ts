// Which names have a secret behind them, and which values are none: words of ordinary sentences, types, places to read it from.

import { changeRate, isNameLike } from "./random-look.ts";

/** Whatever stands behind such a name is taken, unless it is an ordinary word of a sentence. */
const STRONG = new Set([
  ...[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "passwort",
    "pwd",
    "pw",
    "secret",
    "otp",
    "userpwd",
    "passin",
    "passout",
  ],
  ...[
    "apikey",
    "apitoken",
    "authtoken",
    "accesskey",
    "accesstoken",
    "secretkey",
    "privatekey",
    "signingkey",
    "encryptionkey",
  ],
  ...[
    "masterkey",
    "accountkey",
    "authkey",
    "sharedaccesskey",
    "servicekey",
    "subscriptionkey",
    "clientsecret",
    "keybase",
  ],
  ...["refreshtoken", "bottoken", "idtoken", "licensekey", "deploykey", "storagekey", "hmackey", "encryptkey"],
]);
/** Words of their own: what stands behind them is taken where it is no word and no name. */
const WEAK = new Set([
  "token",
  "pass",
  "auth",
  "credential",
  "credentials",
  "creds",
  "cookie",
  "pat",
  "dsn",
  "sid",
  "sessionid",
]);
/** In one word with others: PGPASSWORD. */
const ENDINGS = ["password", "passwd", "passphrase", "secret", "apikey", "accesskey", "secretkey", "privatekey"];

export type Strength = "strong" | "weak";

const nameCharsMax = 64;

/** Null for a name that says nothing of a secret. camelCase, snake_case, kebab-case, in capitals. */
export function strengthOf(name: string): Strength | null {
  const words = name
    .slice(-nameCharsMax)
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[-_. ]+/)
    .filter((word) => word !== "");
  const last = words.at(-1) ?? "";
  const two = `${words.at(-2) ?? ""}${last}`;
  if (STRONG.has(last) || STRONG.has(two) || ENDINGS.some((ending) => last.endsWith(ending))) return "strong";
  return WEAK.has(last) || WEAK.has(two) || last.endsWith("token") ? "weak" : null;
}

/** Names of parameters in an address. */
export const QUERY_NAMES = new Set(["key", "sig", "signature", "code", "hmac", "jwt", "pw", "pwd", "auth"]);

/** What may stand behind `password:` or `the token is` in a sentence. */
const ORDINARY = new Set(
  `a about above again all already also always an and any are as asked at back bad be because been before being below broken but by
  can cannot case changed check checked column command correct could default different do does done each either empty encrypted entered
  environment expired failed field fields file flag fine for found from generated get given gone good handling has hashed header have here
  how if ignored in incorrect input instead invalid is it its just kept known leaked left less lost made matched maybe may missing more must
  my needed never new no none not nothing now null of off ok okay old on once one only optional option or other our out parameter part parsed
  passed prompt protected provided read really redacted rejected removed required reset returned rotated rule safe same saved see sent set
  shall should shown so some stale still stored strength strong such supplied taken than that the their them then there these they thing this
  time to too treated true trimmed type typed undefined unknown unset unused until up used user users valid validated value verified very
  was weak well were what when where whether which while who why will with without would written wrong yes yet you your`
    .split(/\s+/)
    .filter((word) => word !== ""),
);

const TYPES =
  /^(null|nil|none|undefined|true|false|string|number|boolean|bool|str|int|integer|any|unknown|object|bytes|buffer|text|varchar|char|uuid|void|never|self|this|required|optional|default|nullable|redacted)$/i;
/** Where it is read from. */
const PLACE =
  /^(process\.env|import\.meta|os\.environ|os\.getenv|env|ENV|secrets|vault|config|settings|args|options|params|req|request|ctx|self|this)[.[(]/;
const VARIABLE = /^(\$\{[^}]*\}?|\$[A-Z_][A-Z0-9_]*|\$[a-z_]+|%[A-Z_]+%|\$\(.*)$/s;
/** Closing brackets may have been taken for the sentence's. */
const STAND_IN = /^(<[^<>]*>?|\{\{.*|\{[\w.]*\}?|%[sdv]|[*\u2022\u2026]+|x{3,}|\.{2,}|\[redacted\]?|\(.*)$/is;
const CALL = /^[A-Za-z_$][\w$.]*\(/;
const MEMBER = /^[A-Za-z_$]+(\.[A-Za-z_$]+)+$/;
const PATH = /^(\/|\.\.?\/|~\/)[\w./-]*$/;

/** A value that names no secret: a variable, a type, a call, a file, a stand-in. */
export function isStandIn(value: string): boolean {
  if (VARIABLE.test(value) || STAND_IN.test(value) || TYPES.test(value) || PLACE.test(value)) return true;
  if (CALL.test(value) || MEMBER.test(value)) return true;
  if (PATH.test(value)) return isNameLike(value);
  // `password = newPassword`: another name in a program.
  return /^[A-Za-z_]+$/.test(value) && /[a-z_][A-Z_]|_[a-z]/.test(value) && strengthOf(value) !== null;
}

const ordinaryCharsMax = 24;

/** Cut by a loop: an expression that is tried from each character is slow on a text that was written for it. */
export function withoutEnd(text: string, chars: string): string {
  let end = text.length;
  while (end > 0 && chars.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

export function isOrdinary(word: string): boolean {
  return word.length <= ordinaryCharsMax && ORDINARY.has(withoutEnd(word.toLowerCase(), "?!:."));
}

/** A word of a language or a name in a program: letters only, as words have them. */
export function isPlainWord(value: string): boolean {
  return /^[\p{L}_$][\p{L}_$.'-]*$/u.test(value) && changeRate(value) <= 0.34 && value.length <= 32;
}
