// What is known of one model request once it is over: for the bill, the transcript and the screen.

import type { ModelError } from "../model/provider.ts";
import type { Figure, Usage } from "../model/usage.ts";

/** One finished model request, failed and aborted ones included. */
export interface RequestReport {
  readonly turn: number;
  /** The provider's name. */
  readonly provider: string;
  readonly scripted: boolean;
  readonly outcome: "end" | "calls" | "length" | "error" | "aborted";
  readonly error: ModelError | null;
  readonly usage: Usage;
  readonly costUsd: Figure;
  /** Wall time, milliseconds since the epoch. */
  readonly startMs: number;
  readonly endMs: number;
  /** Measured on the monotonic clock. */
  readonly durationMs: number;
}
