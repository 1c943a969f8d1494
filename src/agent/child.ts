// One child as its family knows it: what was asked, where it stands, and whether its parent has its result.

import type { AgentId } from "../base/ids.ts";
import type { ChildOutcome } from "./child-outcome.ts";
import type { StartedChild } from "./delegation-record.ts";
import type { WriteScope } from "./write-scope.ts";

export interface ChildResult {
  readonly outcome: ChildOutcome;
  /** As its parent reads it, capped. */
  readonly text: string;
}

/** `given` is in its parent's hands, `told` is in its parent's transcript too. */
export type Delivery = "none" | "given" | "told";

export class Child {
  readonly started: StartedChild;
  readonly depth: number;
  readonly writes: WriteScope;
  /** Whose tree it works in: its own id for one with a workspace. */
  readonly tree: AgentId;
  readonly aborting = new AbortController();
  readonly brought = Promise.withResolvers<ChildResult>();
  /** Null while it is not over. */
  result: ChildResult | null = null;
  delivery: Delivery = "none";

  constructor(
    started: StartedChild,
    place: { readonly depth: number; readonly writes: WriteScope; readonly tree: AgentId },
  ) {
    this.started = started;
    this.depth = place.depth;
    this.writes = place.writes;
    this.tree = place.tree;
  }

  get id(): AgentId {
    return this.started.child;
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
