// Processes of one simulated machine: what a killed one leaves behind, and that it can do nothing more.

import { expect, test } from "vitest";
import { unwrap } from "../../base/result.ts";
import { bytes, collect, text } from "../contract/under-test.ts";
import { simHost } from "./host.ts";

test("kill -9 frees locks, ends connections after what was sent, leaves the socket file and every written byte", async () => {
  const sim = simHost({ seed: 3 });
  const victim = sim.newProcess();
  const { promise: accepted, resolve } = Promise.withResolvers<void>();
  unwrap(await victim.locks.acquire("/lock"), "lock");
  const held = await sim.locks.acquire("/lock");
  const listening = await victim.net.listen("/socket", (connection) => {
    void connection.send(bytes("last words"));
    resolve();
  });
  unwrap(listening, "listen");
  const connection = unwrap(await sim.run(sim.net.connect("/socket")), "connect");
  await sim.run(accepted);
  const handle = unwrap(await victim.files.open("/file", "create"), "open");
  unwrap(await handle.append([bytes("not flushed")]), "append");
  victim.kill();
  const heard = text(await sim.run(collect(connection.bytes)));
  const refused = await sim.run(sim.net.connect("/socket"));
  expect({
    held: held.ok ? "ok" : held.error.code,
    free: (await sim.locks.acquire("/lock")).ok,
    heard,
    refused: refused.ok ? "ok" : refused.error.code,
    file: text(unwrap(await sim.files.read("/file", 99), "read")),
    again: (await sim.net.listen("/socket", () => undefined)).ok,
  }).toEqual({ held: "held", free: true, heard: "last words", refused: "refused", file: "not flushed", again: true });
});

test("a killed process changes nothing more: calls under way, timers and later calls never answer", async () => {
  const sim = simHost({ seed: 3 });
  const victim = sim.newProcess();
  const after: string[] = [];
  victim.clock.after(1, () => after.push("timer"));
  const calls = [victim.files.write("/under-way", bytes("x")), victim.clock.sleep(1)];
  victim.kill();
  calls.push(victim.files.write("/later", bytes("x")), victim.clock.sleep(1));
  for (const call of calls) void call.then(() => after.push("answer"));
  await sim.run(sim.clock.sleep(100));
  expect([after, sim.disk.dump()]).toEqual([[], ["/"]]);
});

test("a killed program stops where it is, and a parent's death leaves it running without pipes", async () => {
  const sim = simHost({ seed: 3 });
  sim.programs.set("writer", async ({ argv, clock, files, stdout, stdin }) => {
    const path = argv[1] ?? "";
    await clock.sleep(10);
    await files.write(`${path}-1`, bytes("x"));
    await clock.sleep(10);
    const heard = await stdout(bytes("x"));
    const input = await collect(stdin);
    await files.write(`${path}-2`, bytes(`${heard} ${input.length}`));
    return 0;
  });
  const parent = sim.newProcess();
  const killed = unwrap(await sim.processes.spawn({ argv: ["writer", "/killed"], cwd: "/", env: {} }), "spawn");
  unwrap(await parent.processes.spawn({ argv: ["writer", "/orphan"], cwd: "/", env: {} }), "spawn");
  sim.clock.after(15, () => {
    killed.kill("SIGKILL");
    parent.kill();
  });
  await sim.run(sim.clock.sleep(100));
  const names = unwrap(await sim.files.list("/", 9), "list").map((entry) => entry.name);
  expect([names, text(unwrap(await sim.files.read("/orphan-2", 99), "read"))]).toEqual([
    ["killed-1", "orphan-1", "orphan-2"],
    "false 0",
  ]);
});

test("a power loss ends every process; the one after it sees only what was flushed", async () => {
  const sim = simHost({ seed: 3 });
  const handle = unwrap(await sim.files.open("/file", "create"), "open");
  unwrap(await handle.append([bytes("flushed")]), "append");
  unwrap(await handle.sync(), "sync");
  unwrap(await sim.files.syncDirectory("/"), "sync");
  const late: unknown[] = [];
  void handle.append([bytes("never")]).then((result) => late.push(result));
  const next = sim.powerLoss();
  void sim.files.write("/file", bytes("a ghost")).then((result) => late.push(result));
  await next.run(next.clock.sleep(10));
  expect([text(unwrap(await next.files.read("/file", 99), "read")), late]).toEqual(["flushed", []]);
});
