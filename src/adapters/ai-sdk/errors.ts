// Whatever the SDK throws or streams as an error, as a ModelError. Its text is capped, cleaned and free of keys.

import { APICallError } from "@ai-sdk/provider";
import { cleanLine } from "../../base/text.ts";
import type { Clock } from "../../host/clock.ts";
import type { ModelError } from "../../model/provider.ts";
import { type ErrorBody, readErrorBody } from "./error-body.ts";
import { networkCause } from "./network-cause.ts";
import type { Redact } from "./redact.ts";
import { retryAfterMs } from "./retry-after.ts";

const messageCharsMax = 1_000;

export interface ErrorContext {
  readonly clock: Clock;
  readonly redact: Redact;
}

export function modelError(code: ModelError["code"], message: string, retryAfter: number | null = null): ModelError {
  return { kind: "model", code, message, retryAfterMs: retryAfter };
}

/**
 * | what happened                                                                 | code           |
 * | ----------------------------------------------------------------------------- | -------------- |
 * | 402; 400, 403 and 429 whose body speaks of used-up credit, billing or quota     | `quota`        |
 * | 401; 403 else; a 400 in which Google calls the key invalid                     | `unauthorized` |
 * | 429 else                                                                      | `rate-limit`   |
 * | 503, 529, and errors called overloaded                                        | `overloaded`   |
 * | 404, 405, 410, errors called so, and redirects, which are not followed         | `not-found`    |
 * | other 4xx                                                                     | `bad-request`  |
 * | no connection came about: refused, no such host, no way there                 | `unreachable`  |
 * | a connection that broke                                                       | `network`      |
 * | a 200 whose body is no answer of the protocol                                 | `bad-answer`   |
 * | 500, 502, 504, 408, 409, 425 and the rest                                     | `other`        |
 *
 * An error inside of a stream counts by the status that it stands for. One that came instead of a stream is `uncharged`.
 */
export function errorOf(thrown: unknown, context: ErrorContext): ModelError {
  const cause = networkCause(thrown);
  if (cause !== null) return shown(cause.code, `the connection failed: ${cause.reason}`, null, context);
  const refusal = refusalIn(thrown);
  if (refusal === null) return shown("bad-answer", unreadable(thrown), null, context);
  const { status, headers, body, text } = refusal;
  const code = codeOf(status, body);
  const mayWait = !PERSONS.has(code);
  const said = body.message === "" ? text : body.message;
  const where = headers.location === undefined ? "" : ` (it redirects to ${headers.location}, which is not followed)`;
  const message = `${[status === null ? "" : `status ${status}`, said].filter((part) => part !== "").join(": ")}${where}`;
  const error = shown(code, message, mayWait ? retryAfterMs(headers, body.retryDelay, context.clock) : null, context);
  return status !== null && isHttpAnswer(refusal) ? { ...error, uncharged: true } : error;
}

/** The SDK gives an error that comes as the first event of a stream the form of one of HTTP: then the model may have begun. */
function isHttpAnswer({ headers, inStream }: Refusal): boolean {
  return !inStream && !(headers["content-type"] ?? "").includes("event-stream");
}

/** Waiting mends none of these. */
const PERSONS: ReadonlySet<ModelError["code"]> = new Set(["quota", "unauthorized", "bad-request", "not-found"]);

interface Refusal {
  readonly status: number | null;
  /** An event of a stream that had begun. */
  readonly inStream: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorBody;
  /** For a body that says nothing. */
  readonly text: string;
}

/** What the provider itself said; null where something only could not be read. */
function refusalIn(thrown: unknown): Refusal | null {
  if (APICallError.isInstance(thrown)) {
    const { statusCode = 0, responseHeaders = {}, responseBody = "", message } = thrown;
    if (statusCode < 300) return null;
    const body = readErrorBody(responseBody);
    return { status: statusCode, inStream: false, headers: responseHeaders, body, text: message };
  }
  if (thrown instanceof Error || thrown === null || thrown === undefined) return null;
  const body = readErrorBody(thrown);
  const text = "the stream held an error without a text";
  return { status: body.status, inStream: true, headers: {}, body, text };
}

function codeOf(status: number | null, body: ErrorBody): ModelError["code"] {
  const { meaning } = body;
  if (meaning === "quota" || meaning === "unauthorized") return meaning;
  if ((status === 400 || status === 403) && body.speaksOfCredit) return "quota";
  if (status === 403 && body.speaksOfQuota) return "quota";
  // Some call it an invalid request.
  if (status !== null && isNotFound(status)) return "not-found";
  if (meaning !== null) return meaning;
  switch (status) {
    case null:
    case 408:
    case 409:
    case 425:
      return "other";
    case 401:
    case 403:
      return "unauthorized";
    case 402:
      return "quota";
    case 429:
      return "rate-limit";
    case 503:
    case 529:
      return "overloaded";
    default:
      return status < 500 ? "bad-request" : "other";
  }
}

function isNotFound(status: number): boolean {
  return status === 404 || status === 405 || status === 410 || (status >= 300 && status < 400);
}

function unreadable(thrown: unknown): string {
  return `the answer could not be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
}

function shown(
  code: ModelError["code"],
  message: string,
  retryAfter: number | null,
  context: ErrorContext,
): ModelError {
  return modelError(code, cleanLine(context.redact(message), messageCharsMax), retryAfter);
}
