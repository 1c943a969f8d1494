// Tells a connection that failed from an answer that could not be read, by the codes of Node and undici.

import { APICallError } from "@ai-sdk/provider";

const causesMax = 10;

/** Of the system (`ECONNREFUSED`, `ENOTFOUND`, …), of undici, and of TLS. */
const NETWORK_CODE = /^(?:E(?!RR_)[A-Z_]+|UND_ERR_[A-Z_]+|ERR_(?:TLS|SSL)_\w+|HPE_\w+|\w*CERT\w*|\w*SIGNATURE\w*)$/;

/** What broke the connection, for a person; null if it was not the connection. */
export function networkCause(thrown: unknown): string | null {
  let reason: string | null = null;
  let at: unknown = thrown;
  for (let depth = 0; depth < causesMax && at instanceof Error; depth++) {
    const code = "code" in at && typeof at.code === "string" ? at.code : "";
    if (NETWORK_CODE.test(code)) reason = described(at.message, code);
    at = at.cause;
  }
  if (reason !== null) return reason;
  // Without a status nothing came back at all.
  const unanswered = APICallError.isInstance(thrown) && thrown.statusCode === undefined;
  return unanswered ? thrown.message : null;
}

function described(message: string, code: string): string {
  if (message === "") return code;
  return message.includes(code) ? message : `${message} (${code})`;
}
