// The worker host's process on a simulated machine: which hosts are killed and replaced, when that ends, and how one is told to have ended.

import { expect, test } from "vitest";
import { asHostId, type HostId } from "../base/ids.ts";
import { unwrap } from "../base/result.ts";
import type { ProcessExit } from "../host/processes.ts";
import { simHost } from "../testing/sim/host.ts";
import type { SimCall, SimProgram } from "../testing/sim/processes.ts";
import type { Surroundings } from "./surroundings.ts";
import { startWorkerProcess } from "./worker-process.ts";
import { type WorkspaceForm, workspaceForm } from "./workspace-form.ts";

type Life = (call: SimCall, joined: () => void) => Promise<ProcessExit | number>;

const hangs: Life = (call) => new Promise((resolve) => call.killed.addEventListener("abort", () => resolve(0)));

/** Each started host lives by the next of these lives, the last one again and again. */
async function start(...lives: readonly Life[]) {
  return startAs({ kind: "copy", reason: "a simulated machine" }, ...lives);
}

async function startAs(form: WorkspaceForm, ...lives: readonly Life[]) {
  const heard = new Set<HostId>();
  const started: string[] = [];
  const sim = simHost({ seed: 1 });
  const programs: string[] = [];
  const host: SimProgram = async (call) => {
    programs.push(call.argv[0]);
    const id = asHostId(call.argv.at(-1) ?? "");
    started.push(id);
    const life = lives[Math.min(started.length, lives.length) - 1] ?? hangs;
    return life(call, () => heard.add(id));
  };
  for (const name of ["node", "unshare"]) sim.programs.set(name, host);
  const surroundings: Surroundings = {
    host: sim,
    env: {},
    cwd: "/",
    processId: 1,
    platform: "linux",
    packageRoot: "/",
    nodePath: "node",
    workerHost: ["worker-host.js"],
    temporaryDirectory: "/",
  };
  const limits = { requestsPerMinute: null, agentsMax: 1, askedLately: false };
  const directories = { run: "/r", workspaces: "/r/w", agents: "/r/a", blobs: "/r/b" };
  const made = startWorkerProcess(surroundings, {
    socketPath: "/s",
    // More than a pipe holds: a host that does not read keeps its parent from going on.
    settings: {
      directories,
      ignoreTexts: ["x".repeat(1_000_000)],
      models: [],
      secrets: [],
      limits,
      sandbox: null,
      record: null,
    },
    form,
    hasJoined: (host) => heard.has(host),
    onNote: () => {},
  });
  const workers = unwrap(await sim.run(made, { virtualMsMax: 600_000 }), "start");
  return { sim, workers, started, programs };
}

test("a host that says nothing after its start is killed and replaced; after four in a row the last words are told", async () => {
  const { sim, workers, started } = await start(hangs);
  expect(await sim.run(workers.failed, { virtualMsMax: 600_000 })).toBe(
    "the worker host said nothing for 60 s after its start",
  );
  expect(started).toEqual(["host-1", "host-2", "host-3", "host-4"]);
});

test("one that was heard of is left alone, and its successors count anew", async () => {
  const good: Life = async (call, joined) => {
    joined();
    return hangs(call, joined);
  };
  const { sim, workers, started } = await start(hangs, good);
  await sim.run(sim.clock.sleep(300_000), { virtualMsMax: 400_000 });
  expect(started).toEqual(["host-1", "host-2"]);
  workers.lost(asHostId("host-2"));
  await sim.run(sim.clock.sleep(1_000));
  expect([started.length, await sim.run(workers.howEnded(asHostId("host-2")))]).toEqual([3, "other"]);
});

test.each([
  ["killed", { kind: "signal", signal: "SIGKILL" }],
  ["killed", { kind: "signal", signal: "SIGTERM" }],
  // As where the program runs out of memory.
  ["other", { kind: "signal", signal: "SIGABRT" }],
  ["other", { kind: "code", code: 1 }],
] as const)("a host has ended as %s by %o", async (how, exit) => {
  const { sim, workers } = await start(async (call, joined) => {
    joined();
    await call.clock.sleep(10);
    return exit;
  }, hangs);
  expect(await sim.run(workers.howEnded(asHostId("host-1")))).toBe(how);
});

test("a host that never speaks in namespaces of its own is followed by one without, whose workspaces are copies", async () => {
  const overlay: WorkspaceForm = { kind: "overlay", enter: ["unshare", "--mount", "--"], demote: [] };
  const { sim, programs } = await startAs(overlay, hangs, async (call, joined) => {
    joined();
    return hangs(call, joined);
  });
  await sim.run(sim.clock.sleep(120_000), { virtualMsMax: 200_000 });
  expect(programs).toEqual(["unshare", "node"]);
});

test("where nothing can be mounted, workspaces are copies, and the reason is told", async () => {
  const sim = simHost({ seed: 1 });
  const say =
    (text: string, code: number): SimProgram =>
    async (call) => {
      await (code === 0 ? call.stdout(Buffer.from(text)) : call.stderr(Buffer.from(text)));
      return code;
    };
  sim.programs.set("sh", say("1000\n1000\n", 0));
  sim.programs.set("unshare", say("unshare: write failed /proc/self/uid_map: Operation not permitted\n", 1));
  const surroundings = { host: sim, env: { PATH: "/bin" }, cwd: "/", processId: 1, packageRoot: "/", nodePath: "node" };
  const at = (platform: string) => ({ ...surroundings, platform, workerHost: [], temporaryDirectory: "/" });
  const form = (platform: string, wish: "auto" | "copy") => workspaceForm(at(platform), { directory: "/", wish });
  const forms = [
    await sim.run(form("linux", "auto")),
    await sim.run(form("darwin", "auto")),
    await sim.run(form("linux", "copy")),
  ];
  expect({ forms, left: await sim.run(sim.files.list("/", 10)) }).toEqual({
    forms: [
      {
        kind: "copy",
        reason:
          "this system lets us mount no overlay here: unshare: write failed /proc/self/uid_map: Operation not permitted",
      },
      { kind: "copy", reason: "overlays are there on Linux only" },
      { kind: "copy", reason: 'the settings say "workspaces": "copy"' },
    ],
    left: { ok: true, value: [] },
  });
});
