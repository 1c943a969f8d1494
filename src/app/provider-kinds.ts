// The providers that can be named, and what each needs: the variables its key may be in, where it is asked.

export const PROVIDER_KINDS = ["anthropic", "openai", "openai-chat", "google", "openai-compatible", "ollama"] as const;

export type ProviderKind = (typeof PROVIDER_KINDS)[number];

export interface ProviderFacts {
  /** What is asked, for a person. */
  readonly title: string;
  /** Its key's variables, the first that is set counts. */
  readonly keyVariables: readonly string[];
  readonly keyNeeded: boolean;
  /** The provider's own variable for its address; null where it has none. */
  readonly baseUrlVariable: string | null;
  /** Null where only the person knows. */
  readonly baseUrl: string | null;
}

export const PROVIDERS: Readonly<Record<ProviderKind, ProviderFacts>> = {
  anthropic: {
    title: "Anthropic's Messages API",
    keyVariables: ["ANTHROPIC_API_KEY"],
    keyNeeded: true,
    baseUrlVariable: "ANTHROPIC_BASE_URL",
    baseUrl: "https://api.anthropic.com/v1",
  },
  openai: {
    title: "OpenAI's Responses API",
    keyVariables: ["OPENAI_API_KEY"],
    keyNeeded: true,
    baseUrlVariable: "OPENAI_BASE_URL",
    baseUrl: "https://api.openai.com/v1",
  },
  "openai-chat": {
    title: "OpenAI's Chat Completions API",
    keyVariables: ["OPENAI_API_KEY"],
    keyNeeded: true,
    baseUrlVariable: "OPENAI_BASE_URL",
    baseUrl: "https://api.openai.com/v1",
  },
  google: {
    title: "Google's Gemini API",
    keyVariables: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"],
    keyNeeded: true,
    baseUrlVariable: null,
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  },
  // OPENAI_API_KEY is not among its variables: that key must not reach whatever server is named here.
  "openai-compatible": {
    title: "any server that speaks Chat Completions",
    keyVariables: ["OPENAI_COMPATIBLE_API_KEY"],
    keyNeeded: false,
    baseUrlVariable: null,
    baseUrl: null,
  },
  ollama: {
    title: "Ollama on this machine",
    keyVariables: [],
    keyNeeded: false,
    baseUrlVariable: null,
    baseUrl: "http://127.0.0.1:11434/v1",
  },
};

export function isProviderKind(text: string): text is ProviderKind {
  return PROVIDER_KINDS.some((kind) => kind === text);
}
