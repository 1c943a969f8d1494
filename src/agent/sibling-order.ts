// What children of one answer see of each other: what they would see if they ran one after another. A call of a child waits for those
// asked for before it that may change what it touches, and a change waits for those before it that may read it; children whose write
// scopes are apart change their files at the same time, and the earlier of two is not shown what the later one is to change.
// Invariant: a call waits only for children asked for earlier, so no circle of waiting can come about.

import type { AgentId } from "../base/ids.ts";
import { type Claim, overlap } from "./claim.ts";
import type { Request } from "./request.ts";
import type { Requests } from "./requests.ts";
import type { TreeLock, TreeLocks } from "./tree-locks.ts";

/** The siblings that a call of the child has to wait for, those of the agents above it in the same tree included. */
export function earlierFor(requests: Requests, child: AgentId, claim: Claim): readonly Request[] {
  return linesInTree(requests, child).flatMap((request) =>
    before(requests, request).filter((earlier) => mustEndBefore(earlier, claim)),
  );
}

/** Those whose changes must be whole before the tree is copied for the child. */
export function earlierForCopy(requests: Requests, child: Request): readonly Request[] {
  const claim = { kind: "read", what: "tree" } as const;
  const above = linesInTree(requests, child.asked.parent).flatMap((request) =>
    before(requests, request).filter((earlier) => mustEndBefore(earlier, claim)),
  );
  // Copies of one answer are made from one tree, whatever is merged into it meanwhile.
  const writers = before(requests, child).filter((earlier) => !earlier.isApart && mustEndBefore(earlier, claim));
  return [...above, ...writers];
}

/** Those that are merged before it, or that must not see what it changed. */
export function earlierForMerge(requests: Requests, child: Request): readonly Request[] {
  return before(requests, child);
}

/** Paths of the shared tree that the child does not get to see. */
export function hiddenFrom(requests: Requests, child: AgentId): readonly string[] {
  return linesInTree(requests, child).flatMap((request) => {
    // One in the background outlives the answer and its children.
    if (request.place.writes.kind !== "some" || request.asked.request.background) return [];
    const { index } = request.asked;
    const later = requests.siblingsOf(request).filter(({ asked }) => asked.index > index);
    return later.flatMap(({ place }) => (place.writes.kind === "some" ? place.writes.paths : []));
  });
}

/** The same locks for an agent that waits for others first, so that no lock is held meanwhile. `wait` answers false after an abort. */
export function locksInOrder(
  locks: TreeLocks,
  wait: (claim: Claim, signal: AbortSignal) => Promise<boolean>,
): TreeLocks {
  return {
    acquire: async (claim, signal): Promise<TreeLock | null> =>
      (await wait(claim, signal)) ? locks.acquire(claim, signal) : null,
  };
}

function before(requests: Requests, request: Request): readonly Request[] {
  const { index, request: what } = request.asked;
  if (what.background) return [];
  return requests.siblingsOf(request).filter(({ asked, open }) => open && asked.index < index);
}

/** The child and those above it that share its tree. */
function linesInTree(requests: Requests, child: AgentId): readonly Request[] {
  const { tree } = requests.placeOf(child);
  return requests.lineOf(child).flatMap((agent) => {
    const request = requests.get(agent);
    return request === null || request.isApart || request.place.tree !== tree ? [] : [request];
  });
}

function mustEndBefore(earlier: Request, claim: Claim): boolean {
  if (claim.kind === "delegate") return false;
  const what = claim.kind === "exclusive" ? "tree" : claim.what;
  if (what !== "tree" && what.length === 0) return false;
  // What it will change is not known before it is merged.
  if (earlier.isApart) return true;
  switch (earlier.place.writes.kind) {
    case "none":
      return claim.kind !== "read";
    case "some":
    case "all":
      return overlap(what, earlier.resources);
  }
}
