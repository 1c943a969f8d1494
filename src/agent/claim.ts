// What one call touches, and which calls therefore keep their order: pure. Two calls that do not conflict give the same results
// and leave the same files whichever runs first.

import { unreachable } from "../base/assert.ts";

/** Names of resources, `/`-separated: whoever touches one touches what lies below it. */
export type Touched = "tree" | readonly string[];

export type Claim =
  | { readonly kind: "read" | "write"; readonly what: Touched }
  | { readonly kind: "exclusive" }
  /**
   * Other agents work for it. Calls of this kind run together: what their agents touch is theirs to keep apart. One that `takes` what
   * comes from the background keeps its order with others that do, and with those that `add` to it.
   */
  | { readonly kind: "delegate"; readonly writes: boolean; readonly background?: "adds" | "takes" };

export const CLAIMS_NOTHING: Claim = { kind: "read", what: [] };

/** The claim of a tool that says no more than its effect. */
export function claimOf(effect: "read" | "write" | "exclusive" | "delegate"): Claim {
  switch (effect) {
    case "read":
    case "write":
      return { kind: effect, what: "tree" };
    case "exclusive":
      return { kind: "exclusive" };
    case "delegate":
      return { kind: "delegate", writes: true };
    default:
      return unreachable(effect);
  }
}

/** Whether the later of two calls must wait for the earlier one. Symmetric. */
export function conflict(a: Claim, b: Claim): boolean {
  if (touchesNothing(a) || touchesNothing(b)) return false;
  if (a.kind === "exclusive" || b.kind === "exclusive") return true;
  if (a.kind === "delegate" && b.kind === "delegate")
    return (
      a.background !== undefined && b.background !== undefined && (a.background === "takes" || b.background === "takes")
    );
  if (a.kind === "delegate") return a.writes || b.kind === "write";
  if (b.kind === "delegate") return b.writes || a.kind === "write";
  return (a.kind === "write" || b.kind === "write") && overlap(a.what, b.what);
}

/**
 * The name of the file or directory at an absolute path. Some file systems do not tell case or Unicode form apart: names that
 * may be one are one.
 */
export function resourceAt(absolute: string): string {
  return absolute.normalize("NFC").toLowerCase();
}

function touchesNothing(claim: Claim): boolean {
  return (claim.kind === "read" || claim.kind === "write") && claim.what !== "tree" && claim.what.length === 0;
}

/** Whether both touch something in common. */
export function overlap(a: Touched, b: Touched): boolean {
  if (a === "tree" || b === "tree") return true;
  return a.some((one) => b.some((other) => one === other || isBelow(one, other) || isBelow(other, one)));
}

function isBelow(path: string, directory: string): boolean {
  return path.startsWith(directory.endsWith("/") ? directory : `${directory}/`);
}
