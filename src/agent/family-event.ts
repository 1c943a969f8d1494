// What happens to children, for whoever shows or counts it.

import type { AgentId, CallId } from "../base/ids.ts";
import type { Figure } from "../model/usage.ts";
import type { ChildOutcome } from "./child-outcome.ts";
import type { AgentEvent } from "./spec.ts";
import type { Totals } from "./totals.ts";

export type FamilyEvent =
  | {
      readonly kind: "child-queued";
      readonly child: AgentId;
      readonly parent: AgentId;
      readonly callId: CallId;
      /** On one line. */
      readonly task: string;
      readonly model: string;
      readonly background: boolean;
    }
  /** `concurrent` children run now, this one among them. */
  | {
      readonly kind: "child-started";
      readonly child: AgentId;
      readonly parent: AgentId;
      readonly concurrent: number;
      readonly atMs: number;
    }
  | { readonly kind: "child-event"; readonly child: AgentId; readonly parent: AgentId; readonly event: AgentEvent }
  | {
      readonly kind: "child-ended";
      readonly child: AgentId;
      readonly parent: AgentId;
      readonly outcome: ChildOutcome;
      readonly detail: string;
      readonly totals: Totals;
      /** Of its work in this process, without the time it waited for a place; unavailable where it did none. */
      readonly durationMs: Figure;
    };
