// One agent, and the children it delegates to, in the person's own directory: `skein run`. Its transcripts are kept like a swarm's, in the
// same id space, and a run that was stopped or killed goes on from them.

import { err, type Result } from "../base/result.ts";
import type { HeldLock } from "../host/lock.ts";
import { type FoundRun, findAnyRun } from "./find-runs.ts";
import { readRunFile, withRunFile, writeRunFile } from "./run-file.ts";
import { runLock } from "./run-lock.ts";
import { prepareRun } from "./run-prepare.ts";
import { newSession, resumedSession } from "./run-session.ts";
import { talk } from "./run-talk.ts";
import { delegationTools, runTools, toolEnvOf } from "./run-tools.ts";
import type { NewRun, ResumedRun, ResumeRunError, RunError, RunResult, RunWatcher } from "./run-types.ts";
import { claimRun } from "./state-directory.ts";
import type { Surroundings } from "./surroundings.ts";

/** UTF-16 units: a task beyond it fills a window by itself. */
const taskCharsMax = 1_200_000;

export async function runTask(
  surroundings: Surroundings,
  { task, ...options }: NewRun,
  watcher: RunWatcher,
): Promise<Result<RunResult, RunError>> {
  const wrong = wrongTask(task);
  if (wrong !== null) return err(wrong);
  const prepared = await prepareRun(surroundings, { ...options, directory: surroundings.cwd });
  if (!prepared.ok) return prepared;
  const claimed = await claimRun(surroundings, prepared.value.root);
  if (!claimed.ok) return claimed;
  const { id, directories } = claimed.value;
  const { files, locks } = surroundings.host;
  const lock = await locks.acquire(runLock({ kind: "run", directories }));
  return withLock(lock.ok ? lock.value : null, async () => {
    const made = await files.makeDirectory(directories.agents, { private: true });
    if (!made.ok) return made;
    const { root, settings } = prepared.value;
    const written = await writeRunFile(files, directories, { ...options, directory: root, task, next: null, settings });
    if (!written.ok) return written;
    return talk(surroundings, { id, directories, prepared: prepared.value, task, session: newSession(task) }, watcher);
  });
}

/** Goes on with a run where its transcript ends: what has a result is not done again, and every call gets one. */
export async function resumeTask(
  surroundings: Surroundings,
  options: ResumedRun,
  watcher: RunWatcher,
): Promise<Result<RunResult, ResumeRunError>> {
  const wrong = options.task === null ? null : wrongTask(options.task);
  if (wrong !== null) return err(wrong);
  const found = await findAnyRun(surroundings, options.run);
  if (!found.ok) return found;
  const run = found.value;
  if (run.kind !== "run") return err({ kind: "not-a-lone-run", run });
  const lock = await surroundings.host.locks.acquire(runLock(run));
  if (!lock.ok && lock.error.code === "held") return err({ kind: "lone-run-held", run: run.id });
  return withLock(lock.ok ? lock.value : null, () => goOn(surroundings, run, options, watcher));
}

async function goOn(
  surroundings: Surroundings,
  run: FoundRun,
  options: ResumedRun,
  watcher: RunWatcher,
): Promise<Result<RunResult, ResumeRunError>> {
  const { files } = surroundings.host;
  const { id, directories } = run;
  const started = await readRunFile(files, directories);
  if (started === null) return err({ kind: "lone-never-began", run });
  const { directory, task, next: toldLast } = started;
  const there = await files.realPath(directory);
  if (!there.ok) return err({ kind: "directory-gone", run, path: directory, message: there.error.message });
  const given = withRunFile(options, started);
  const prepared = await prepareRun(surroundings, { ...given, directory });
  if (!prepared.ok) return prepared;
  const tools = runTools(
    await toolEnvOf(surroundings, prepared.value.root, directories),
    prepared.value.context.skills,
  );
  const asked = { directories, started: task, next: options.task, toldLast };
  const session = await resumedSession(files, asked, [...tools, ...delegationTools]);
  if (!session.ok) {
    if (session.error.kind === "needs-task") return err({ kind: "needs-task", run: id });
    return err({ kind: "transcript", run, path: session.error.path, message: session.error.message });
  }
  const { settings } = prepared.value;
  const written = await writeRunFile(files, directories, {
    ...given,
    directory,
    task,
    next: options.task ?? toldLast,
    settings,
  });
  if (!written.ok) return written;
  return talk(surroundings, { id, directories, prepared: prepared.value, task, session: session.value }, watcher);
}

function wrongTask(task: string): Extract<RunError, { readonly kind: "empty-task" | "task-too-long" }> | null {
  if (task.trim() === "") return { kind: "empty-task" };
  const chars = task.length;
  return chars > taskCharsMax ? { kind: "task-too-long", chars, charsMax: taskCharsMax } : null;
}

async function withLock<T>(lock: HeldLock | null, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await lock?.release();
  }
}
