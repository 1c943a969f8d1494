// What is said of runs without being their coordinator, and which of them may be removed. Their logs are written as a coordinator would.

import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { asRunId, asTaskId } from "../base/ids.ts";
import { unwrap } from "../base/result.ts";
import { lockPath } from "../log/segments/lock-path.ts";
import { rootTask } from "../swarm/defaults.ts";
import { type RecordData, type RecordType, swarmRecord } from "../swarm/records.ts";
import { type SimHost, simHost } from "../testing/sim/host.ts";
import { importFiles, request } from "../testing/vcs/vcs-rig.ts";
import { openVcs } from "../vcs/engine.ts";
import { writeCoordinatorFile } from "./coordinator-file.ts";
import { findRun } from "./find-runs.ts";
import { finishPruning, planPrune, pruneRun } from "./prune.ts";
import { listRuns } from "./run-list.ts";
import { makeParts, runDirectories } from "./state-directory.ts";
import { openStore } from "./store.ts";
import type { Surroundings } from "./surroundings.ts";

const dayMs = 24 * 60 * 60_000;

let host: SimHost;
let surroundings: Surroundings;

beforeEach(() => {
  host = simHost({ seed: 1 });
  surroundings = {
    host,
    env: { SKEIN_STATE_DIR: "/state" },
    cwd: "/",
    processId: 1,
    platform: "linux",
    packageRoot: "/",
    nodePath: "/node",
    workerHost: [],
    temporaryDirectory: "/tmp",
  };
});

const ids = {
  older: "20260101-000000-aaaa",
  old: "20260102-000000-bbbb",
  newer: "20260103-000000-cccc",
  newest: "20260104-000000-dddd",
} as const;

interface Made {
  readonly state?: RecordData<"run_ended">["state"];
  /** Lands a commit. */
  readonly lands?: boolean;
  readonly exported?: boolean;
  readonly workspace?: boolean;
  readonly goalDone?: boolean;
  /** Nothing but the import. */
  readonly beforeBegin?: boolean;
}

const directoriesOf = (id: string) => runDirectories(join("/state/runs/tool-0123", id));

async function makeRun(id: string, made: Made = {}): Promise<void> {
  const directories = directoriesOf(id);
  unwrap(await makeParts(host.files, directories), "parts");
  const { ledger, close } = unwrap(await openStore(host, directories.store), "store");
  const vcs = openVcs({ ledger, policies: [], clock: host.clock });
  const put = async <T extends RecordType>(type: T, data: RecordData<T>): Promise<void> => {
    unwrap(await ledger.append({ records: [swarmRecord(host.clock.now(), type, data)], blobs: [] }), type);
  };
  const base = await importFiles(vcs, { "a.txt": "one\n" });
  if (made.beforeBegin !== true) {
    const models = { planner: "script:/s", worker: "script:/s", arbiter: "script:/s" };
    const place = { repository: "/src/tool", branch: "main", head_commit: "0".repeat(40), dirty_paths: 0 };
    const more = { workers: 1, models, scripted: true, check: null };
    await put("run_started", { run: asRunId(id), goal: `Goal of ${id}`, ...place, ...more });
    await put("task_added", rootTask("the goal"));
  }
  if (made.lands === true) unwrap(await vcs.commit(request({ by: 0, base, files: { "a.txt": "two\n" } })), "commit");
  if (made.goalDone === true) await put("task_done", { task: asTaskId("t0"), handoff: null });
  if (made.state !== undefined) await put("run_ended", { state: made.state, reason: "so it was" });
  const branch = { branch: `skein/${id}`, commit: "1".repeat(40), commits: 1, check_passed: null };
  if (made.exported === true) await put("exported", branch);
  if (made.workspace === true) await host.files.makeDirectory(join(directories.workspaces, "a1"));
  await close();
}

const looks = async () => {
  const runs = unwrap(await host.run(listRuns(surroundings)), "runs");
  return runs.map(({ runId, state, goal, repo, branch, left }) => ({ runId, state, goal, repo, branch, left }));
};

const finished = { state: "finished", goalDone: true, lands: true, exported: true } as const;

describe("skein runs", () => {
  test("newest first, with their state and what is left", async () => {
    await makeRun(ids.older, finished);
    await makeRun(ids.old, { state: "stopped", lands: true, workspace: true });
    await makeRun(ids.newer);
    await makeRun(ids.newest, { beforeBegin: true });
    const none = { openTasks: 0, openConflicts: 0, unexportedCommits: 0, keptWorkspaces: 0, resumable: false };
    const known = (id: string) => ({ runId: id, goal: `Goal of ${id}`, repo: "/src/tool" });
    expect(await looks()).toEqual([
      { runId: ids.newest, goal: "", repo: null, branch: null, state: "interrupted", left: none },
      {
        ...known(ids.newer),
        branch: null,
        state: "interrupted",
        left: { ...none, openTasks: 1, resumable: true },
      },
      {
        ...known(ids.old),
        branch: null,
        state: "stopped",
        left: { ...none, openTasks: 1, unexportedCommits: 1, keptWorkspaces: 1, resumable: true },
      },
      { ...known(ids.older), branch: `skein/${ids.older}`, state: "finished", left: none },
    ]);
  });

  const soloOf = async (id: string, ...lines: readonly object[]): Promise<void> => {
    const directories = directoriesOf(id);
    unwrap(await host.files.makeDirectory(directories.agents), "agents");
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    unwrap(await host.files.write(join(directories.agents, "a0.jsonl"), Buffer.from(text)), "transcript");
  };
  const begun = { type: "start", at_ms: 1_000, role: "solo" };
  const asked = { type: "message", at_ms: 1_000, message: { role: "user", text: "Mend it" } };
  const endOf = (outcome: string, detail = "") => ({ type: "end", at_ms: 2_000, outcome, detail });

  test("a lone agent's run is what its transcript's last line says", async () => {
    await soloOf(ids.older, begun, asked, endOf("stopped"));
    await soloOf(ids.old, begun, asked);
    await soloOf(ids.newer, begun, asked, endOf("model-error", "no answer"));
    await soloOf(ids.newest, begun, asked, endOf("cancelled"));
    const runs = unwrap(await host.run(listRuns(surroundings)), "runs");
    expect(
      runs.map(({ kind, state, reason, goal, lastMs, unreadable }) => [kind, state, reason, goal, lastMs, unreadable]),
    ).toEqual([
      ["run", "interrupted", "cancelled", "Mend it", 2_000, null],
      ["run", "failed", "no answer", "Mend it", 2_000, null],
      ["run", "interrupted", "", "Mend it", 1_000, null],
      ["run", "finished", "stopped", "Mend it", 2_000, null],
    ]);
    expect(await findRun(surroundings, ids.old)).toMatchObject({ ok: false, error: { kind: "not-a-swarm" } });
  });

  test("a lone agent that is at work is running, and is not pruned", async () => {
    await soloOf(ids.old, begun, asked);
    const lock = unwrap(await host.newProcess().locks.acquire(join(directoriesOf(ids.old).run, "run.lock")), "lock");
    const plan = unwrap(await host.run(planPrune(surroundings, { named: [ids.old], olderThanDays: 0 })), "plan");
    expect(plan.keep.map(({ run, reason }) => [run.state, reason])).toEqual([["running", "it runs"]]);
    await lock.release();
  });

  test("what was only begun was interrupted before it began, and is pruned with lone agents' runs", async () => {
    unwrap(await makeParts(host.files, directoriesOf(ids.newer)), "parts");
    unwrap(await host.files.makeDirectory(directoriesOf(ids.newest).run), "claimed");
    await soloOf(ids.old, begun, asked, endOf("stopped"));
    const runs = unwrap(await host.run(listRuns(surroundings)), "runs");
    expect(runs.map(({ kind, state, unreadable }) => [kind, state, unreadable])).toEqual([
      ["swarm", "interrupted", null],
      ["swarm", "interrupted", null],
      ["run", "finished", null],
    ]);
    await host.run(host.clock.sleep(0.02 * dayMs));
    const { remove } = unwrap(await host.run(planPrune(surroundings, { named: [], olderThanDays: 0.01 })), "plan");
    for (const run of remove) expect(await pruneRun(surroundings, run)).toEqual({ ok: true, value: undefined });
    expect(unwrap(await host.files.list("/state/runs/tool-0123", 10), "list")).toEqual([]);
  });

  test("a run whose writer's lock another process holds is running, whatever its log says", async () => {
    await makeRun(ids.old, finished);
    await makeRun(ids.newer);
    const other = host.newProcess();
    const held = unwrap(await openStore(other, directoriesOf(ids.old).store), "store");
    expect((await looks()).map(({ state }) => state)).toEqual(["interrupted", "running"]);
    await held.close();
    expect((await looks()).map(({ state }) => state)).toEqual(["interrupted", "finished"]);
  });

  test("what a crash left of a coordinator, or another look at the run, does not make it running", async () => {
    await makeRun(ids.old);
    await writeCoordinatorFile(host.files, directoriesOf(ids.old), { pid: 7, socket: "/tmp/skein-gone/coordinator" });
    const other = host.newProcess();
    const look = unwrap(await other.locks.acquire(lockPath(directoriesOf(ids.old).store)), "lock");
    const listed = looks();
    void other.clock.sleep(60).then(() => look.release());
    expect((await listed).map(({ state }) => state)).toEqual(["interrupted"]);
  });

  test("looking changes nothing, not even a torn tail", async () => {
    await makeRun(ids.old, { lands: true });
    const store = directoriesOf(ids.old).store;
    const segments = unwrap(await host.files.list(join(store, "segments"), 10), "segments");
    const handle = unwrap(await host.files.open(join(store, "segments", segments[0]?.name ?? ""), "append"), "open");
    unwrap(await handle.append([Buffer.from("half a frame")]), "tear");
    await handle.close();
    const before = host.disk.dump();
    expect((await looks()).map(({ state }) => state)).toEqual(["interrupted"]);
    expect(host.disk.dump()).toEqual(before);
  });

  test("an id is found by its whole, its beginning or its end, if only one has it", async () => {
    await makeRun(ids.old);
    await makeRun(ids.older);
    const found = async (wanted: string) => {
      const run = await findRun(surroundings, wanted);
      return run.ok ? run.value.id : run.error;
    };
    expect(await found("20260102")).toBe(ids.old);
    expect(await found("aaaa")).toBe(ids.older);
    expect(await found(ids.old)).toBe(ids.old);
    expect(await found("2026")).toEqual({ kind: "no-run", wanted: "2026", candidates: [ids.old, ids.older] });
    expect(await found("")).toEqual({ kind: "no-run", wanted: "", candidates: [] });
  });
});

describe("skein runs prune", () => {
  const planned = async (named: readonly string[], olderThanDays: number) => {
    const { remove, keep } = unwrap(await host.run(planPrune(surroundings, { named, olderThanDays })), "plan");
    const kept = keep.map(({ run, reason }) => [run.runId, reason]);
    return { remove: remove.map(({ runId }) => runId), kept };
  };

  test("takes what is old and holds nothing that is nowhere else", async () => {
    await makeRun(ids.older, finished);
    await makeRun(ids.old, { ...finished, exported: false });
    await makeRun(ids.newer, { ...finished, workspace: true });
    await host.run(host.clock.sleep(0.02 * dayMs));
    await makeRun(ids.newest, finished);
    await host.files.makeDirectory("/src/tool");
    host.programs.set("git", async () => 0);
    expect(await planned([], 0.01)).toEqual({
      remove: [ids.older],
      kept: [
        [ids.newest, "it is not old enough"],
        [ids.newer, "workspaces that are kept in it: 1"],
        [ids.old, "landed commits that are on no branch: 1"],
      ],
    });
  });

  test("keeps a run whose branch is not in its repository any more: the store is the work's last place", async () => {
    await makeRun(ids.older, finished);
    await host.run(host.clock.sleep(0.02 * dayMs));
    await host.files.makeDirectory("/src/tool");
    host.programs.set("git", async () => 1);
    const { remove, kept } = await planned([], 0.01);
    expect(remove).toEqual([]);
    expect(kept).toEqual([[ids.older, expect.stringMatching(/^its branch skein\/.* is not in \/src\/tool any more$/)]]);
  });

  test("takes a run that is named whatever it keeps, but never one that runs", async () => {
    await makeRun(ids.old, { lands: true, workspace: true });
    expect(await planned([ids.old], 30)).toEqual({ remove: [ids.old], kept: [] });
    const held = unwrap(await openStore(host.newProcess(), directoriesOf(ids.old).store), "store");
    expect(await planned([ids.old], 0)).toEqual({ remove: [], kept: [[ids.old, "it runs"]] });
    await held.close();
  });

  test("removes the whole directory, and what a pruning that was killed left", async () => {
    await makeRun(ids.old, finished);
    await makeRun(ids.newer, finished);
    await host.files.makeDirectory("/state/runs/tool-0123/.pruned-20250101-000000-zzzz/store");
    const { remove } = unwrap(await host.run(planPrune(surroundings, { named: ["bbbb"], olderThanDays: 0 })), "plan");
    for (const run of remove) expect(await pruneRun(surroundings, run)).toEqual({ ok: true, value: undefined });
    await finishPruning(surroundings, remove);
    const left = unwrap(await host.files.list("/state/runs/tool-0123", 10), "list");
    expect(left.map(({ name }) => name)).toEqual([ids.newer]);
  });

  test("a run that begins to go on after it was looked at is not removed", async () => {
    await makeRun(ids.old, { lands: true });
    const { remove } = unwrap(await host.run(planPrune(surroundings, { named: [ids.old], olderThanDays: 0 })), "plan");
    const held = unwrap(await openStore(host.newProcess(), directoriesOf(ids.old).store), "store");
    const removed = await Promise.all(remove.map((run) => pruneRun(surroundings, run)));
    expect(removed).toEqual([{ ok: false, error: { kind: "run-held", run: ids.old, pid: null } }]);
    await held.close();
    expect((await looks()).map(({ state }) => state)).toEqual(["interrupted"]);
  });
});
