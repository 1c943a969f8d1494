// Which endings of a conversation are no end of its task: the run stops, the provider does not serve, the disk refuses. Then the lease
// is given back, and the same conversation goes on when the run is resumed.

import type { AgentResult } from "../../agent/spec.ts";
import { unreachable } from "../../base/assert.ts";
import { modelFailure } from "../../model/failure.ts";
import type { Provider } from "../../model/provider.ts";
import { blameOf } from "../../model/verdict.ts";
import { type DiskWatch, diskRefusal } from "./disk-watch.ts";

export interface Interruption {
  readonly reason: string;
  /** What interrupts this agent would interrupt every other: the run stops. */
  readonly stops: boolean;
}

export interface Circumstances {
  readonly provider: Pick<Provider, "name" | "scripted">;
  /** Why the run stops, where that kept a request from being made; else null. */
  readonly stopping: string | null;
  readonly disk: DiskWatch;
  /** The job itself was told to end: it has nothing to say any more. */
  readonly isOver: boolean;
}

/** Null where the ending is the task's own. */
export function interruptionOf(ending: AgentResult, around: Circumstances): Interruption | null {
  const { provider, stopping, disk, isOver } = around;
  switch (ending.kind) {
    case "budget":
      return stopping === null ? null : { reason: stopping, stops: false };
    case "model-error":
      if (stopping !== null) return { reason: stopping, stops: false };
      // What was written beforehand has no provider that could be mended.
      if (provider.scripted || blameOf(ending.error) === "request") return null;
      return { reason: modelFailure(ending.error, provider.name), stops: true };
    case "record-failed": {
      const refusal = diskRefusal(ending.error);
      return refusal === null ? null : refusedBy(refusal);
    }
    case "cancelled":
      if (isOver) return null;
      if (disk.refusal !== null) return refusedBy(disk.refusal);
      return stopping === null ? null : { reason: stopping, stops: false };
    case "ended":
    case "stopped":
    case "turn-limit":
    case "no-progress":
    case "hook":
      return null;
    default:
      return unreachable(ending);
  }
}

/** The words that the advice to a person goes by. */
export function refusedBy(refusal: string): Interruption {
  return { reason: `the disk refused: ${refusal}`, stops: true };
}
