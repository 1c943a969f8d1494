// Tells a connection that failed from an answer that could not be read, by the codes of Node and undici.

import { APICallError } from "@ai-sdk/provider";

const causesMax = 10;

/** Of the system (`ECONNREFUSED`, `ENOTFOUND`, …), of undici, and of TLS. */
const NETWORK_CODE = /^(?:E(?!RR_)[A-Z_]+|UND_ERR_[A-Z_]+|ERR_(?:TLS|SSL)_\w+|HPE_\w+|\w*CERT\w*|\w*SIGNATURE\w*)$/;

/** Before anything could be sent. */
const UNREACHABLE = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;

export interface NetworkCause {
  readonly code: "unreachable" | "network";
  /** For a person. */
  readonly reason: string;
}

/** What kept the connection from coming about, or broke it; null if it was not the connection. */
export function networkCause(thrown: unknown): NetworkCause | null {
  let found: NetworkCause | null = null;
  let at: unknown = thrown;
  for (let depth = 0; depth < causesMax && at instanceof Error; depth++) {
    const code = "code" in at && typeof at.code === "string" ? at.code : "";
    if (NETWORK_CODE.test(code)) {
      const connecting = "syscall" in at && at.syscall === "connect";
      const unreachable = UNREACHABLE.test(code) || (code === "ETIMEDOUT" && connecting);
      found = { code: unreachable ? "unreachable" : "network", reason: described(at.message, code) };
    }
    at = at.cause;
  }
  if (found !== null) return found;
  // Without a status nothing came back at all.
  const unanswered = APICallError.isInstance(thrown) && thrown.statusCode === undefined;
  return unanswered ? { code: "network", reason: thrown.message } : null;
}

function described(message: string, code: string): string {
  if (message === "") return code;
  return message.includes(code) ? message : `${message} (${code})`;
}
