// A table of processes that a test writes by hand: the ProcessTable port without a system.

import type { Machine, ProcessChild, ProcessLook, ProcessTable } from "../../host/process-table.ts";

export const testMachine: Machine = { host: "desk", boot: "boot-1", namespace: "pid:[1]" };

export interface FakeProcess {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  readonly ticks: number;
}

export class FakeProcessTable implements ProcessTable {
  here: Machine = testMachine;
  readonly looks = new Map<number, ProcessLook>();
  #ticks = 1_000;

  machine(): Promise<Machine> {
    return Promise.resolve(this.here);
  }

  look(pids: readonly number[]): Promise<ReadonlyMap<number, ProcessLook>> {
    return Promise.resolve(new Map(pids.map((pid) => [pid, this.#lookAt(pid)])));
  }

  /** Milliseconds since a process's start; 0 where nothing is said. */
  readonly ages = new Map<number, number>();

  children(pid: number): Promise<readonly ProcessChild[] | null> {
    const found = [...this.looks].filter(([, look]) => look.kind === "running" && look.parent === pid);
    return Promise.resolve(found.map(([child]) => ({ pid: child, ageMs: this.ages.get(child) ?? 0 })));
  }

  /** A process that runs; a number that was used before gets another start. */
  start(pid: number, options: { readonly parent?: number; readonly name?: string } = {}): FakeProcess {
    const { parent = 1, name = "claude" } = options;
    this.#ticks += 100;
    const start = { kind: "ticks", ticks: this.#ticks } as const;
    this.looks.set(pid, { kind: "running", start, parent, name, terminal: null });
    return { pid, parent, name, ticks: start.ticks };
  }

  end(pid: number): void {
    this.looks.delete(pid);
  }

  #lookAt(pid: number): ProcessLook {
    if (!Number.isSafeInteger(pid) || pid < 1) return { kind: "unreadable", message: `not a process number: ${pid}` };
    return this.looks.get(pid) ?? { kind: "gone" };
  }
}
