// The order of one response's calls. Calls that do not conflict run together; one that does waits for every earlier call it conflicts
// with, so that each sees what it would have seen in sequence. Invariant: of two conflicting calls the earlier has ended
// before the later starts, and calls that may start do so in request order.

import { type Claim, conflict } from "./claim.ts";

/** Calls of one response that run at the same time. */
export const callsAtOnceMax = 10;

export interface ScheduledCall {
  /** Others wait for it whatever they touch, but for delegations where it is one itself: known before its claim is. */
  readonly effect: "read" | "write" | "exclusive" | "delegate";
  /** Hooks look at the tree before it: its claim is asked once every earlier change is over, so that they see it as in sequence. */
  readonly looksFirst?: boolean;
  /**
   * What it touches, asked once every earlier call that may change anything anywhere is over: a shell command may have moved a
   * directory. Must not reject.
   */
  claim(): Promise<Claim>;
  /** Must not reject. */
  run(): Promise<void>;
}

/**
 * Runs each call once. With `atOnceMax` 1 they run one after another. Delegations do not count against it otherwise: what waits for
 * other agents holds no place.
 */
export function runInOrder(calls: readonly ScheduledCall[], atOnceMax: number): Promise<void> {
  return new Schedule(calls, atOnceMax).toEnd();
}

type Step =
  | { readonly kind: "waiting" }
  | { readonly kind: "claiming" }
  | { readonly kind: "ready"; readonly claim: Claim }
  | { readonly kind: "running"; readonly claim: Claim }
  | { readonly kind: "ended" };

class Schedule {
  private readonly calls: readonly ScheduledCall[];
  private readonly atOnceMax: number;
  private readonly steps: Step[];
  private running = 0;
  private readonly done = Promise.withResolvers<void>();

  constructor(calls: readonly ScheduledCall[], atOnceMax: number) {
    this.calls = calls;
    this.atOnceMax = atOnceMax;
    this.steps = calls.map(() => ({ kind: "waiting" }));
  }

  toEnd(): Promise<void> {
    this.go();
    return this.done.promise;
  }

  private go(): void {
    if (this.steps.every((step) => step.kind === "ended")) return this.done.resolve();
    for (const [index, step] of this.steps.entries()) {
      if (step.kind === "waiting" && this.mayClaim(index)) this.claim(index);
      if (step.kind === "ready" && this.mayStart(index, step.claim)) this.start(index, step.claim);
    }
  }

  private mayClaim(index: number): boolean {
    const own = this.calls[index]?.effect;
    const looksFirst = this.calls[index]?.looksFirst === true;
    return this.steps.slice(0, index).every((step, earlier) => {
      const effect = this.calls[earlier]?.effect;
      if (step.kind === "ended" || effect === "read") return true;
      if (effect === "write") return !looksFirst;
      return effect === "delegate" && (own === "delegate" || changesNothing(step));
    });
  }

  private claim(index: number): void {
    this.steps[index] = { kind: "claiming" };
    void this.calls[index]?.claim().then((claim) => {
      this.steps[index] = { kind: "ready", claim };
      this.go();
    });
  }

  private mayStart(index: number, claim: Claim): boolean {
    if (this.atOnceMax === 1) return this.steps.slice(0, index).every((step) => step.kind === "ended");
    if (claim.kind !== "delegate" && this.running >= this.atOnceMax) return false;
    return this.steps.slice(0, index).every((step) => {
      if (step.kind === "ended") return true;
      return (step.kind === "ready" || step.kind === "running") && !conflict(step.claim, claim);
    });
  }

  private start(index: number, claim: Claim): void {
    const counts = claim.kind !== "delegate";
    this.steps[index] = { kind: "running", claim };
    if (counts) this.running += 1;
    void this.calls[index]?.run().then(() => {
      this.steps[index] = { kind: "ended" };
      if (counts) this.running -= 1;
      this.go();
    });
  }
}

function changesNothing(step: Step): boolean {
  return (step.kind === "ready" || step.kind === "running") && step.claim.kind === "delegate" && !step.claim.writes;
}
