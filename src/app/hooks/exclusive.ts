// One installation or removal at a time: two at once would each keep a record of what it has written that lacks the other's.

import { join } from "node:path";
import { err, ok, type Result } from "../../base/result.ts";
import { stateDirectory } from "../state-directory.ts";
import type { Surroundings } from "../surroundings.ts";

export interface Busy {
  readonly kind: "busy";
}

/** Where there is no place for a lock, the work is done without one. */
export async function exclusively<T>(surroundings: Surroundings, work: () => Promise<T>): Promise<Result<T, Busy>> {
  const { files, locks } = surroundings.host;
  const state = stateDirectory(surroundings);
  const made = state.ok ? await files.makeDirectory(state.value, { private: true }) : null;
  if (!state.ok || made?.ok !== true) return ok(await work());
  const lock = await locks.acquire(join(state.value, "install.lock"));
  if (!lock.ok) return lock.error.code === "held" ? err({ kind: "busy" }) : ok(await work());
  try {
    return ok(await work());
  } finally {
    await lock.value.release();
  }
}
