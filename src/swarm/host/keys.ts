// Idempotency keys of one lease: distinct, and the same when the same operation is repeated.

import { asCommitKey, type CommitKey } from "../../base/ids.ts";
import type { Lease } from "../../protocol/messages.ts";

export type KeyMaker = () => CommitKey;

export function keyMaker(lease: Lease): KeyMaker {
  let count = 0;
  return () => asCommitKey(`${lease.task}.${lease.agent}.${lease.fence}.${++count}`);
}
