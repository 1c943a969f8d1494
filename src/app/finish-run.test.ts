// The end of a run whose disk has filled: only what is on the disk is told and exported.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeHost } from "../adapters/node/host.ts";
import { asRunId, asTaskId } from "../base/ids.ts";
import { err, unwrap } from "../base/result.ts";
import type { FileHandle } from "../host/files.ts";
import type { Host } from "../host/host.ts";
import { rootTask } from "../swarm/defaults.ts";
import { type RecordData, type RecordType, swarmRecord } from "../swarm/records.ts";
import { swarmFold } from "../swarm/state.ts";
import { git, makeRepository } from "../testing/git/real-repository.ts";
import { finishRun } from "./finish-run.ts";
import { importHead } from "./git.ts";
import { inspect } from "./prepare-swarm.ts";
import { readRun } from "./run-facts.ts";
import { makeParts, runDirectories } from "./state-directory.ts";
import { openStore } from "./store.ts";

interface Case {
  readonly name: string;
  readonly hasRoom: boolean;
  /** As the summary and as `skein runs` tell it. */
  readonly state: "stopped" | "interrupted";
}

const cases: readonly Case[] = [
  { name: "a disk that stays full: the end is not recorded, and nobody says so", hasRoom: false, state: "interrupted" },
  { name: "room that the run gives back: the end is recorded all the same", hasRoom: true, state: "stopped" },
];

test.each(cases)("S21 after an append that failed the durable log counts; $name", async ({ hasRoom, state }) => {
  const root = mkdtempSync(join(tmpdir(), "skein-finish-"));
  try {
    const disk = fillableHost();
    const repository = join(root, "repository");
    makeRepository(repository, { "a.txt": { kind: "file", bytes: "one\n" } });
    const surroundings = {
      host: disk.host,
      env: { PATH: process.env.PATH, HOME: root },
      cwd: root,
      processId: process.pid,
      platform: "linux",
      packageRoot: root,
      nodePath: process.execPath,
      workerHost: [],
      temporaryDirectory: root,
    };
    const inspected = unwrap(await inspect(surroundings, repository), "inspect");
    const directories = runDirectories(join(root, "run"));
    unwrap(await makeParts(disk.host.files, directories), "parts");
    const store = unwrap(await openStore(disk.host, directories.store), "store");
    const put = async <T extends RecordType>(type: T, data: RecordData<T>) =>
      store.ledger.append({ records: [swarmRecord(1_000, type, data)], blobs: [] });
    unwrap(await importHead(inspected.git, inspected.info, store.vcs), "import");
    const id = asRunId("20261129-230501-ab3d");
    const { info } = inspected;
    const models = { planner: "script:/s", worker: "script:/s", arbiter: "script:/s" };
    unwrap(
      await put("run_started", {
        run: id,
        goal: "the goal",
        repository: info.root,
        branch: info.branch,
        head_commit: info.headCommit,
        dirty_paths: 0,
        workers: 1,
        models,
        scripted: true,
        check: null,
      }),
      "start",
    );
    unwrap(await put("task_added", rootTask("the goal")), "task");
    disk.fill();
    expect(await put("task_done", { task: asTaskId("t0"), handoff: null })).toMatchObject({ ok: false });
    // The fold has seen what the disk did not take.
    expect(store.ledger.state(swarmFold).tasks.get(asTaskId("t0"))?.status.kind).toBe("done");

    if (hasRoom) disk.empty();
    const parts = {
      id,
      directories,
      store,
      git: inspected.git,
      info,
      sandbox: { kind: "free" as const },
      settings: { check: null },
    };
    const watcher = { onStep: () => {}, onNote: () => {}, stop: new AbortController().signal };
    const reason = "the disk is full, nothing unacknowledged was kept: ENOSPC";
    const result = await finishRun(surroundings, parts, { end: { state: "stopped", reason }, crashed: false, watcher });
    const { summary, resumable, exported, exportError } = result;
    expect({ state: summary.state, reason: summary.reason, resumable, exported, exportError }).toEqual({
      state,
      reason,
      resumable: true,
      exported: null,
      exportError: null,
    });
    expect(git(repository, ["for-each-ref", "--format=%(refname)"])).toBe("refs/heads/main");
    const facts = await readRun(disk.host, { kind: "swarm", id, directories });
    expect([facts.state, facts.reason]).toEqual([state, hasRoom ? reason : ""]);
    await store.close();
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

/** The real machine, whose disk can be filled: from then on nothing more can be appended. */
function fillableHost(): { readonly host: Host; fill(): void; empty(): void } {
  const host = nodeHost();
  let full = false;
  const noSpace = (path: string) => err({ kind: "file", code: "no-space", path, message: "ENOSPC" } as const);
  const limited = (handle: FileHandle, path: string): FileHandle => ({
    read: (offset, length) => handle.read(offset, length),
    append: async (chunks) => (full ? noSpace(path) : handle.append(chunks)),
    sync: () => handle.sync(),
    truncate: (size) => handle.truncate(size),
    size: () => handle.size(),
    close: () => handle.close(),
  });
  const open: Host["files"]["open"] = async (path, mode) => {
    const opened = await host.files.open(path, mode);
    return opened.ok ? { ok: true, value: limited(opened.value, path) } : opened;
  };
  return {
    host: { ...host, files: { ...host.files, open } },
    fill: () => {
      full = true;
    },
    empty: () => {
      full = false;
    },
  };
}
