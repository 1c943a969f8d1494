// The snapshot that a commit was made from must exist, show the imported tree, and still have its contents.

import type { Policy } from "./policy.ts";

export const basePolicy: Policy = {
  name: "base",
  when: "arrival",
  check({ request: { base }, store: { imported, end, durable } }) {
    if (imported === null) return "The store has no tree yet: nothing has been imported.";
    if (base > end) return `Snapshot ${base} does not exist yet: the head is at ${durable}.`;
    if (base >= imported.position) return null;
    return `Snapshot ${base} is older than the imported tree, which begins at ${imported.position}.`;
  },
};

/** Asked again: what is kept may have become less while the commit waited for a merge. */
export const keptPolicy: Policy = {
  name: "base",
  when: "acceptance",
  check({ request: { base }, store: { keptFrom } }) {
    if (base >= keptFrom) return null;
    return (
      `Snapshot ${base} is older than what the store keeps, which begins at ${keptFrom}. ` +
      "Bring the work up to a newer snapshot and commit from there."
    );
  },
};
