// Fairness for commits that keep losing the race: whoever is in the lane has its paths to itself until it is done.
// One at a time, first come first served, so that two can never wait for each other.

import type { RepoPath } from "../base/ids.ts";

export interface Lane {
  /** Nobody holds any path. */
  readonly isFree: boolean;
  /** Null if nobody in the lane has any of these paths; else resolves when the one who has is done. */
  heldBack(paths: readonly RepoPath[]): Promise<void> | null;
  /** Waits for its turn, then runs the job while the paths are held. */
  run<T>(paths: readonly RepoPath[], job: () => Promise<T>): Promise<T>;
}

export function createLane(): Lane {
  let last: Promise<void> = Promise.resolve();
  let holder: { readonly paths: ReadonlySet<RepoPath>; readonly done: Promise<void> } | null = null;
  return {
    get isFree() {
      return holder === null;
    },
    heldBack(paths) {
      const current = holder;
      return current !== null && paths.some((path) => current.paths.has(path)) ? current.done : null;
    },
    async run(paths, job) {
      const turn = last;
      const { promise: done, resolve } = Promise.withResolvers<void>();
      last = done;
      await turn;
      holder = { paths: new Set(paths), done };
      try {
        return await job();
      } finally {
        holder = null;
        resolve();
      }
    },
  };
}
