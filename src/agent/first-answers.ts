// Staggered start: of those that share a beginning of their prompt one asks first, and the others follow once it has its first answer,
// so that they find the beginning in the provider's cache. Invariant: somebody is always under way, so nobody waits for ever.

import { orAborted } from "../base/abort.ts";

type Beginning =
  | { readonly kind: "cold" }
  | { readonly kind: "asked"; readonly over: Promise<void> }
  | { readonly kind: "warm" };

export interface Leader {
  /** The answer is there (`answered`), or the leader is over without one: then the next is the first. */
  done(answered: boolean): void;
}

export class FirstAnswers {
  private readonly beginnings = new Map<string, Beginning>();

  /** Waits until the beginning is warm; a leader is answered to whoever is to ask first. */
  async turn(beginning: string, signal: AbortSignal): Promise<Leader | null> {
    for (;;) {
      const now = this.beginnings.get(beginning) ?? { kind: "cold" };
      if (now.kind === "warm" || signal.aborted) return null;
      if (now.kind === "cold") return this.lead(beginning);
      await orAborted(now.over, signal);
    }
  }

  private lead(beginning: string): Leader {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    this.beginnings.set(beginning, { kind: "asked", over });
    let done = false;
    return {
      done: (answered) => {
        if (done) return;
        done = true;
        this.beginnings.set(beginning, answered ? { kind: "warm" } : { kind: "cold" });
        resolve();
      },
    };
  }
}
