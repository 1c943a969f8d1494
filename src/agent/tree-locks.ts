// Locks on one tree, shared by all agents that work in it. First come, first served: a call waits for every earlier one it conflicts
// with, held or waiting, so that nobody starves. Invariant: a call holds its lock only while it runs, never while it waits for
// another agent, so no circle of waiting can come about.

import { type Claim, conflict } from "./claim.ts";

export interface TreeLocks {
  /** Null where the signal aborted first. */
  acquire(claim: Claim, signal: AbortSignal): Promise<TreeLock | null>;
}

export interface TreeLock {
  /** A second time does nothing. */
  release(): void;
}

export function treeLocks(): TreeLocks {
  return new SharedLocks();
}

interface Ticket {
  readonly claim: Claim;
  /** Null once it holds. */
  grant: (() => void) | null;
}

class SharedLocks implements TreeLocks {
  /** In order of asking, held ones included. */
  private readonly tickets: Ticket[] = [];

  async acquire(claim: Claim, signal: AbortSignal): Promise<TreeLock | null> {
    if (signal.aborted) return null;
    // Its agents take the locks themselves.
    if (claim.kind === "delegate") return { release: () => undefined };
    const { promise, resolve } = Promise.withResolvers<TreeLock | null>();
    const lock: TreeLock = { release: () => this.remove(ticket) };
    const onAbort = () => {
      this.remove(ticket);
      resolve(null);
    };
    const ticket: Ticket = {
      claim,
      grant: () => {
        signal.removeEventListener("abort", onAbort);
        resolve(lock);
      },
    };
    signal.addEventListener("abort", onAbort, { once: true });
    this.tickets.push(ticket);
    this.grantFree();
    return promise;
  }

  private remove(ticket: Ticket): void {
    const index = this.tickets.indexOf(ticket);
    if (index < 0) return;
    this.tickets.splice(index, 1);
    this.grantFree();
  }

  private grantFree(): void {
    for (const [index, ticket] of this.tickets.entries()) {
      if (ticket.grant === null) continue;
      if (this.tickets.slice(0, index).some((earlier) => conflict(earlier.claim, ticket.claim))) continue;
      const { grant } = ticket;
      ticket.grant = null;
      grant();
    }
  }
}
