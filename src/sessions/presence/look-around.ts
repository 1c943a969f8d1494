// Reads who is in a repository: the records of its sessions and what the system says of their processes, at one moment.

import type { Machine, ProcessTable } from "../../host/process-table.ts";
import type { RepositoryKey, SessionKey } from "./ids.ts";
import { verdictWithoutLook } from "./liveness.ts";
import type { FoundSession, Registry, Sessions } from "./registry.ts";
import { type Around, isKnown, type Row, rowsOf } from "./rows.ts";

export interface Seen extends Pick<Sessions, "remember"> {
  readonly sessions: readonly FoundSession[];
  readonly around: Around;
  readonly rows: readonly Row[];
  readonly problems: readonly string[];
}

export interface Looking {
  readonly registry: Registry;
  readonly processes: ProcessTable;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** This machine, where it is known already. */
  readonly machine?: Machine;
}

/** With `only` at sessions of these names: what the others do is not asked then. */
export async function lookAround(
  { registry, processes, now, machine: known }: Looking,
  repository: RepositoryKey,
  only: readonly SessionKey[] | null = null,
): Promise<Seen> {
  const { found, problems, remember } = await registry.sessionsOf(repository, only);
  const machine = known ?? (await processes.machine());
  const pids = new Set<number>();
  for (const { fold } of found.filter(isKnown)) {
    for (const { process, machine: recorded } of [fold.facts, ...fold.formers])
      if (process !== null && verdictWithoutLook(process, recorded, machine) === null) pids.add(process.pid);
  }
  const around = { machine, looks: await processes.look([...pids]), now };
  return { sessions: found, around, rows: rowsOf(found, around), problems, remember };
}
