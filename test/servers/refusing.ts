// Answers that are none: errors of HTTP in the protocol's form, garbage, a cut connection.

import type { ServerResponse } from "node:http";
import { nodeHost } from "../../src/adapters/node/host.ts";
import { unreachable } from "../../src/base/assert.ts";
import type { ModelError } from "../../src/model/provider.ts";
import type { Behaviour } from "./behaviour.ts";
import type { Protocol, RefusalCode } from "./protocol.ts";

export type Failed = `refused ${number}` | "garbage" | "broken";

export function failAsScripted(response: ServerResponse, protocol: Protocol, error: ModelError): Failed {
  const { code, message, retryAfterMs } = error;
  const refuse = (as: RefusalCode): Failed =>
    sendRefusal(response, protocol, {
      code: as,
      message,
      retryAfterAs: "seconds",
      ...(retryAfterMs !== null && { retryAfterMs }),
    });
  switch (code) {
    case "bad-answer":
      return sendGarbage(response, "html");
    case "unreachable":
    case "network":
      response.socket?.destroy();
      return "broken";
    case "script":
    case "replay":
    case "refusal":
    case "no-content":
      return refuse("bad-request");
    case "unauthorized":
    case "quota":
    case "rate-limit":
    case "overloaded":
    case "bad-request":
    case "not-found":
    case "other":
      return refuse(code);
    default:
      return unreachable(code);
  }
}

export function sendRefusal(
  response: ServerResponse,
  protocol: Protocol,
  refusal: NonNullable<Behaviour["refuse"]>,
): Failed {
  const { code, message = `scripted ${code}`, retryAfterMs, retryAfterAs } = refusal;
  const { status, body } = protocol.refusal(
    code,
    message,
    retryAfterAs === "retry-info" ? (retryAfterMs ?? null) : null,
  );
  const headers = retryAfterMs === undefined ? {} : retryHeaders(retryAfterAs, retryAfterMs);
  sendJson(response, refusal.status ?? status, body, { ...headers, ...refusal.headers });
  return `refused ${refusal.status ?? status}`;
}

function retryHeaders(as: "seconds" | "date" | "ms" | "retry-info", ms: number): Readonly<Record<string, string>> {
  switch (as) {
    case "seconds":
      return { "retry-after": String(ms / 1_000) };
    case "date":
      return { "retry-after": new Date(nodeHost().clock.now() + ms).toUTCString() };
    case "ms":
      return { "retry-after-ms": String(ms) };
    case "retry-info":
      return {};
    default:
      return unreachable(as);
  }
}

export function sendGarbage(response: ServerResponse, as: "html" | "json" | "empty"): Failed {
  const stream = as === "empty";
  response.writeHead(200, {
    "content-type": stream ? "text/event-stream" : as === "html" ? "text/html" : "application/json",
  });
  response.end(
    stream ? "" : as === "html" ? "<html><title>Welcome</title><body>Hello.</body></html>" : '{"hello":"world"}',
  );
  return "garbage";
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}
