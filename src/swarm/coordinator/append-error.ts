// Why the store took nothing, as a sentence for people.

import { unreachable } from "../../base/assert.ts";
import type { AppendError } from "../../log/log.ts";

export function describeAppendError(error: AppendError): string {
  switch (error.kind) {
    case "moved":
      return `the store has another writer: expected its end at ${error.expected}, found ${error.end}`;
    case "batch-too-large":
      return `a batch of ${error.bytes} bytes is over the limit of ${error.bytesMax}`;
    case "no-space":
      return `the disk is full, nothing unacknowledged was kept: ${error.message}`;
    case "stopped":
      return `the store stopped: ${error.message}`;
    default:
      return unreachable(error);
  }
}
