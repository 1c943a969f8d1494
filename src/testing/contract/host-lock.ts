// Contract of the Locks port: one holder a name, told at once, free again after release.

import { describe, expect, test } from "vitest";
import { unwrap } from "../../base/result.ts";
import { freshHost, type MakeHost } from "./under-test.ts";

export function describeLocks(name: string, make: MakeHost): void {
  describe(`Locks: ${name}`, () => {
    const sut = freshHost(make);

    test("a held lock refuses the second taker, another name does not, and a release frees it", async () => {
      const { host, directory } = sut();
      const take = (file: string) => host.locks.acquire(`${directory}/${file}`);
      const first = unwrap(await take("lock"), "first");
      const second = await take("lock");
      const other = unwrap(await take("other"), "other");
      await first.release();
      await first.release();
      const third = unwrap(await take("lock"), "third");
      // A stale release must not free what another has taken since.
      await first.release();
      const fourth = await take("lock");
      await third.release();
      await other.release();
      expect([second, fourth.ok]).toEqual([
        { ok: false, error: { kind: "lock", code: "held", path: `${directory}/lock`, message: expect.any(String) } },
        false,
      ]);
    });

    test("of many takers at once one wins", async () => {
      const { host, directory } = sut();
      const results = await Promise.all(Array.from({ length: 8 }, () => host.locks.acquire(`${directory}/lock`)));
      for (const result of results) if (result.ok) await result.value.release();
      expect(results.filter((result) => result.ok).length).toBe(1);
    });

    test("the lock file is created; without its directory the lock fails", async () => {
      const { host, directory } = sut();
      const lock = unwrap(await host.locks.acquire(`${directory}/lock`), "lock");
      await lock.release();
      const failed = await host.locks.acquire(`${directory}/none/lock`);
      expect([
        unwrap(await host.files.stat(`${directory}/lock`), "stat").kind,
        failed.ok ? "ok" : failed.error.code,
      ]).toEqual(["file", "failed"]);
    });
  });
}
