// Armed faults: the right operation fails, with as many bytes written as asked, and only as often as asked.

import { expect, test } from "vitest";
import { unwrap } from "../../base/result.ts";
import { codeOf } from "../contract/file-code.ts";
import { bytes, text } from "../contract/under-test.ts";
import { simHost } from "./host.ts";

test("a short append writes its first bytes, across chunks, then the disk works again", async () => {
  const sim = simHost({ seed: 1 });
  const handle = unwrap(await sim.files.open("/file", "create"), "open");
  sim.disk.failNext({ op: "append", code: "no-space", afterBytes: 3 });
  const codes = [await codeOf(handle.append([bytes("ab"), bytes("cd")])), await codeOf(handle.append([bytes("!")]))];
  expect([codes, text(unwrap(await handle.read(0, 9), "read"))]).toEqual([["no-space", "ok"], "abc!"]);
});

test("a failed flush makes nothing durable", async () => {
  const lengths = new Set<number>();
  for (let seed = 0; seed < 50; seed++) {
    const sim = simHost({ seed });
    const handle = unwrap(await sim.files.open("/file", "create"), "open");
    unwrap(await sim.files.syncDirectory("/"), "sync");
    unwrap(await handle.append([bytes("abcd")]), "append");
    sim.disk.failNext({ op: "sync", code: "io" });
    expect(await codeOf(handle.sync())).toBe("io");
    sim.disk.crash();
    lengths.add(unwrap(await sim.files.stat("/file"), "stat").size);
  }
  expect([...lengths].sort()).toEqual([0, 1, 2, 3, 4]);
});

test("faults choose operation, path and number, in the order they were armed; clearFaults disarms", async () => {
  const sim = simHost({ seed: 1 });
  const write = (path: string) => codeOf(sim.files.write(path, bytes("x")));
  sim.disk.failNext({ op: "write", code: "io", path: (path) => path === "/b", times: 2 });
  sim.disk.failNext({ op: "rename", code: "denied", times: Number.POSITIVE_INFINITY });
  const codes = [await write("/a"), await write("/b"), await write("/b"), await write("/b")];
  const renames = [await codeOf(sim.files.rename("/a", "/c")), await codeOf(sim.files.rename("/a", "/c"))];
  sim.disk.clearFaults();
  expect([codes, renames, await codeOf(sim.files.rename("/a", "/c"))]).toEqual([
    ["ok", "io", "io", "ok"],
    ["denied", "denied"],
    "ok",
  ]);
});
