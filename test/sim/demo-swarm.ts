// The demo's swarm on a simulated machine: coordinator and worker hosts as processes of it, the real script model, git outside.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadScript } from "../../src/adapters/script-model/provider.ts";
import { openStore, type Store } from "../../src/app/store.ts";
import { asHostId, asPosition, asRunId, type RepoPath } from "../../src/base/ids.ts";
import { err, ok, type Result, unwrap } from "../../src/base/result.ts";
import type { Net } from "../../src/host/net.ts";
import { blobIdOf } from "../../src/log/blob-id.ts";
import type { StoredRecord } from "../../src/log/log.ts";
import type { Provider } from "../../src/model/provider.ts";
import type { CoordinatorOptions } from "../../src/swarm/coordinator/context.ts";
import type { Coordinator } from "../../src/swarm/coordinator/contract.ts";
import { startCoordinator } from "../../src/swarm/coordinator/coordinator.ts";
import { resumeRecords } from "../../src/swarm/coordinator/resume.ts";
import { defaultLimits, rootTask } from "../../src/swarm/defaults.ts";
import type { ProviderHooks } from "../../src/swarm/host/environment.ts";
import { serveWorkerHost } from "../../src/swarm/host/worker-host.ts";
import { swarmRecord } from "../../src/swarm/records.ts";
import { type SwarmState, swarmFold } from "../../src/swarm/state.ts";
import { type SimHost, type SimOptions, simHost } from "../../src/testing/sim/host.ts";
import { seededRandom } from "../../src/testing/sim/random.ts";
import type { Entry } from "../../src/vcs/types.ts";
import { projectShell } from "./project-shell.ts";
import { rg } from "./rg.ts";

const assets = fileURLToPath(new URL("../../assets/demo", import.meta.url));
/** Read before any simulation begins: while one runs, nothing waits on the real world. */
const project = filesOf(join(assets, "project"));
export const scriptText = readFileSync(join(assets, "script.yaml"), "utf8");

const goal = "Build calc as SPEC.md describes it, so that its whole test suite passes.";
const model = "script:/assets/script.yaml";
const models = { planner: model, worker: model, arbiter: model };
const socketPath = "/run/coordinator";
export const storeDirectory = "/run/store";
export const directories = { workspaces: "/run/workspaces", agents: "/run/agents", blobs: "/run/blobs" };

export interface DemoSwarm {
  /** The coordinator's process. */
  readonly sim: SimHost;
  readonly store: Store;
  readonly state: SwarmState;
  readonly coordinator: Coordinator;
  startHost(name: string, options?: { readonly net?: (net: Net) => Net }): DemoHost;
  /** Every durable record. */
  records(): Promise<readonly StoredRecord[]>;
  /** The head's tree: mode and blob by path. */
  tree(): Readonly<Record<string, string>>;
  /** The contents of the head's files. */
  contents(): Promise<ReadonlyMap<string, Uint8Array>>;
}

export interface DemoHost {
  readonly process: SimHost;
  readonly served: Promise<Result<void, string>>;
}

export interface DemoOptions {
  readonly coordinator?: Partial<CoordinatorOptions>;
  /** Stands between the agents and the script. */
  readonly watch?: (script: Provider, hooks: ProviderHooks) => Provider;
}

export async function startDemoSwarm(
  sim: SimOptions,
  coordinator: Partial<CoordinatorOptions> = {},
): Promise<DemoSwarm> {
  return beginDemo(await demoMachine(sim), { coordinator });
}

/** A machine with the directories and programs that the demo needs; the process that is returned stands beside its runs. */
export async function demoMachine(options: SimOptions): Promise<SimHost> {
  const machine = simHost(options);
  machine.programs.set("rg", rg);
  machine.programs.set("bash", projectShell(seededRandom(options.seed, "shell")));
  const setUp = async (): Promise<void> => {
    for (const directory of ["/run", "/assets", ...Object.values(directories)])
      await machine.files.makeDirectory(directory);
    const script = unwrap(await machine.files.open("/assets/script.yaml", "create"), "script");
    unwrap(await script.append([Buffer.from(scriptText)]), "script");
    await script.sync();
    await script.close();
    for (const directory of ["/", "/run", "/assets"]) await machine.files.syncDirectory(directory);
  };
  await machine.run(setUp());
  return machine;
}

/** A new run, with its coordinator in this process. */
export function beginDemo(sim: SimHost, options: DemoOptions = {}): Promise<DemoSwarm> {
  const start = async (): Promise<DemoSwarm> => {
    const store = unwrap(await openStore(sim, storeDirectory), "store");
    await begin(sim, store);
    return coordinate(sim, store, options);
  };
  return sim.run(start());
}

/** Goes on with the run whose store is there, as `skein swarm --resume` does. */
export function resumeDemo(sim: SimHost, options: DemoOptions = {}): Promise<DemoSwarm> {
  const resume = async (): Promise<DemoSwarm> => {
    const store = unwrap(await openStore(sim, storeDirectory), "store");
    const resumed = { models, scripted: true, workers: 4, repository: "/project" };
    const state = store.ledger.state(swarmFold);
    const records = resumeRecords(state, sim.clock.now(), resumed, directories.workspaces);
    unwrap(await store.ledger.append({ records, blobs: [] }), "resume");
    return coordinate(sim, store, options);
  };
  return sim.run(resume());
}

async function coordinate(
  sim: SimHost,
  store: Store,
  { coordinator: options, watch }: DemoOptions,
): Promise<DemoSwarm> {
  const { ledger, vcs, guards } = store;
  const limits = defaultLimits({ workers: 4, requestsMax: 5_000 });
  const started = await startCoordinator(
    { ledger, vcs, guards, net: sim.net, clock: sim.clock },
    { ...limits, socketPath, models, ...options },
  );
  const coordinator = unwrap(started, "coordinator");
  return {
    sim,
    store,
    state: ledger.state(swarmFold),
    coordinator,
    startHost(name, { net = (own: Net) => own } = {}) {
      const process = sim.newProcess();
      return { process, served: serve(process, { name, net: net(process.net), watch }) };
    },
    async records() {
      const records: StoredRecord[] = [];
      for await (const record of ledger.replay(asPosition(0))) records.push(record);
      return records;
    },
    tree: () =>
      Object.fromEntries([...vcs.manifest(vcs.head())].map(([path, { mode, blob }]) => [path, `${mode} ${blob}`])),
    async contents() {
      const manifest = [...vcs.manifest(vcs.head())];
      const contents = await vcs.blobs.get(manifest.map(([, { blob }]) => blob));
      return new Map(manifest.map(([path], index) => [path, contents[index] ?? new Uint8Array()]));
    },
  };
}

interface Served {
  readonly name: string;
  readonly net: Net;
  readonly watch: DemoOptions["watch"];
}

function serve(process: SimHost, { name, net, watch = (script) => script }: Served): Promise<Result<void, string>> {
  return serveWorkerHost({
    host: { ...process, net },
    hostId: asHostId(name),
    socketPath,
    async providers(wanted, hooks) {
      const loaded = await loadScript(process, wanted.slice("script:".length));
      return loaded.ok ? ok(watch(loaded.value, hooks)) : err(loaded.error.message);
    },
    directories,
    rgPath: "/bin/rg",
    shellEnvironment: { PATH: "/bin" },
    workspaceGit: false,
    checksAtOnce: 2,
    checkMsMax: 60_000,
    ignoreTexts: [],
  });
}

/** What `skein swarm` writes into a new store, with the tree that git would have given. */
async function begin({ clock }: SimHost, { vcs, ledger }: Store): Promise<void> {
  const entries = new Map<RepoPath, Entry>();
  const blobs = project.map(({ path, bytes, mode }) => {
    const id = blobIdOf(bytes, "sha1");
    entries.set(path, { blob: id, mode });
    return { id, bytes };
  });
  const source = { repository: "/project", branch: "main", commit: "0".repeat(40), tree: "1".repeat(40) };
  unwrap(await vcs.importTree({ source, objectFormat: "sha1", entries, blobs: [blobs] }), "import");
  const started = swarmRecord(clock.now(), "run_started", {
    run: asRunId("20260101-000000-demo"),
    goal,
    repository: "/project",
    branch: "main",
    head_commit: "0".repeat(40),
    dirty_paths: 0,
    workers: 4,
    models,
    scripted: true,
    check: "node --test",
  });
  const records = [started, swarmRecord(clock.now(), "task_added", rootTask(goal))];
  unwrap(await ledger.append({ records, blobs: [] }), "start");
}

function filesOf(root: string) {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(root, path)).isFile())
    .sort()
    .map((path) => ({
      path: path as RepoPath,
      bytes: readFileSync(join(root, path)),
      mode: (statSync(join(root, path)).mode & 0o100) === 0 ? ("100644" as const) : ("100755" as const),
    }));
}
