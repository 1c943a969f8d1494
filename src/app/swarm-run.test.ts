// A bug in the middle of a run: the workers are stopped, and the run ends with what is in its log, said as an internal error.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { nodeHost } from "../adapters/node/host.ts";
import { unwrap } from "../base/result.ts";
import type { ChildProcess } from "../host/processes.ts";
import { makeRepository } from "../testing/git/real-repository.ts";
import { runSwarm } from "./swarm.ts";
import type { RunView, SwarmWatcher } from "./swarm-types.ts";

const packageRoot = dirname(dirname(import.meta.dirname));

test("an internal error ends the run as failed, with its workers stopped, and it can be gone on with", {
  timeout: 60_000,
}, async () => {
  const root = mkdtempSync(join(tmpdir(), "skein-bug-"));
  try {
    const repository = join(root, "repository");
    makeRepository(repository, { "a.txt": { kind: "file", bytes: "one\n" } });
    const script = join(root, "script.json");
    writeFileSync(script, JSON.stringify({ rules: [{ role: "planner", turn: 1, delayMs: 60_000, say: "never" }] }));
    const host = nodeHost();
    const children: ChildProcess[] = [];
    const surroundings = {
      host: {
        ...host,
        processes: {
          spawn: async (spec: Parameters<typeof host.processes.spawn>[0]) => {
            const spawned = await host.processes.spawn(spec);
            if (spawned.ok && spec.argv.some((arg) => arg.endsWith("worker-host.ts"))) children.push(spawned.value);
            return spawned;
          },
        },
      },
      env: { PATH: process.env.PATH, HOME: root, SKEIN_STATE_DIR: join(root, "state") },
      cwd: root,
      processId: process.pid,
      platform: "linux",
      packageRoot,
      nodePath: process.execPath,
      workerHost: [join(packageRoot, "src", "entries", "worker-host.ts")],
      temporaryDirectory: root,
    };
    const notes: string[] = [];
    const options = { goal: "the goal", repository, flags: { model: `script:${script}` }, configFiles: false };
    const result = unwrap(await runSwarm(surroundings, options, failingOnce(notes)), "run");
    const { summary, resumable, exported, exportError } = result;
    expect({ state: summary.state, reason: summary.reason, resumable, exported, exportError }).toEqual({
      state: "failed",
      reason: "internal error: a bug in the screen",
      resumable: true,
      exported: null,
      exportError: null,
    });
    expect(notes.join("\n")).toContain("a bug in the screen");
    expect(children).toHaveLength(1);
    for (const child of children) expect(await child.exit).toBeDefined();
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

/** Throws where the coordinator tells of its first lease. */
function failingOnce(notes: string[]): SwarmWatcher {
  let failed = false;
  return {
    onStart: () => {},
    onChange: (view: () => RunView) => {
      if (failed || !view().lines.some(({ look }) => look === "planning")) return;
      failed = true;
      throw new Error("a bug in the screen");
    },
    agreeToNoSandbox: async () => true,
    onStep: () => {},
    onNote: (text) => notes.push(text),
    stop: new AbortController().signal,
    stopNow: new AbortController().signal,
  };
}
