// Follows all sessions of the state directory: each look reads what is new since the one before. Invariant: a look of nothing new costs a stat
// for each session that is not over, and nothing is written.

import type { Machine, ProcessLook, ProcessTable } from "../../host/process-table.ts";
import type { RepositoryKey } from "../presence/ids.ts";
import type { Registry } from "../presence/registry.ts";
import type { BoardRow } from "./board-row.ts";
import { RepositoryWatch } from "./repository-watch.ts";
import { type BoardView, boardView } from "./view.ts";
import type { Readers } from "./watched-session.ts";

/** Evidence is looked at each second time, processes and new repositories each fourth: what costs more, and changes less often, than records. */
const evidenceLooks = 2;
const processesLooks = 4;
const repositoriesLooks = 4;

export interface TrackerOptions {
  readonly registry: Registry;
  readonly processes: ProcessTable;
  readonly readers: Readers;
  /** Only this repository; null for all. */
  readonly only: RepositoryKey | null;
}

export class BoardTracker {
  readonly #options: TrackerOptions;
  readonly #repositories = new Map<RepositoryKey, RepositoryWatch>();
  readonly #looks = new Map<number, ProcessLook>();
  #machine: Machine | null = null;
  #problems: readonly string[] = [];
  #count = 0;
  #view: BoardView | null = null;

  constructor(options: TrackerOptions) {
    this.#options = options;
  }

  /** What is true now; the same object as before where nothing has changed. `now` in milliseconds since the epoch. */
  async look(now: number): Promise<BoardView> {
    const count = this.#count++;
    const told = this.#problems.join("\n");
    if (count % repositoriesLooks === 0) await this.#findRepositories();
    const { processes, readers } = this.#options;
    this.#machine ??= await processes.machine();
    const watches = [...this.#repositories.values()];
    for (const watch of watches) await watch.follow(count);
    const forEvidence = count % evidenceLooks === 0;
    for (const watch of watches)
      if (forEvidence || watch.stale) await watch.lookForEvidence({ readers, processes, now });
    const changed = await this.#lookAtProcesses(this.#machine, count % processesLooks === 0);
    const around = { machine: this.#machine, looks: this.#looks, now };
    let isNew = this.#view === null || this.#problems.join("\n") !== told;
    for (const watch of watches) if (watch.update(around, changed.has(watch.key))) isNew = true;
    if (!isNew && this.#view !== null) return this.#view;
    const rows: readonly BoardRow[] = watches.flatMap((watch) => watch.rows);
    const problems = [...this.#problems, ...watches.flatMap((watch) => watch.problems)];
    this.#view = boardView(rows, problems, now);
    return this.#view;
  }

  /** Lets the next board begin quicker. `unique` tells this writer from another at the same moment. */
  async remember(unique: string): Promise<void> {
    for (const watch of this.#repositories.values()) await watch.remember(unique);
  }

  async #findRepositories(): Promise<void> {
    const { registry, only } = this.#options;
    const found = only === null ? await registry.repositories() : { ok: true as const, value: [only] };
    this.#problems = found.ok ? [] : [`${found.error.path}: ${found.error.message}`];
    if (!found.ok) return;
    const here = new Set(found.value);
    for (const key of this.#repositories.keys()) if (!here.has(key)) this.#repositories.delete(key);
    for (const key of here)
      if (!this.#repositories.has(key)) this.#repositories.set(key, new RepositoryWatch(registry, key));
  }

  /** The repositories of processes that are not what they were. */
  async #lookAtProcesses(machine: Machine, all: boolean): Promise<ReadonlySet<RepositoryKey>> {
    const watches = [...this.#repositories.values()].filter((watch) => all || watch.stale);
    const wanted = watches.map((watch) => ({ key: watch.key, pids: watch.pids(machine) }));
    const asked = [...new Set(wanted.flatMap(({ pids }) => pids))].filter((pid) => all || !this.#looks.has(pid));
    if (asked.length === 0) return new Set();
    const seen = await this.#options.processes.look(asked);
    const news = new Set<number>();
    for (const [pid, look] of seen) {
      if (!isSameLook(this.#looks.get(pid), look)) news.add(pid);
      this.#looks.set(pid, look);
    }
    return new Set(wanted.filter(({ pids }) => pids.some((pid) => news.has(pid))).map(({ key }) => key));
  }
}

function isSameLook(a: ProcessLook | undefined, b: ProcessLook): boolean {
  if (a?.kind !== b.kind) return false;
  if (a.kind !== "running" || b.kind !== "running") return true;
  return JSON.stringify(a.start) === JSON.stringify(b.start);
}
