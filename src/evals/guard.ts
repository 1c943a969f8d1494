// Whether the results are still as they were written: a run whose commands have the person's rights could change what it is judged by, or
// other runs. Told by what a program cannot set back: kind, size and time of the last change of every file. Holds for one process; what a
// later start must know of the suite and the script is in the plan, by their digests.

import { dirname, join, relative } from "node:path";
import type { Files } from "../host/files.ts";
import { type EvalPlan, type Slot, slotDirectory, slotName } from "./plan.ts";
import { recordName } from "./results.ts";

const entriesMax = 200_000;
const depthMax = 200;
const namedMax = 5;

export interface Changed {
  /** Relative to the results; the first few. */
  readonly paths: readonly string[];
  /** Runs whose files are not what was written; of them, so many were really made. */
  readonly runs: readonly Slot[];
  readonly made: number;
}

export class ResultsGuard {
  private readonly files: Files;
  private readonly results: string;
  private readonly order: EvalPlan["order"];
  /** By the place, absolute; by the path of each of its entries, what is known of it. */
  private readonly sealed = new Map<string, ReadonlyMap<string, string>>();
  private readonly atWork = new Set<string>();

  constructor(files: Files, results: string, { order }: Pick<EvalPlan, "order">) {
    this.files = files;
    this.results = results;
    this.order = order;
  }

  /** From now on what lies there may not change. */
  async seal(place: string): Promise<void> {
    this.sealed.set(place, await this.stateOf(place));
    this.atWork.delete(place);
  }

  /** The run is being written by us. */
  open(slot: Slot): void {
    this.atWork.add(slotDirectory(this.results, slot));
  }

  /** Given up: nothing may lie there. */
  close(slot: Slot): void {
    this.atWork.delete(slotDirectory(this.results, slot));
  }

  /** Null where nothing did. What did is no longer held to what it was. */
  async changed(): Promise<Changed | null> {
    const paths: string[] = [];
    const places: string[] = [];
    for (const [place, before] of this.sealed) {
      const now = await this.stateOf(place);
      const differing = [...new Set([...before.keys(), ...now.keys()])].filter(
        (path) => before.get(path) !== now.get(path),
      );
      if (differing.length === 0) continue;
      paths.push(...differing);
      places.push(place);
      this.sealed.delete(place);
    }
    const made = this.order.filter((slot) => places.includes(slotDirectory(this.results, slot))).length;
    for (const slot of this.order) {
      const place = slotDirectory(this.results, slot);
      if (this.sealed.has(place) || this.atWork.has(place) || places.includes(place)) continue;
      const forged = join(place, recordName);
      if (!(await this.files.stat(forged)).ok) continue;
      paths.push(forged);
      places.push(place);
    }
    if (paths.length === 0) return null;
    return {
      paths: topmost(paths)
        .slice(0, namedMax)
        .map((path) => relative(this.results, path)),
      runs: this.order.filter((slot) => places.includes(slotDirectory(this.results, slot))),
      made,
    };
  }

  private async stateOf(place: string): Promise<ReadonlyMap<string, string>> {
    const state = new Map<string, string>();
    await this.look(place, state, 0);
    return state;
  }

  private async look(path: string, state: Map<string, string>, depth: number): Promise<void> {
    const stat = await this.files.stat(path);
    if (!stat.ok) return;
    const { kind, size, changedMs, executable } = stat.value;
    if (kind !== "directory") {
      state.set(path, `${kind} ${size} ${changedMs} ${executable}`);
      return;
    }
    state.set(path, kind);
    const entries = depth > depthMax ? null : await this.files.list(path, entriesMax);
    for (const { name } of entries?.ok === true ? entries.value : [])
      await this.look(join(path, name), state, depth + 1);
  }
}

/** Without what lies below another of them. */
function topmost(paths: readonly string[]): readonly string[] {
  const all = new Set(paths);
  const isBelow = (path: string): boolean => {
    for (let above = dirname(path); above !== dirname(above); above = dirname(above)) if (all.has(above)) return true;
    return false;
  };
  return paths.filter((path) => !isBelow(path));
}

/** Where a run that was changed is put: kept for whoever wants to see it, and made again. */
export function asideDirectory(results: string, slot: Slot, count: number): string {
  return join(results, "changed", `${slotName(slot).replaceAll("/", ".")}.${count}`);
}
