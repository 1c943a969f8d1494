// Port to a lock that vanishes with its process, `kill -9` included.

import type { Result } from "../base/result.ts";

export interface LockError {
  readonly kind: "lock";
  readonly code: "held" | "failed";
  readonly path: string;
  readonly message: string;
}

export interface HeldLock {
  release(): Promise<void>;
}

export interface Locks {
  /** Takes the lock named by the file `path` (created if missing) or answers `held` at once; never waits. */
  acquire(path: string): Promise<Result<HeldLock, LockError>>;
}
