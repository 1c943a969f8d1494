// What API keys and tokens look like: a file that holds one is refused before anything else is said about it.

const KEY_FORMS: readonly RegExp[] = [
  // OpenAI, Anthropic, OpenRouter, DeepSeek, Groq, xAI, Hugging Face, Replicate, Perplexity, NVIDIA, Fireworks, Cerebras
  /\b(?:sk|rk|gsk|xai|hf|r8|pplx|nvapi|fw|csk)[-_][A-Za-z0-9_-]{16,}/,
  /\bAIza[A-Za-z0-9_-]{30,}/,
  /\b(?:gh[pousr]|github_pat|glpat)[-_][A-Za-z0-9_-]{16,}/,
  /\bAKIA[A-Z0-9]{16}\b/,
  /\bBearer\s+[A-Za-z0-9._~+/=-]{8,}/i,
  // A password in an address.
  /:\/\/[^/\s@:]*:[^/\s@]+@/,
];

/** The form of a known provider's key, or of a password in an address; a key without such a form is not seen. */
export function holdsKey(text: string): boolean {
  return KEY_FORMS.some((form) => form.test(text));
}
