// A run whose state directory is a small file system of its own, in memory, that is filled to the last block at a chosen moment and
// emptied again for `--resume`. Mounting needs the rights of root.

import { execFileSync } from "node:child_process";
import { closeSync, openSync, rmSync, statSync, truncateSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { git, makeRepository } from "../../src/testing/git/real-repository.ts";
import { type Sandbox, sandbox } from "./sandbox.ts";
import { bash, call, handoff, plan, type Rule, work, write, writeScript } from "./script.ts";
import { lastJson, skein, startSkein } from "./skein.ts";

export interface FullDiskPlan {
  /** After the planner has begun; null leaves the disk alone. */
  readonly fillAfterMs: number | null;
  /** What is left of it. */
  readonly freeBytes: number;
}

export interface FullDiskRun {
  /** How the first stretch ended, and what `skein runs` says of it then. */
  readonly state: unknown;
  readonly listed: unknown;
  readonly reason: unknown;
  readonly next: unknown;
  readonly failedTasks: number;
  /** Tasks that were shown as done and are not. */
  readonly shownDone: number;
  readonly showsStack: boolean;
  readonly tree: string;
  /** How it ended at last. */
  readonly end: unknown;
}

const keys = ["k1", "k2", "k3"];

const rules: readonly Rule[] = [
  ...plan(keys.map((key) => ({ key }))),
  ...keys.flatMap((key) =>
    work(
      key,
      write(`${key}.txt`, `${key}\n`.repeat(3_000)),
      bash(`seq 1 4000 > ${key}.seq`),
      call("commit", { message: `Begin ${key}` }),
      write(`${key}.more`, `${key}\n`.repeat(3_000)),
      handoff({ message: `Do ${key}` }),
    ),
  ),
].map((rule) => ({ delayMs: 200, ...rule }));

export async function fullDiskRun({ fillAfterMs, freeBytes }: FullDiskPlan): Promise<FullDiskRun> {
  using place = sandbox();
  const repository = join(place.root, "repository");
  makeRepository(repository, { "a.txt": { kind: "file", bytes: "one\n" } });
  const model = writeScript(join(place.root, "script.json"), rules);
  using disk = smallDisk(place);
  const args = ["swarm", "Reach the goal", "--repo", repository, "--model", model, "--workers", "3", "--json"];
  const started = startSkein(place, { args });
  while (fillAfterMs !== null && started.child.exitCode === null && !started.stderr().includes(" planning"))
    await delay(20);
  if (fillAfterMs !== null) {
    await delay(fillAfterMs);
    disk.fill(freeBytes);
  }
  const first = await started.ended;
  const json = lastJson(first);
  const [listed] = JSON.parse((await skein(place, { args: ["runs", "--json"] })).stdout);
  disk.empty();
  const resume = ["swarm", "--resume", String(json.runId), "--json"];
  const last = json.resume === null ? json : lastJson(await skein(place, { args: resume }));
  const { failed, done } = json.tasks as { readonly failed: number; readonly done: number };
  return {
    state: json.state,
    listed: listed.state,
    reason: json.reason,
    next: json.next,
    failedTasks: failed,
    shownDone: Math.max(0, (first.stderr.match(/ k\d done/g) ?? []).length - done),
    showsStack: /\n\s+at .+:\d+/.test(first.stderr),
    tree: git(repository, ["rev-parse", `${last.branch}^{tree}`]),
    end: last.state,
  };
}

interface SmallDisk extends Disposable {
  fill(freeBytes: number): void;
  empty(): void;
}

function smallDisk({ state }: Sandbox): SmallDisk {
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", state]);
  const filler = join(state, "filler");
  return {
    fill(freeBytes) {
      const file = openSync(filler, "w");
      const block = Buffer.alloc(4_096);
      try {
        for (;;) writeSync(file, block);
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
      } finally {
        closeSync(file);
      }
      truncateSync(filler, Math.max(0, statSync(filler).size - freeBytes));
    },
    empty: () => rmSync(filler, { force: true }),
    [Symbol.dispose]: () => void execFileSync("umount", ["--lazy", state]),
  };
}
