// The demo's whole swarm on the simulated machine: one seed is one run, every seed comes to the same tree.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { unwrap } from "../../src/base/result.ts";
import { summarize } from "../../src/swarm/view.ts";
import { type DemoSwarm, scriptText, startDemoSwarm, storeDirectory } from "./demo-swarm.ts";
import { course, landedTasks, leaseFaults, transcripts } from "./reading.ts";
import { sumsByRole } from "./script-sums.ts";

const virtualMsMax = 60_000;
const bytesMax = 100 * 1024 * 1024;

async function finish(seed: number, hosts: readonly string[] = ["host-1"]) {
  const demo = await startDemoSwarm({ seed, flushMsMax: 5 });
  const served = hosts.map((name) => demo.startHost(name).served);
  const end = await demo.sim.run(demo.coordinator.done, { virtualMsMax });
  const hostEnds = await demo.sim.run(Promise.all(served), { virtualMsMax });
  await demo.sim.run(demo.coordinator.close());
  return { demo, end, hostEnds, records: await demo.records() };
}

/** The store's files as they lie on the simulated disk. */
async function storeBytes({ sim }: DemoSwarm): Promise<Readonly<Record<string, string>>> {
  const files: Record<string, string> = {};
  for (const { name, kind } of unwrap(await sim.files.list(storeDirectory, 100), "list")) {
    if (kind !== "file") continue;
    const bytes = unwrap(await sim.files.read(join(storeDirectory, name), bytesMax), name);
    files[name] = Buffer.from(bytes).toString("base64");
  }
  return files;
}

const first = finish(1);

describe("one seed", () => {
  test("replays the run: every record with its time, every byte of the store, the whole disk", async () => {
    const [one, again] = [await first, await finish(1)];
    expect(again.records).toEqual(one.records);
    expect(await storeBytes(again.demo)).toEqual(await storeBytes(one.demo));
    expect(again.demo.sim.disk.dump()).toEqual(one.demo.sim.disk.dump());
  });

  test("another one takes another course to the same tree and the same landed tasks", async () => {
    const one = await first;
    for (const seed of [2, 3]) {
      const other = await finish(seed);
      expect({
        end: other.end,
        tree: other.demo.tree(),
        landed: landedTasks(other.records),
        faults: leaseFaults(other.records),
      }).toEqual({ end: one.end, tree: one.demo.tree(), landed: landedTasks(one.records), faults: [] });
      expect(course(other.records)).not.toEqual(course(one.records));
    }
  });
});

describe("a whole run", () => {
  test("ends with every task done, the conflict resolved and nobody at work", async () => {
    const { demo, end, hostEnds, records } = await first;
    const open = [...demo.state.tasks.values()].filter(({ status }) => status.kind !== "done");
    expect({ end, hostEnds, open, faults: leaseFaults(records) }).toEqual({
      end: { state: "finished", reason: "the goal's planner handed off" },
      hostEnds: [{ ok: true, value: undefined }],
      open: [],
      faults: [],
    });
    const conflicts = demo.store.vcs.conflicts().map(({ id, state }) => ({ id, state }));
    expect(conflicts).toEqual([{ id: "c1", state: "resolved" }]);
    // Every workspace's work has landed, so that none is left.
    expect(await demo.sim.files.list("/run/workspaces", 10)).toEqual({ ok: true, value: [] });
  });

  test("S27 has the figures of its log, and those that the script adds up to", async () => {
    const { demo, records } = await first;
    const summary = summarize(demo.state, demo.store.vcs.figures(), 0);
    const count = (type: string) => records.filter((record) => record.type === type).length;
    expect({ ...summary, requests: undefined, roles: undefined, total: undefined }).toEqual({
      runId: "20260101-000000-demo",
      state: "finished",
      reason: "the goal's planner handed off",
      // Counted in the script: eight workers of the root, two of the subplanner; the two planners.
      tasks: { done: 10, failed: 0, dropped: 0, open: 0 },
      planners: 2,
      commits: count("commit"),
      // `rounding` with `aggregates` in one file, and the arithmetic of `power` with that of `modulo`.
      merges: 2,
      conflicts: { found: 1, resolved: 1 },
      wallMs: (records.at(-1)?.atMs ?? 0) - (records.find(({ type }) => type === "run_started")?.atMs ?? 0),
      models: ["script:/assets/script.yaml"],
      scripted: true,
      requests: undefined,
      roles: undefined,
      total: undefined,
    });
    // Ten handoffs of workers and two commits on the way; two decisions' pages.
    expect(count("commit")).toBe(14);
    for (const { role, costUsd, ...sums } of sumsByRole(scriptText)) {
      const { costUsd: billed, ...bill } = summary.roles[role] ?? { costUsd: 0 };
      expect(bill).toEqual({ ...sums, requestsFailed: 0, attempts: sums.requests, requestsIncomplete: 0 });
      expect(billed).toBeCloseTo(costUsd, 9);
    }
  });

  test("leaves the transcripts that its log names, byte for byte", async () => {
    const { demo, records } = await first;
    const named = transcripts(records);
    const found = [];
    for (const transcript of named) {
      const path = transcript?.path ?? "";
      const bytes = unwrap(await demo.sim.files.read(path, bytesMax), path);
      found.push({ path, bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") });
    }
    // One an agent: two planners, ten workers, an arbiter.
    expect([found.length, found]).toEqual([13, named]);
  });

  test("builds a project whose own tests really pass", { timeout: 60_000 }, async () => {
    const { demo } = await first;
    const directory = await mkdtemp(join(tmpdir(), "skein-sim-"));
    try {
      for (const [path, bytes] of await demo.contents()) {
        await mkdir(dirname(join(directory, path)), { recursive: true });
        await writeFile(join(directory, path), bytes);
      }
      // Without the environment of this test's own runner, which changes how `node --test` behaves.
      const env = { PATH: dirname(process.execPath) };
      const { stdout } = await promisify(execFile)(process.execPath, ["--test"], { cwd: directory, env });
      expect(stdout).toMatch(/^(?:#|ℹ) fail 0$/m);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  test("S10 two hosts share the tasks, and each task is one host's at a time", async () => {
    const one = await first;
    const { demo, end, records } = await finish(5, ["host-1", "host-2"]);
    const hosts = new Set(records.filter(({ type }) => type === "task_leased").map(({ data }) => JSON.stringify(data)));
    const named = ["host-1", "host-2"].filter((name) => [...hosts].some((lease) => lease.includes(`"${name}"`)));
    expect({ end, named, faults: leaseFaults(records), tree: demo.tree() }).toEqual({
      end: one.end,
      named: ["host-1", "host-2"],
      faults: [],
      tree: one.demo.tree(),
    });
  });
});
