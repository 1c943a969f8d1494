// Takes keys out of text that leaves this folder. A provider's error may repeat the key it refuses.

export type Redact = (text: string) => string;

const REDACTED = "[key removed]";

/** Forms of keys and tokens of the known providers, for those that are not ours but stand in an answer. */
const KEY_FORMS =
  /\b(?:sk|rk|gsk|xai|pplx|hf|r8|nvapi|fw|csk|key)[-_][A-Za-z0-9_*.-]{8,}|\bAIza[A-Za-z0-9_-]{20,}|\bBearer\s+[A-Za-z0-9._~+/=-]{8,}|(?<=[?&](?:key|api_key|token)=)[^&\s"']+|(?<=\/\/)[^/\s@]+(?=@)/g;

/** Shorter "keys" are placeholders such as `x`, which servers without keys are given: they would blot out any text. */
const keyCharsMin = 6;

export function redactor(apiKey: string | null): Redact {
  const own = apiKey !== null && apiKey.length >= keyCharsMin ? [apiKey, encodeURIComponent(apiKey)] : [];
  return (text) => own.reduce((left, key) => left.replaceAll(key, REDACTED), text).replace(KEY_FORMS, REDACTED);
}
