// Contract of the ProcessTable port: what every table of processes says, real or written by a test.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ProcessTable } from "../../host/process-table.ts";

export interface ProcessTableUnderTest {
  readonly table: ProcessTable;
  /** A process that runs until `end`; the answer is its number. */
  start(): Promise<number>;
  /** Resolves when the process is gone, also from its parent's sight. */
  end(pid: number): Promise<void>;
  dispose(): Promise<void>;
}

export function describeProcessTable(name: string, make: () => Promise<ProcessTableUnderTest>): void {
  let sut: ProcessTableUnderTest;
  beforeEach(async () => {
    sut = await make();
  });
  afterEach(() => sut.dispose());

  describe(`ProcessTable: ${name}`, () => {
    test("a running process has the same start at every look, and none once it is gone", async () => {
      const pid = await sut.start();
      const first = (await sut.table.look([pid])).get(pid);
      const second = (await sut.table.look([pid])).get(pid);
      await sut.end(pid);
      const after = (await sut.table.look([pid])).get(pid);
      expect(first).toMatchObject({ kind: "running", parent: expect.any(Number), name: expect.any(String) });
      expect([second, after]).toEqual([first, { kind: "gone" }]);
    });

    test("many are looked at together, each told by itself", async () => {
      const [here, gone] = [await sut.start(), await sut.start()];
      await sut.end(gone);
      const looks = await sut.table.look([here, gone]);
      expect([...looks].map(([pid, { kind }]) => [pid, kind])).toEqual([
        [here, "running"],
        [gone, "gone"],
      ]);
    });

    test("a process is among its parent's children as long as it runs, where the system tells", async () => {
      const pid = await sut.start();
      const look = (await sut.table.look([pid])).get(pid);
      const parent = look?.kind === "running" ? look.parent : 0;
      const during = await sut.table.children(parent);
      await sut.end(pid);
      const after = await sut.table.children(parent);
      const has = (children: typeof during) => children?.filter((child) => child.pid === pid).length ?? null;
      expect([has(during), has(after)]).toEqual(during === null ? [null, null] : [1, 0]);
      expect(during?.every(({ ageMs }) => ageMs >= 0) ?? true).toBe(true);
    });

    test("what is no process's number is unreadable, never gone", async () => {
      const looks = await sut.table.look([0, -1, 1.5, Number.NaN]);
      expect([...looks.values()].map(({ kind }) => kind)).toEqual(Array(4).fill("unreadable"));
    });

    test("the machine is the same at every look", async () => {
      const first = await sut.table.machine();
      expect(first).toEqual({
        host: expect.stringMatching(/./),
        boot: expect.stringMatching(/./),
        namespace: expect.stringMatching(/./),
      });
      expect(await sut.table.machine()).toEqual(first);
    });
  });
}
