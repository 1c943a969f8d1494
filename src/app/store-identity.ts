// Which store a directory holds: its log's id and the directory itself. A copy has the same log and is another directory, so that
// whoever opens it never talks to the server of the one it was copied from.

import type { StoreIdentity } from "../adapters/socket/messages.ts";
import type { Files } from "../host/files.ts";
import { readLogFile } from "../log/segments/log-file.ts";

/** Null where no store is there, or none that can be looked at. */
export async function storeIdentity(files: Files, directory: string): Promise<StoreIdentity | null> {
  const [log, place] = [await readLogFile(files, directory), await files.identity(directory)];
  if (!log.ok || log.value === null || !place.ok) return null;
  return { log: log.value.log, directory: place.value };
}
