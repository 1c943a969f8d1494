// Which session a process belongs to: one whose agent is among its ancestors, told by its number and its start in raw clock ticks.

import type { ProcessTable } from "../../host/process-table.ts";
import { ancestorsOf } from "./agent-process.ts";
import { type RepositoryKey, repositoryKey } from "./ids.ts";
import { type AgentProcess, isSameStart } from "./liveness.ts";
import { type Looking, lookAround } from "./look-around.ts";
import { findPlace } from "./place.ts";
import type { Row } from "./rows.ts";

/** A live session, and under which repository its record is. */
export interface LiveRow {
  readonly row: Row;
  readonly repository: RepositoryKey;
}

/** Of all repositories: an agent may have gone into another directory. */
export async function liveRows(looking: Looking): Promise<readonly LiveRow[]> {
  const repositories = await looking.registry.repositories();
  const found: LiveRow[] = [];
  for (const repository of repositories.ok ? repositories.value : [])
    found.push(...(await liveIn(looking, repository)));
  return found;
}

/** The nearest agent above a process: of two nested ones the inner. */
export async function rowAbove(
  processes: ProcessTable,
  rows: readonly LiveRow[],
  processId: number,
): Promise<LiveRow | null> {
  for (const { pid, look } of await ancestorsOf(processes, processId)) {
    const found = rows.find(({ row }) => isOf(row, { pid, start: look.start }));
    if (found !== undefined) return found;
  }
  return null;
}

/** The session of this very process. Where `cwd` is, is looked first: nearly always it is there. */
export async function rowOfProcess(looking: Looking, process: AgentProcess, cwd: string): Promise<LiveRow | null> {
  const { repository } = await findPlace(looking.registry.files, cwd);
  const near = (await liveIn(looking, repositoryKey(repository))).find(({ row }) => isOf(row, process));
  return near ?? (await liveRows(looking)).find(({ row }) => isOf(row, process)) ?? null;
}

async function liveIn(looking: Looking, repository: RepositoryKey): Promise<readonly LiveRow[]> {
  const { rows } = await lookAround(looking, repository);
  return rows.filter(({ liveness }) => liveness.kind === "live").map((row) => ({ row, repository }));
}

function isOf({ facts: { process } }: Row, { pid, start }: AgentProcess): boolean {
  return process?.pid === pid && process.start !== null && start !== null && isSameStart(process.start, start);
}
