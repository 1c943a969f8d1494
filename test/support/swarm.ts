// One small swarm through the real program: its repository, its script, and everything it left to look at.

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { git } from "../../src/testing/git/real-repository.ts";
import type { Sandbox } from "./sandbox.ts";
import { type Rule, writeScript } from "./script.ts";
import { type Ended, lastJson, type Started, startSkein } from "./skein.ts";
import { readStore, type StoreView } from "./store.ts";

export interface SwarmSetup {
  readonly repository: string;
  readonly rules: readonly Rule[];
  readonly flags?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface SwarmOutcome {
  readonly ended: Ended;
  readonly json: Readonly<Record<string, unknown>>;
  readonly store: StoreView;
}

export function startSwarm(sandbox: Sandbox, { repository, rules, flags = [], ...more }: SwarmSetup): Started {
  const model = writeScript(join(sandbox.root, "script.json"), rules);
  const args = ["swarm", "Reach the goal", "--repo", repository, "--model", model, "--json", ...flags];
  return startSkein(sandbox, { args, ...more });
}

export async function swarm(sandbox: Sandbox, setup: SwarmSetup): Promise<SwarmOutcome> {
  return outcomeOf(await startSwarm(sandbox, setup).ended);
}

export async function outcomeOf(ended: Ended): Promise<SwarmOutcome> {
  const json = lastJson(ended);
  if (typeof json.store !== "string") throw new Error(`the run did not begin: ${ended.stdout}${ended.stderr}`);
  return { ended, json, store: await readStore(json.store) };
}

/** Subjects of the run's commits, oldest first, each with its task's key. */
export function landed(repository: string, { json }: SwarmOutcome): readonly string[] {
  const format = "--format=%s [%(trailers:key=Skein-Key,valueonly,separator=%x2C)]";
  const log = git(repository, ["log", "--reverse", format, `${json.base}..${json.branch}`]);
  return log === "" ? [] : log.split("\n");
}

/** The repository as its owner sees it: nothing of this may be changed by a run. */
export function ownersView(repository: string): object {
  const gitDirectory = git(repository, ["rev-parse", "--absolute-git-dir"]);
  const index = join(gitDirectory, "index");
  return {
    head: readFileSync(join(gitDirectory, "HEAD"), "utf8"),
    commit: git(repository, ["rev-parse", "HEAD"]),
    index: existsSync(index) ? createHash("sha256").update(readFileSync(index)).digest("hex") : null,
    // Without a lock, or looking would change the index.
    status: git(repository, ["--no-optional-locks", "status", "--porcelain=v1", "--ignored"]),
    otherRefs: git(repository, ["for-each-ref", "--format=%(refname) %(objectname)"])
      .split("\n")
      .filter((line) => !line.startsWith("refs/heads/skein/")),
  };
}
