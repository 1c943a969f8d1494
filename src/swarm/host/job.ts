// What every role's job is given and answers.

import type { Provider } from "../../model/provider.ts";
import type { Job } from "../../protocol/messages.ts";
import type { Billing } from "./billing.ts";
import type { Conversation } from "./conversation.ts";
import type { DiskWatch } from "./disk-watch.ts";

export interface RoleSetup {
  readonly job: Job;
  readonly provider: Provider;
  readonly bill: Billing;
  /** Sees what the disk refuses to this job. */
  readonly disk: DiskWatch;
  /** Aborts when the lease ends or the run stops. */
  readonly signal: AbortSignal;
}

export type JobEnd =
  | {
      readonly kind: "talked";
      readonly conversation: Conversation;
      /** The coordinator has been told how the lease ends. */
      readonly reported: boolean;
      /** Kept because work in it has not landed; null where nothing is left. */
      readonly workspace: string | null;
    }
  /** The conversation cannot be gone on with: another agent begins the task anew. */
  | { readonly kind: "abandoned"; readonly reason: string; readonly workspace: string | null };

/** Reminders to an agent that ends its turn without a handoff, before its task fails. */
export const remindersMax = 2;
