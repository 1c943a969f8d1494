// Programs of a host that is root in its own user namespace, as the user that they would else run as: a command that finds itself
// root would give files to other owners, and fail at it.

import type { Processes } from "../../host/processes.ts";

/** `prefix` runs the program behind it; empty: nothing is to be done. */
export function demoted(processes: Processes, prefix: readonly string[]): Processes {
  const [first, ...rest] = prefix;
  if (first === undefined) return processes;
  return { spawn: (spec) => processes.spawn({ ...spec, argv: [first, ...rest, ...spec.argv] }) };
}
