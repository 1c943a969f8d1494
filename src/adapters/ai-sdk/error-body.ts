// What the body of a provider's error says, in whichever of the known shapes it comes: Anthropic's, OpenAI's, Google's,
// FastAPI's (vLLM), a bare text, an HTML page of a proxy.

import type { ModelError } from "../../model/provider.ts";

export interface ErrorBody {
  /** For a person; empty if the body says nothing. */
  readonly message: string;
  /** What the error's own words (type, code, status, reason) mean; null if they are not known. */
  readonly meaning: ModelError["code"] | null;
  /** The HTTP status that an error inside of a stream says it stands for. */
  readonly status: number | null;
  /** The text is about used-up credit or a spending limit. */
  readonly speaksOfCredit: boolean;
  /** The text names quota or billing: Google's per-minute limits do too, so alone it means money only in a 403. */
  readonly speaksOfQuota: boolean;
  /** Google's RetryInfo: seconds as in `34.07s`. */
  readonly retryDelay: string | null;
}

const detailsMax = 50;

/** In the order in which they count where several are said. */
const MEANINGS: readonly (readonly [ModelError["code"], ReadonlySet<string>])[] = [
  [
    "quota",
    new Set([
      "insufficient_quota",
      "billing_error",
      "billing_hard_limit_reached",
      "billing_not_active",
      "billing_disabled",
      "insufficient_balance",
      "insufficient_credits",
      "credit_balance_too_low",
    ]),
  ],
  ["unauthorized", new Set(["authentication_error", "invalid_api_key", "api_key_invalid", "unauthenticated"])],
  [
    "rate-limit",
    new Set([
      "rate_limit_error",
      "rate_limit_exceeded",
      "ratelimitexceeded",
      "too_many_requests",
      "resource_exhausted",
    ]),
  ],
  [
    "overloaded",
    new Set([
      "overloaded_error",
      "overloaded",
      "engine_overloaded",
      "server_is_overloaded",
      "slow_down",
      "unavailable",
    ]),
  ],
  ["not-found", new Set(["not_found_error", "model_not_found", "not_found"])],
  ["bad-request", new Set(["invalid_request_error", "invalid_argument", "context_length_exceeded", "invalid_prompt"])],
];

const CREDIT =
  /credit balance|insufficient (?:balance|credits?|funds|quota)|out of credits|(?:billing|spending|usage) (?:hard )?limit|payment required/i;
const QUOTA = /\bquotas?\b|\bbilling\b|\bcredits?\b/i;

/** `given` is the body's text, or the parsed value of an error inside of a stream. */
export function readErrorBody(given: unknown): ErrorBody {
  const value = typeof given === "string" ? parsed(given) : given;
  const outer = record(Array.isArray(value) ? value[0] : value);
  const frame = record(outer.data ?? outer.response ?? outer);
  const inner = "error" in frame ? record(frame.error) : frame;
  const details = Array.isArray(inner.details)
    ? inner.details.slice(0, detailsMax).map(record)
    : [record(inner.details)];
  const said = [outer, frame, inner].flatMap(({ type, code, status }) => [type, code, status]);
  const words = [...said, ...details.flatMap(({ reason, error_code: code }) => [reason, code])];
  const message = messageIn(value, outer, frame, inner);
  return {
    message,
    meaning: meaningOf(words),
    status: statusIn([outer.statusCode, ...said]),
    speaksOfCredit: CREDIT.test(message),
    speaksOfQuota: QUOTA.test(message),
    retryDelay: details.map(({ retryDelay }) => retryDelay).find((delay) => typeof delay === "string") ?? null,
  };
}

function messageIn(value: unknown, ...places: readonly Readonly<Record<string, unknown>>[]): string {
  if (typeof value === "string") return readable(value);
  const texts = places.toReversed().flatMap(({ message, error, detail, msg }) => [message, error, detail, msg]);
  return texts.find((text): text is string => typeof text === "string" && text !== "") ?? "";
}

/** Of an HTML page only its title. */
function readable(text: string): string {
  if (!text.trimStart().startsWith("<")) return text;
  const title = /<title>([^<]*)<\/title>/i.exec(text)?.[1]?.trim() ?? "";
  return title === "" ? "a page of HTML" : `a page of HTML: ${title}`;
}

function meaningOf(words: readonly unknown[]): ModelError["code"] | null {
  const said = new Set(words.flatMap((word) => (typeof word === "string" ? [word.toLowerCase()] : [])));
  return MEANINGS.find(([, known]) => [...known].some((word) => said.has(word)))?.[0] ?? null;
}

function statusIn(values: readonly unknown[]): number | null {
  const numbers = values.map((value) => (typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value));
  return numbers.find((value): value is number => typeof value === "number" && value >= 400 && value <= 599) ?? null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
