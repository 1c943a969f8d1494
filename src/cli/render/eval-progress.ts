// What is said while a suite runs, when it ends, and when results are judged again: one line a run.

import type { JudgedAgain } from "../../app/eval-judge.ts";
import type { EvalEnd, PlannedEval } from "../../app/eval-run.ts";
import { unreachable } from "../../base/assert.ts";
import { capLine } from "../../base/text.ts";
import type { Figure } from "../../evals/figure.ts";
import { slotName } from "../../evals/plan.ts";
import type { EvalProgress } from "../../evals/run-suite.ts";
import type { Verdict } from "../../evals/verdict.ts";
import { duration, plural } from "./figures.ts";

const shownMax = 10;

export function startLines({ plan, directory, resumed, scripted, solutions, notes }: PlannedEval): readonly string[] {
  const conditions = plan.conditions.map(({ name }) => name).join(", ");
  const scale = plan.scale === null || plan.scale === 1 ? "" : `, its delays times ${plan.scale}`;
  const label = scripted ? " (scripted: this tests the harness, and is no finding about models)" : "";
  return [
    `suite ${plan.suite}, ${plan.order.length} runs: ${plan.tasks.map(({ name }) => name).join(", ")} in ${conditions}`,
    `model ${plan.model}${scale}${label}; seed ${plan.seed}`,
    resumed
      ? `goes on with ${directory}`
      : `${plural(solutions, "solution")} of the suite run, each judged as it should be; results in ${directory}`,
    ...notes,
  ];
}

/** Null for what only a screen that is redrawn would show. */
export function progressLine(event: EvalProgress, passedMs: number): string | null {
  switch (event.kind) {
    case "begin":
      return event.before === 0 ? null : `${event.before} of ${event.total} were done before`;
    case "started":
      return null;
    case "stopped":
      return `${slotName(event.slot)} was given up, and is run again by the next start`;
    case "ended": {
      const { done, total, slot, record, verdict } = event;
      const { wallMs, requests } = record.figures;
      const wall = known(wallMs, duration);
      return `[${done}/${total}] ${slotName(slot)}: ${outcome(verdict)}, ${wall}, ${known(requests, String)} requests${done === total ? ` (all after ${duration(passedMs)})` : ""}`;
    }
    default:
      return unreachable(event);
  }
}

export function evalEndLines({ total, done, before, stopped, directory }: EvalEnd, suite: string): readonly string[] {
  if (total === 0) return ["stopped before anything was measured"];
  const left = total - done;
  if (left > 0)
    return [
      `${done} of ${total} runs are done and kept in ${directory}`,
      `${stopped ? "go on" : "then go on"} with the same command: skein eval run ${capLine(suite, 200)} …`,
    ];
  return before === total ? [`all ${total} runs were done before; --runs makes more, --out measures anew`] : [];
}

export function judgedLines(judged: JudgedAgain): readonly string[] {
  const { directory, judged: count, passed, excluded, changed, missing, damaged } = judged;
  return [
    `${plural(count, "run")} of ${directory} judged again: ${passed} passed, ${excluded} excluded, ${plural(changed.length, "verdict")} changed`,
    ...changed.slice(0, shownMax).map((slot) => `  changed: ${slotName(slot)}`),
    ...(changed.length > shownMax ? [`  and ${changed.length - shownMax} more`] : []),
    ...(missing === 0 ? [] : [`${plural(missing, "run")} not measured yet`]),
    ...damaged.map(({ slot, message }) => `${slotName(slot)} cannot be read: ${capLine(message, 500)}`),
  ];
}

function outcome({ passed, excluded, failure }: Verdict): string {
  if (excluded !== null) return `excluded (${excluded.reason}: ${capLine(excluded.detail, 200)})`;
  if (passed) return "passed";
  return failure === null ? "not passed" : `not passed (${failure.kind}: ${capLine(failure.detail, 200)})`;
}

function known({ value }: Figure, shown: (value: number) => string): string {
  return value === null ? "unavailable" : shown(value);
}
