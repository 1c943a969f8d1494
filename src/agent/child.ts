// One child as its family knows it: what was asked, where it stands, and whether its parent has its result.

import type { AgentId } from "../base/ids.ts";
import type { ChildOutcome } from "./child-outcome.ts";
import type { AskedChild } from "./delegation-record.ts";
import type { Request } from "./request.ts";

export interface ChildResult {
  readonly outcome: ChildOutcome;
  /** As its parent reads it, capped. */
  readonly text: string;
}

/** `given` is in its parent's hands, `told` is in its parent's transcript too. */
export type Delivery = "none" | "given" | "told";

export class Child {
  readonly request: Request;
  readonly aborting = new AbortController();
  readonly brought = Promise.withResolvers<ChildResult>();
  /** Null while it is not over. */
  result: ChildResult | null = null;
  delivery: Delivery = "none";

  constructor(request: Request) {
    this.request = request;
  }

  get asked(): AskedChild {
    return this.request.asked;
  }

  get id(): AgentId {
    return this.asked.child;
  }

  end(result: ChildResult): void {
    this.result = result;
    this.brought.resolve(result);
  }

  /** Aborts with `signal`, until it is over. */
  endWith(signal: AbortSignal): void {
    const abort = () => this.aborting.abort();
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    void this.brought.promise.then(() => signal.removeEventListener("abort", abort));
  }
}
