// Takes out of a person's words what others must not get: keys, passwords, tokens, mail addresses, credentials in addresses.
// Invariant: what is taken out cannot be read back; too much is taken rather than too little.

const WHOLE_BLOCK = /-----BEGIN [A-Z ]*-----[\s\S]*?(-----END [A-Z ]*-----|$)/g;

/** The forms of keys that are given out with a mark of their own. */
const MARKED_KEYS =
  /\b(sk|pk|rk)[-_][A-Za-z0-9_-]{12,}|\bgh[opsur]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\b(AKIA|ASIA)[A-Z0-9]{12,}|\bAIza[\w-]{20,}|\bya29\.[\w.-]{10,}|\bxox[a-z]-[\w-]{8,}|\beyJ[\w-]{8,}\.[\w-]{4,}(\.[\w-]*)?|\bnpm_[A-Za-z0-9]{20,}|\bhf_[A-Za-z0-9]{16,}/g;

/** `password: x`, `API_KEY=x`, `Authorization: Bearer x`. */
const NAMED_SECRETS =
  /\b([\w.-]*(?:pass(?:word|wd|phrase)?|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credentials?|auth(?:orization)?))(["']?\s*(?:[:=]|\bis\b)\s*["']?)((?:bearer|basic)\s+)?[^\s"',;]{3,}/gi;
const BEARER = /\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi;

const URL_CREDENTIALS = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi;
const MAIL = /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+/gu;

/** A long run of letters and digits with both in it: a hash is taken out with the keys. */
const LONG_RUN = /[A-Za-z0-9+/_=-]{32,}/g;

const MARK = "[redacted]";

export function redact(text: string): string {
  return text
    .replace(WHOLE_BLOCK, MARK)
    .replace(URL_CREDENTIALS, `$1${MARK}@`)
    .replace(MARKED_KEYS, MARK)
    .replace(NAMED_SECRETS, `$1$2${MARK}`)
    .replace(BEARER, MARK)
    .replace(MAIL, MARK)
    .replace(LONG_RUN, (run) => (looksRandom(run) ? MARK : run));
}

/** Paths and long names have few digits, keys have many. */
function looksRandom(run: string): boolean {
  const digits = run.replace(/\D/g, "").length;
  return digits >= 4 && /[A-Za-z]/.test(run);
}
