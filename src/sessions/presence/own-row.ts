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

/** Of several sessions of one process none is guessed: the client's own plugin may have said which one is meant. */
export type OwnRow = LiveRow | "none" | "several";

export interface Asking {
  readonly processId: number;
  /** The session that this process's environment names; nested agents inherit it, so it decides among sessions of one process alone. */
  readonly named: string | null;
}

/** The nearest agent above a process: of two nested ones the inner. */
export async function rowAbove(
  processes: ProcessTable,
  rows: readonly LiveRow[],
  { processId, named }: Asking,
): Promise<OwnRow> {
  for (const { pid, look } of await ancestorsOf(processes, processId)) {
    const own = meant(rows, { pid, start: look.start }, named);
    if (own !== "none") return own;
  }
  return "none";
}

/** The session of this very process. Where `cwd` is, is looked first: nearly always it is there, and it is another's only where several are. */
export async function rowOfProcess(
  looking: Looking,
  process: AgentProcess,
  { cwd, named }: { readonly cwd: string; readonly named: string | null },
): Promise<OwnRow> {
  const { repository } = await findPlace(looking.registry.files, cwd);
  const near = meant(await liveIn(looking, repositoryKey(repository)), process, named);
  return near === "none" ? meant(await liveRows(looking), process, named) : near;
}

function meant(rows: readonly LiveRow[], process: AgentProcess, named: string | null): OwnRow {
  const [first, ...others] = rows.filter(({ row }) => isOf(row, process));
  if (first === undefined) return "none";
  if (others.length === 0) return first;
  return [first, ...others].find(({ row }) => row.session === named) ?? "several";
}

async function liveIn(looking: Looking, repository: RepositoryKey): Promise<readonly LiveRow[]> {
  const { rows } = await lookAround(looking, repository);
  return rows.filter(({ liveness }) => liveness.kind === "live").map((row) => ({ row, repository }));
}

function isOf({ facts: { process } }: Row, { pid, start }: AgentProcess): boolean {
  return process?.pid === pid && process.start !== null && start !== null && isSameStart(process.start, start);
}
