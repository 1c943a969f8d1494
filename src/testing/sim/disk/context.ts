// What the ports of one simulated process need to reach the disk, and the one way they do.

import { err, type Result } from "../../../base/result.ts";
import type { FileResult } from "../../../host/files.ts";
import type { Life } from "../life.ts";
import type { Disk } from "./disk.ts";
import type { ArmedFault, Faults } from "./faults.ts";
import { type Fault, fault } from "./walk.ts";

export interface FilesContext {
  readonly disk: Disk;
  readonly life: Life;
  readonly faults: Faults;
  /** The time one flush takes; returns at once where flushes are instant. */
  flushTime(): Promise<void>;
}

/** One system call: `work` happens at one instant of the process's life, and its fault is told with the path. */
export async function systemCall<T>(life: Life, path: string, work: () => Result<T, Fault>): FileResult<T> {
  const outcome = await life.call(work);
  return outcome.ok ? outcome : err({ kind: "file", code: outcome.error.code, path, message: outcome.error.message });
}

export function failed(armed: ArmedFault): Result<never, Fault> {
  return fault(armed.code, "a fault armed by the test");
}
