// Whose change it was. A shell command's changes are found by comparing the worktree before and after it, so they are only surely its
// own where no other session worked there meanwhile. Invariant: in doubt it is nobody's, never the wrong session's.

import type { Fold, Touch } from "./fold.ts";
import type { Facts } from "./line.ts";

/** A tool's own report comes this much later than its write at the most. */
const reportMsMax = 2_000;

export interface Owner {
  readonly fold: Fold & { readonly facts: Facts };
}

/**
 * Whether a shell command of another session ran in that worktree at any time since then. Asked after the look that ends a command:
 * one that began before that look has been told of by then.
 */
export function othersRan(own: Facts, worktree: string, sinceMs: number, others: readonly Worker[]): boolean {
  return others.some(({ fold, alive }) => {
    if (!isAnother(fold.facts, own) || fold.standing?.worktree !== worktree) return false;
    // A command of a session that was killed is taken to have ended with the session's last sign of life.
    if (fold.openCalls.length > 0 && (alive || fold.lastAt >= sinceMs)) return true;
    return fold.pastCalls.some(({ to }) => to >= sinceMs);
  });
}

export interface Worker extends Owner {
  readonly alive: boolean;
}

/** Files that other sessions' tools reported as theirs. A report may come a little later than the command that saw the change ends. */
export class Reports {
  readonly #all: readonly Owner[];
  #byFile: Map<string, { readonly facts: Facts; readonly at: number }[]> | null = null;

  constructor(all: readonly Owner[]) {
    this.#all = all;
  }

  /** Made when the first shell command's change is looked at: most readings have none. */
  #reports(): Map<string, { readonly facts: Facts; readonly at: number }[]> {
    if (this.#byFile !== null) return this.#byFile;
    const byFile = new Map<string, { readonly facts: Facts; readonly at: number }[]>();
    for (const { fold } of this.#all)
      for (const touch of fold.files) {
        if (touch.how !== "tool") continue;
        const name = fileName(touch, fold.standing?.worktree);
        const reports = byFile.get(name);
        if (reports === undefined) byFile.set(name, [{ facts: fold.facts, at: touch.at }]);
        else reports.push({ facts: fold.facts, at: touch.at });
      }
    this.#byFile = byFile;
    return byFile;
  }

  /** The touch, or the same as unattributed where another session reported that change. */
  checked(touch: Touch, { fold }: Owner): Touch {
    if (touch.how !== "shell") return touch;
    const reports = this.#reports().get(fileName(touch, fold.standing?.worktree)) ?? [];
    const doubtful = reports.some(
      ({ facts, at }) => isAnother(facts, fold.facts) && at >= touch.from && at <= touch.at + reportMsMax,
    );
    return doubtful ? { ...touch, how: "unattributed" } : touch;
  }
}

/** Subagents are their session's. */
export function isAnother(a: Facts, b: Facts): boolean {
  return a.client !== b.client || a.session !== b.session || a.machine.host !== b.machine.host;
}

function fileName({ path, worktree }: Touch, own: string | undefined): string {
  return `${worktree ?? own ?? ""}\0${path}`;
}
