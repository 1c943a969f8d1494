// The Locks port: an exclusive transaction on a small SQLite file holds a lock that the kernel drops with the process, however it dies.
// POSIX locks go when *any* descriptor of the file is closed in the holder's process: nothing else may open a lock file there.

import { closeSync, openSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { err, ok, type Result } from "../../base/result.ts";
import type { HeldLock, LockError, Locks } from "../../host/lock.ts";

/** SQLITE_BUSY of https://www.sqlite.org/rescode.html; the low byte of an extended code. */
const SQLITE_BUSY = 5;

/** Keeps held locks from the garbage collector, which would close the database and let the lock go. */
const held = new Set<DatabaseSync>();

export const nodeLocks: Locks = { acquire };

async function acquire(path: string): Promise<Result<HeldLock, LockError>> {
  // Loaded on first use: most commands take no lock.
  const { DatabaseSync } = await import("node:sqlite");
  let database: DatabaseSync | undefined;
  try {
    makeFile(path);
    database = new DatabaseSync(path, { timeout: 0 });
    database.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    database?.close();
    return err(lockError(path, cause));
  }
  held.add(database);
  return ok({ release: () => release(database) });
}

/** For the owner alone, which SQLite would not make it. One that is there is not opened: closing it would drop a lock of ours. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch {
    // It is there, or cannot be made: SQLite says which.
  }
}

async function release(database: DatabaseSync): Promise<void> {
  if (!held.delete(database)) return;
  database.exec("ROLLBACK");
  database.close();
}

function lockError(path: string, cause: unknown): LockError {
  if (!(cause instanceof Error && "errcode" in cause && typeof cause.errcode === "number")) throw cause;
  const busy = (cause.errcode & 0xff) === SQLITE_BUSY;
  return { kind: "lock", code: busy ? "held" : "failed", path, message: cause.message };
}
