// What the commands that look at runs ask: all of them, one of them, and a running one to stop.

import { nullable, object, parse, text } from "../base/parse.ts";
import { err, ok, type Result } from "../base/result.ts";
import { answers } from "../protocol/messages.ts";
import { type FoundRun, findAnyRun, findRun, findRuns, type NoRun, type NotASwarm } from "./find-runs.ts";
import { askCoordinator } from "./live-run.ts";
import { type RunFacts, readRun } from "./run-facts.ts";
import type { StateError } from "./state-directory.ts";
import type { Surroundings } from "./surroundings.ts";

/** Newest first; of one kind, or all. */
export async function listRuns(
  surroundings: Surroundings,
  kind: FoundRun["kind"] | null = null,
): Promise<Result<readonly RunFacts[], StateError>> {
  const found = await findRuns(surroundings);
  if (!found.ok) return found;
  const facts: RunFacts[] = [];
  // One after the other: each holds a whole log for a moment.
  for (const run of found.value.filter((one) => kind === null || one.kind === kind))
    facts.push(await readRun(surroundings.host, run));
  return ok(facts);
}

export interface RunStatus extends RunFacts {
  /** Why agents finish their current calls and get no new ones; null while the run goes on. */
  readonly stopping: string | null;
}

/** The log tells, which a coordinator keeps at most one flush behind; the coordinator itself is asked what only it knows. */
export async function runStatus(
  surroundings: Surroundings,
  wanted: string,
): Promise<Result<RunStatus, StateError | NoRun>> {
  const found = await findAnyRun(surroundings, wanted);
  if (!found.ok) return found;
  const { host } = surroundings;
  const { directories } = found.value;
  const live = await askCoordinator(host, directories, { kind: "run_status" }, answers.run_status);
  const facts = await readRun(host, found.value);
  const stopping = live.ok && facts.state === "running" ? stoppingIn(live.value.status) : null;
  return ok({ ...facts, stopping });
}

function stoppingIn(status: string): string | null {
  try {
    const parsed = parse(object({ stopping: nullable(text(100_000)) }), JSON.parse(status), "status");
    return parsed.ok ? parsed.value.stopping : null;
  } catch {
    return null;
  }
}

export interface NotRunning {
  readonly kind: "not-running";
  readonly facts: RunFacts;
}

export type StopError =
  | StateError
  | NoRun
  | NotASwarm
  | NotRunning
  | { readonly kind: "no-answer"; readonly message: string };

/** Resolves when the coordinator has been told; it stops in order, or at once where it was told so before. */
export async function stopRun(
  surroundings: Surroundings,
  wanted: string,
  how: "graceful" | "now",
): Promise<Result<RunFacts, StopError>> {
  const found = await findRun(surroundings, wanted);
  if (!found.ok) return found;
  const { host } = surroundings;
  const ask = { kind: "stop_run", reason: "stopped by skein swarm stop", how };
  for (let attempt = 1; ; attempt++) {
    const told = await askCoordinator(host, found.value.directories, ask, answers.stop_run);
    const facts = await readRun(host, found.value);
    if (told.ok) return ok(facts);
    if (facts.state !== "running") return err({ kind: "not-running", facts });
    if (attempt === attemptsMax) return err({ kind: "no-answer", message: told.error.message });
    // Between its agents' end and its final check nobody listens for a moment.
    await host.clock.sleep(attemptPauseMs);
  }
}

const attemptsMax = 10;
const attemptPauseMs = 200;
