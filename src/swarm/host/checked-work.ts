// What a worker's "done" rests on. Invariant: what is handed over is what the task's check passed on, and "done" without a change
// and without a check is no answer.

import type { ToolAnswer } from "../../agent/tool.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { cleanLine } from "../../base/text.ts";
import type { Work } from "../../protocol/messages.ts";
import type { Handoff } from "../records.ts";
import { runCheck } from "./checks.ts";
import type { HostEnvironment } from "./environment.ts";
import type { RoleSetup } from "./job.ts";
import type { HandoffInput } from "./tools/handoff.ts";
import type { Workbench } from "./workbench.ts";

export interface CheckedWork {
  /** Null where everything is committed already. */
  readonly work: Work | null;
  readonly report: Handoff;
}

const pathsShownMax = 20;

/** Collects what is left and runs the check on it; the error is what the agent is answered, which may go on. */
export async function checkedWork(
  environment: HostEnvironment,
  { job, signal }: Pick<RoleSetup, "job" | "signal">,
  bench: Workbench,
  { report, message: given, outsideScopeReason }: HandoffInput,
): Promise<Result<CheckedWork, ToolAnswer>> {
  const message = given.trim() === "" ? cleanLine(report.summary.split("\n")[0] ?? "", 200) : given;
  const work = await bench.collect(message, outsideScopeReason);
  if (!work.ok) return refusal(work.error);
  const unchanged = work.value === null && !bench.hasCommitted;
  if (job.check === null) return unchanged ? refusal(nothingDone) : ok({ work: work.value, report });
  const { agent } = job.lease;
  environment.client.activity(agent, `check: ${cleanLine(job.check, 100)}`);
  const check = await runCheck(environment, { agent, command: job.check, directory: bench.root, signal });
  if (check.kind === "cancelled") return err({ kind: "cancelled", text: "cancelled: the task's check was stopped" });
  if (check.kind === "unable")
    return err({ kind: "fault", text: `the task's check could not be run: ${job.check}\n${check.output}` });
  const after = await bench.collect(message, outsideScopeReason);
  const changed = after.ok ? changedPaths(work.value, after.value) : [];
  if (check.kind === "failed") {
    const also = changed.length === 0 ? "" : `\nThese files changed while it ran: ${shown(changed)}`;
    return refusal(`the task's check fails, so it is not done: ${job.check}\n${check.output}${also}`);
  }
  if (!after.ok) return refusal(`the task's check passes, but what it left is ${after.error}`);
  if (changed.length > 0) return refusal(changedByCheck(job.check, changed));
  if (!unchanged) return ok({ work: work.value, report });
  const summary = `Already done: nothing was changed, and the check passes on what was there. ${report.summary}`;
  return ok({ work: null, report: { ...report, summary } });
}

function refusal(text: string): Result<CheckedWork, ToolAnswer> {
  return err({ kind: "error", text });
}

const nothingDone =
  "nothing was changed and no check says that it is done. Make the change; if the task needs none or cannot be done, " +
  'hand off with status "failed" and say why in the summary';

function changedByCheck(command: string, paths: readonly string[]): string {
  return (
    `the task's check passes, but it changed these files: ${shown(paths)}. It has not passed on what they hold now, so nothing ` +
    `is committed yet: hand off again to commit them after another check, or have .gitignore name them. The check: ${command}`
  );
}

function shown(paths: readonly string[]): string {
  const more = paths.length > pathsShownMax ? ` and ${paths.length - pathsShownMax} more` : "";
  return `${paths
    .slice(0, pathsShownMax)
    .map((path) => cleanLine(path, 200))
    .join(", ")}${more}`;
}

/** Paths that one of the two has and the other has not, or has otherwise. */
function changedPaths(before: Work | null, after: Work | null): readonly string[] {
  const left = forms(before);
  const right = forms(after);
  return [...new Set([...left.keys(), ...right.keys()])].filter((path) => left.get(path) !== right.get(path)).sort();
}

function forms(work: Work | null): ReadonlyMap<string, string> {
  const changes = work?.changes ?? [];
  return new Map(
    changes.map((change) => [change.path, change.kind === "put" ? `${change.mode} ${change.blob}` : "deleted"]),
  );
}
