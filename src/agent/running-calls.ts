// The calls that run now, so that a person can cancel one of them: its siblings, its agent and everybody else go on.

import type { AgentId, CallId } from "../base/ids.ts";

export class RunningCalls {
  private readonly cancels = new Map<string, () => void>();

  /** Until the answered function is called. */
  add(agent: AgentId, callId: CallId, cancel: () => void): () => void {
    const key = keyOf(agent, callId);
    this.cancels.set(key, cancel);
    return () => {
      if (this.cancels.get(key) === cancel) this.cancels.delete(key);
    };
  }

  /** False where no such call runs. */
  cancel(agent: AgentId, callId: CallId): boolean {
    const cancel = this.cancels.get(keyOf(agent, callId));
    cancel?.();
    return cancel !== undefined;
  }
}

function keyOf(agent: AgentId, callId: CallId): string {
  return JSON.stringify([agent, callId]);
}
