// Commit policies: small functions over a proposed commit, asked in order; the first that refuses says why, in words that its
// author can act on. A new rule is a new file here and a line in somebody's list.

import type { Proposal } from "./proposal.ts";

export interface Policy {
  /** Told with every refusal, for programs. */
  readonly name: string;
  /**
   * `arrival`: depends on the commit alone, or on what never changes back; asked once. `acceptance`: asked again, after any
   * merging, in the same step in which the commit is accepted.
   */
  readonly when: "arrival" | "acceptance";
  /** Asked, too, of the paths where changes land that were made elsewhere, since their file was renamed. */
  readonly isAboutPlaces?: true;
  /** Null lets the commit pass, else the reason it may not. Synchronous, and quick: every commit waits for it. */
  check(proposal: Proposal): string | null;
}

export interface Refusal {
  readonly kind: "refused";
  readonly policy: string;
  readonly reason: string;
}

export function refusal(policy: string, reason: string): Refusal {
  return { kind: "refused", policy, reason };
}

/** The first refusal of these policies. */
export function refusalOf(policies: readonly Policy[], proposal: Proposal): Refusal | null {
  for (const policy of policies) {
    const reason = policy.check(proposal);
    if (reason !== null) return refusal(policy.name, reason);
  }
  return null;
}

/** What a refusal says of several paths: the first few by name, and how many more. */
export function namedPaths(paths: readonly string[]): string {
  const more = paths.length - namedPathsMax;
  const named = paths.slice(0, namedPathsMax).join(", ");
  return more > 0 ? `${named} and ${more} more` : named;
}

const namedPathsMax = 10;
