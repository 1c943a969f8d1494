// Takes secrets out of what is recorded. Keys never reach a request on purpose; a file an agent read or a command's output may hold one.

/** What is put in a secret's place. */
export const REDACTED = "[redacted]";

/**
 * Forms of widely used keys, by their published prefixes. A group, if there is one, is kept. Repetitions have bounds where a long text
 * without a match would else be read again from each of its characters.
 */
const FORMS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
  // Anthropic, OpenAI, OpenRouter and others; Groq, xAI, Google, Hugging Face.
  /\bsk-[A-Za-z0-9_-]{16,}/g,
  /\b(?:gsk_|xai-)[A-Za-z0-9]{20,}/g,
  /\bAIza[A-Za-z0-9_-]{35}/g,
  /\bhf_[A-Za-z0-9]{30,}/g,
  // GitHub, GitLab, npm, Slack, AWS.
  /\bgh[pousr]_[A-Za-z0-9]{20,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\bglpat-[A-Za-z0-9_-]{20,}/g,
  /\bnpm_[A-Za-z0-9]{36}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  // JSON Web Tokens, authorization headers, passwords in URLs.
  /\beyJ[A-Za-z0-9_-]{10,4096}\.[A-Za-z0-9_-]{10,4096}\.[A-Za-z0-9_-]+/g,
  /\b((?:Bearer|Basic)\s+)[A-Za-z0-9._~+/-]{16,}=*/gi,
  /([a-z][a-z0-9+.-]{0,20}:\/\/[^\s:@/]{0,256}:)[^\s@/]{1,256}(?=@)/gi,
];

/** A secret shorter than this would be found in words that are none. */
const secretCharsMin = 8;

/** A function that takes out the known `secrets` and whatever has the form of a key. The same text gives the same result. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const known = secrets.filter((secret) => secret.length >= secretCharsMin).sort((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const secret of known) clean = clean.replaceAll(secret, REDACTED);
    for (const form of FORMS)
      clean = clean.replace(form, (_, kept) => `${typeof kept === "string" ? kept : ""}${REDACTED}`);
    return clean;
  };
}
