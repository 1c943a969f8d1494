// Faults armed by a test: the next matching operation fails, after as many bytes as the test allows.

export type DiskOperation =
  | "open"
  | "read"
  | "append"
  | "sync"
  | "truncate"
  | "write"
  | "copy"
  | "setExecutable"
  | "rename"
  | "remove"
  | "removeEmptyDirectory"
  | "makePrivate"
  | "makeDirectory"
  | "claimDirectory"
  | "list"
  | "stat"
  | "readLink"
  | "makeLink"
  | "realPath"
  | "identity"
  | "syncDirectory";

export interface ArmedFault {
  readonly op: DiskOperation;
  readonly code: "no-space" | "io" | "denied";
  /** For `append`, `write` and `copy`: so many bytes are written first. Default 0. */
  readonly afterBytes?: number;
  /** Which paths it concerns; default: any. */
  readonly path?: (path: string) => boolean;
  /** How many operations fail; `Infinity` for a disk that stays broken. Default 1. */
  readonly times?: number;
}

export class Faults {
  private readonly armed: { readonly fault: ArmedFault; left: number }[] = [];

  arm(fault: ArmedFault): void {
    this.armed.push({ fault, left: fault.times ?? 1 });
  }

  clear(): void {
    this.armed.length = 0;
  }

  /** The fault this operation meets, used up by the question. */
  take(op: DiskOperation, path: string): ArmedFault | null {
    const index = this.armed.findIndex(({ fault }) => fault.op === op && (fault.path?.(path) ?? true));
    const entry = this.armed[index];
    if (entry === undefined) return null;
    entry.left -= 1;
    if (entry.left <= 0) this.armed.splice(index, 1);
    return entry.fault;
  }
}
