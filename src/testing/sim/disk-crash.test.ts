// What a power loss may leave: everything flushed, some of the rest in the order it was written, and nothing that never was.

import { describe, expect, test } from "vitest";
import { unwrap } from "../../base/result.ts";
import type { FileHandle } from "../../host/files.ts";
import { codeOf } from "../contract/file-code.ts";
import { bytes, text } from "../contract/under-test.ts";
import { type SimHost, simHost } from "./host.ts";

/** Enough for every outcome asked for below to appear under some seed. */
const SEEDS = Array.from({ length: 200 }, (_, index) => index);

describe("contents", () => {
  test("flushed bytes stay, unflushed appends leave a prefix that may end inside one, under every seed", async () => {
    const lengths = new Set<number>();
    for (const seed of SEEDS) {
      const { sim, handle } = await withFile(seed);
      unwrap(await handle.append([bytes("flushed.")]), "append");
      unwrap(await handle.sync(), "sync");
      unwrap(await handle.append([bytes("ab"), bytes("cd")]), "append");
      unwrap(await handle.append([bytes("efgh")]), "append");
      sim.disk.crash();
      const left = text(unwrap(await sim.files.read("/d/file", 99), "read"));
      expect("flushed.abcdefgh".startsWith(left) && left.startsWith("flushed.")).toBe(true);
      lengths.add(left.length);
    }
    expect([...lengths].sort((a, b) => a - b)).toEqual([8, 9, 10, 11, 12, 13, 14, 15, 16]);
  });

  test("a truncation is volatile too: the file is as flushed, or cut", async () => {
    const outcomes = new Set<string>();
    for (const seed of SEEDS) {
      const { sim, handle } = await withFile(seed);
      unwrap(await handle.append([bytes("12345678")]), "append");
      unwrap(await handle.sync(), "sync");
      unwrap(await handle.truncate(3), "truncate");
      sim.disk.crash();
      outcomes.add(text(unwrap(await sim.files.read("/d/file", 99), "read")));
    }
    expect([...outcomes].sort()).toEqual(["123", "12345678"]);
  });

  test("a flush covers what was appended before it was called, and nothing later", async () => {
    const outcomes = new Set<string>();
    for (const seed of SEEDS) {
      const sim = simHost({ seed, flushMsMax: 5 });
      await sim.run(prepare(sim));
      const [first, second] = [await openFile(sim), await openFile(sim)];
      unwrap(await first.append([bytes("A")]), "append");
      const flushing = first.sync();
      unwrap(await second.append([bytes("B")]), "append");
      unwrap(await sim.run(flushing), "sync");
      sim.disk.crash();
      outcomes.add(text(unwrap(await sim.files.read("/d/file", 99), "read")));
    }
    expect([...outcomes].sort()).toEqual(["A", "AB"]);
  });

  test("what survived one crash survives the next", async () => {
    for (const seed of SEEDS) {
      const { sim, handle } = await withFile(seed);
      unwrap(await handle.append([bytes("12345678")]), "append");
      sim.disk.crash();
      const once = sim.disk.dump();
      sim.disk.crash();
      expect(sim.disk.dump()).toEqual(once);
    }
  });
});

describe("names", () => {
  test("a new name needs syncDirectory, even if its contents were flushed", async () => {
    const outcomes = { unsynced: new Set<string>(), synced: new Set<string>() };
    for (const seed of SEEDS) {
      for (const kind of ["unsynced", "synced"] as const) {
        const sim = simHost({ seed });
        await prepare(sim);
        const handle = unwrap(await sim.files.open("/d/new", "create"), "open");
        unwrap(await handle.append([bytes("x")]), "append");
        unwrap(await handle.sync(), "sync");
        if (kind === "synced") unwrap(await sim.files.syncDirectory("/d"), "syncDirectory");
        sim.disk.crash();
        outcomes[kind].add(await codeOf(sim.files.read("/d/new", 9)));
      }
    }
    expect(outcomes).toEqual({ unsynced: new Set(["ok", "not-found"]), synced: new Set(["ok"]) });
  });

  test("syncing a directory does not make its own name durable", async () => {
    const outcomes = new Set<string>();
    for (const seed of SEEDS) {
      const sim = simHost({ seed });
      unwrap(await sim.files.makeDirectory("/d/e"), "make");
      unwrap(await sim.files.syncDirectory("/d/e"), "sync");
      unwrap(await sim.files.syncDirectory("/d"), "sync");
      sim.disk.crash();
      outcomes.add(await codeOf(sim.files.stat("/d/e")));
    }
    expect([...outcomes].sort()).toEqual(["not-found", "ok"]);
  });

  test("a rename is whole or not at all: the old target or the new one, never neither", async () => {
    const outcomes = new Set<string>();
    for (const seed of SEEDS) {
      const { sim, handle } = await withFile(seed);
      unwrap(await handle.append([bytes("old")]), "append");
      unwrap(await handle.sync(), "sync");
      const fresh = unwrap(await sim.files.open("/d/tmp", "create"), "open");
      unwrap(await fresh.append([bytes("new")]), "append");
      unwrap(await fresh.sync(), "sync");
      unwrap(await sim.files.rename("/d/tmp", "/d/file"), "rename");
      sim.disk.crash();
      const names = unwrap(await sim.files.list("/d", 9), "list").map((entry) => entry.name);
      outcomes.add(`${names.join(" ")}: ${text(unwrap(await sim.files.read("/d/file", 9), "read"))}`);
    }
    expect([...outcomes].sort()).toEqual(["file tmp: old", "file: new", "file: old"]);
  });

  test("a rename between directories is covered by the sync of either, with what led to it", async () => {
    for (const seed of SEEDS) {
      for (const synced of ["/d", "/e"]) {
        const { sim } = await withFile(seed);
        unwrap(await sim.files.makeDirectory("/e"), "make");
        unwrap(await sim.files.syncDirectory("/"), "sync");
        unwrap(await sim.files.rename("/d/file", "/d/moved"), "rename");
        unwrap(await sim.files.rename("/d/moved", "/e/file"), "rename");
        unwrap(await sim.files.syncDirectory(synced), "sync");
        sim.disk.crash();
        expect(sim.disk.dump().map((line) => line.split(" ")[0])).toEqual(["/", "/d/", "/e/", "/e/file"]);
      }
    }
  });

  test("a removal that was not synced may come back, contents and all", async () => {
    const outcomes = new Set<string>();
    for (const seed of SEEDS) {
      const { sim, handle } = await withFile(seed);
      unwrap(await handle.append([bytes("x")]), "append");
      unwrap(await handle.sync(), "sync");
      unwrap(await sim.files.remove("/d"), "remove");
      sim.disk.crash();
      outcomes.add(
        sim.disk
          .dump()
          .map((line) => line.split(" ")[0])
          .join(" "),
      );
    }
    expect([...outcomes].sort()).toEqual(["/", "/ /d/", "/ /d/ /d/file"]);
  });
});

test("what was open is lost: handles fail, locks are free, listeners gone, connections ended, children dead", async () => {
  const { sim, handle } = await withFile(7);
  sim.programs.set("forever", async ({ clock }) => {
    await clock.sleep(1e9);
    return 0;
  });
  unwrap(await sim.locks.acquire("/d/lock"), "lock");
  unwrap(await sim.net.listen("/d/socket", () => undefined), "listen");
  const connection = unwrap(await sim.run(sim.net.connect("/d/socket")), "connect");
  const child = unwrap(await sim.processes.spawn({ argv: ["forever"], cwd: "/d", env: {} }), "spawn");
  unwrap(await sim.files.syncDirectory("/d"), "sync");
  sim.disk.crash();
  await sim.run(connection.closed);
  const listener = await sim.run(sim.net.connect("/d/socket"));
  expect({
    handle: await codeOf(handle.append([bytes("x")])),
    lock: (await sim.locks.acquire("/d/lock")).ok,
    listener: listener.ok ? "ok" : listener.error.code,
    sent: await connection.send(bytes("x")),
    child: await sim.run(child.exit),
  }).toEqual({
    handle: "other",
    lock: true,
    listener: "refused",
    sent: false,
    child: { kind: "signal", signal: "SIGKILL" },
  });
});

async function prepare(sim: SimHost): Promise<void> {
  unwrap(await sim.files.makeDirectory("/d"), "make");
  unwrap(await (await openFile(sim)).close(), "close");
  unwrap(await sim.files.syncDirectory("/"), "sync");
  unwrap(await sim.files.syncDirectory("/d"), "sync");
}

async function openFile(sim: SimHost): Promise<FileHandle> {
  return unwrap(await sim.files.open("/d/file", "append"), "open");
}

/** A durable, empty `/d/file`. */
async function withFile(seed: number): Promise<{ readonly sim: SimHost; readonly handle: FileHandle }> {
  const sim = simHost({ seed });
  await prepare(sim);
  return { sim, handle: await openFile(sim) };
}
