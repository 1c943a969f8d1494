// One task of a report: its groups, a row for each figure, the differences between groups, and its runs.

import { capText } from "../../base/text.ts";
import type { FigureRow, FigureSummary, Report, RunLine, TaskReport } from "../../report/report.ts";
import { FIGURE_NAMES, FIGURES, type FigureName } from "../figure.ts";
import { slotName } from "../plan.ts";
import { median, quantile } from "../statistics.ts";
import { groupDifference } from "./difference.ts";
import { groupOf, type JudgedRun } from "./group.ts";
import { timeLineOf } from "./time-line.ts";

const answerCharsMax = 2_000;

export interface GroupSource {
  readonly side: string | null;
  readonly condition: string;
  readonly changes: string;
  readonly runs: readonly JudgedRun[];
}

export interface TaskSource {
  readonly task: string;
  readonly about: string;
  readonly kind: Report["kind"];
  readonly groups: readonly GroupSource[];
}

export function taskReport({ task, about, kind, groups }: TaskSource): TaskReport {
  const pairs = kind === "report" ? againstFirst(groups) : betweenSides(groups);
  return {
    task,
    about,
    groups: groups.map((group) => groupOf(labelOf(group), group.changes, group.runs)),
    figures: FIGURE_NAMES.map((name) => figureRow(name, groups)),
    differences: pairs.flatMap(({ from, to }) => {
      const [before, after] = [groups[from], groups[to]];
      return before === undefined || after === undefined
        ? []
        : [{ from, to, figures: groupDifference(before.runs, after.runs) }];
    }),
    runs: groups.flatMap((group, index) => group.runs.map((run) => runLine(run, group, index))),
  };
}

function labelOf({ side, condition }: GroupSource): string {
  return side === null ? condition : `${side} ${condition}`;
}

interface Pair {
  readonly from: number;
  readonly to: number;
}

/** The suite's first condition is what all others are compared with. */
function againstFirst(groups: readonly GroupSource[]): readonly Pair[] {
  return groups.slice(1).map((_, index) => ({ from: 0, to: index + 1 }));
}

function betweenSides(groups: readonly GroupSource[]): readonly Pair[] {
  return groups.flatMap(({ side, condition }, from) => {
    const to = groups.findIndex((group, index) => index > from && group.condition === condition && group.side !== side);
    return to === -1 ? [] : [{ from, to }];
  });
}

function figureRow(name: FigureName, groups: readonly GroupSource[]): FigureRow {
  const { label, unit, about } = FIGURES[name];
  const figures = groups.flatMap(({ runs }) => runs.map(({ record }) => record.figures[name]));
  const statuses = new Set(figures.map(({ status }) => status));
  const [measured, derived] = [statuses.has("measured"), statuses.has("derived")];
  const known = derived ? "derived" : measured ? "measured" : "unavailable";
  return {
    name,
    label,
    unit,
    about,
    status: measured && derived ? "measured and derived" : known,
    groups: groups.map(({ runs }) => summaryOf(name, runs)),
  };
}

function summaryOf(name: FigureName, runs: readonly JudgedRun[]): FigureSummary {
  const values = runs.flatMap(({ record }) => record.figures[name].value ?? []);
  const unavailable = runs.length - values.length;
  if (values.length === 0) return { kind: "unavailable", unavailable };
  return {
    kind: "known",
    median: median(values),
    min: Math.min(...values),
    max: Math.max(...values),
    lowerQuartile: quantile(values, 0.25),
    upperQuartile: quantile(values, 0.75),
    n: values.length,
    unavailable,
    values,
  };
}

function runLine({ slot, record, verdict }: JudgedRun, { side }: GroupSource, group: number): RunLine {
  const { failure, checks, passed, valueRight, formatRight, processRight } = verdict;
  const failed = checks.filter((check) => !check.passed);
  // A failure that only repeats the checks is its kind alone.
  const isCheck = failure?.detail === failed.map(({ name, detail }) => `${name}: ${detail}`).join("; ");
  const { wallMs, waitingMs } = record.figures;
  return {
    id: side === null ? slotName(slot) : `${side}/${slotName(slot)}`,
    group,
    repetition: slot.repetition,
    model: record.models.join(", "),
    passed,
    valueRight,
    formatRight,
    processRight,
    failure: failure === null ? null : `kind of failure: ${failure.kind}${isCheck ? "" : `: ${failure.detail}`}`,
    checksFailed: failed.map(
      ({ name, detail, cause }) => `${name}: ${detail}${cause === null ? "" : ` (known: ${cause})`}`,
    ),
    answer: capText(record.answer, answerCharsMax),
    wallMs: wallMs.value,
    waitingMs: waitingMs.value,
    timeLine: timeLineOf(record),
  };
}
