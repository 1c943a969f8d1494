// The Locks port in memory: a lock belongs to a file and ends with its holder's life or with a power loss.

import { err, ok, type Result } from "../../base/result.ts";
import type { HeldLock, LockError, Locks } from "../../host/lock.ts";
import type { Disk } from "./disk/disk.ts";
import type { FileInode } from "./disk/inode.ts";
import { fileToWrite } from "./disk/operations.ts";
import type { Life } from "./life.ts";

/** The machine's held locks: by file, the token of its holder. */
export type LockTable = Map<FileInode, symbol>;

export function simLocks(disk: Disk, table: LockTable, life: Life): Locks {
  function acquire(path: string): Result<HeldLock, LockError> {
    const opened = fileToWrite(disk, path);
    if (!opened.ok) return err({ kind: "lock", code: "failed", path, message: opened.error.message });
    const { file } = opened.value;
    if (table.has(file)) return err({ kind: "lock", code: "held", path, message: "database is locked" });
    const token = Symbol(path);
    table.set(file, token);
    const release = () => {
      forget();
      if (table.get(file) === token) table.delete(file);
    };
    const forget = life.onEnd(release);
    return ok({ release: () => life.call(release) });
  }

  return { acquire: (path) => life.call(() => acquire(path)) };
}
