// What the harness benchmark prints, for people and for programs: medians of each client with their spread, and for each task and figure
// whether Skein is at or below the best peer. A row that is not is marked, and none is left out.

import { median } from "../vcs/machine.ts";
import type { ProfileLine } from "../vcs/profile.ts";
import type { ChildrenRow } from "./children.ts";
import type { Figures } from "./measure.ts";
import { TASK_NAMES, TASKS, type Task } from "./script.ts";

export interface ClientRow {
  readonly client: string;
  readonly task: Task;
  /** In the order of the runs; empty where it was not measured. */
  readonly runs: readonly Figures[];
  /** Why it was not measured, or not whole; null where all is well. */
  readonly note: string | null;
}

export interface HarnessReport {
  readonly machine: string;
  readonly loadBefore: number;
  readonly runs: number;
  readonly clients: readonly ClientRow[];
  /** CPU of one answer by what it is spent in: Skein's, and the bare loop's. */
  readonly profile: readonly ProfileLine[];
  readonly children: readonly ChildrenRow[];
}

export interface Verdict {
  readonly task: Task;
  readonly figure: FigureName;
  readonly own: number;
  readonly target: number;
  /** Whose figure the target is; null for one that is set. */
  readonly best: string | null;
  readonly met: boolean;
}

export type FigureName = "wallMs" | "cpuMs" | "peakMb" | "spanShare";

/** Differences below it are the machine's. */
const noiseShare = 0.25;
const spanShareMax = 1.05;
const tenPeakMbMax = 120;
const OWN = "skein";
const BARE = "bare loop";
const UNITS: Readonly<Record<FigureName, string>> = { wallMs: "ms", cpuMs: "ms", peakMb: "MB", spanShare: "" };
const NAMES: Readonly<Record<FigureName, string>> = {
  wallMs: "wall",
  cpuMs: "CPU",
  peakMb: "peak memory",
  spanShare: "span ÷ longest",
};

export function medianOf(runs: readonly Figures[], figure: FigureName): number | null {
  const values = runs.flatMap((run) => {
    if (figure !== "spanShare") return [run[figure]];
    return run.spanMs === null || run.longestMs === null ? [] : [run.spanMs / run.longestMs];
  });
  return values.length === 0 ? null : median(values);
}

/** For each task and figure the best peer, within noise; ten children have limits of their own. */
export function verdicts({ clients }: Pick<HarnessReport, "clients">): readonly Verdict[] {
  return TASKS.flatMap((task) => {
    const rows = clients.filter((row) => row.task === task);
    const own = rows.find(({ client }) => client === OWN)?.runs ?? [];
    const peers = rows.filter(({ client }) => client !== OWN && client !== BARE);
    const against = (["wallMs", "cpuMs", "peakMb"] as const).flatMap((figure): readonly Verdict[] => {
      const ours = medianOf(own, figure);
      const [best] = peers
        .flatMap(({ client, runs }) => ({ client, value: medianOf(runs, figure) ?? Number.POSITIVE_INFINITY }))
        .filter(({ value }) => Number.isFinite(value))
        .toSorted((a, b) => a.value - b.value);
      if (ours === null || best === undefined) return [];
      const met = ours <= best.value * (1 + noiseShare);
      return [{ task, figure, own: ours, target: best.value, best: best.client, met }];
    });
    return task === "ten" ? [...against, ...limitsOfTen(own)] : against;
  });
}

function limitsOfTen(own: readonly Figures[]): readonly Verdict[] {
  return ([["spanShare", spanShareMax] as const, ["peakMb", tenPeakMbMax] as const] as const).flatMap(
    ([figure, target]) => {
      const ours = medianOf(own, figure);
      return ours === null
        ? []
        : [{ task: "ten" as const, figure, own: ours, target, best: null, met: ours <= target }];
    },
  );
}

export function jsonOf(report: HarnessReport): string {
  const clients = report.clients.map((row) => ({
    ...row,
    medians: Object.fromEntries(Object.keys(UNITS).map((name) => [name, medianOf(row.runs, name as FigureName)])),
  }));
  return JSON.stringify({ ...report, clients, verdicts: verdicts(report) });
}

export function tableOf(report: HarnessReport): string {
  const { machine, loadBefore, runs, clients, profile, children } = report;
  return [
    `${machine}; load before ${loadBefore.toFixed(2)}; medians of ${runs} runs, ± half the spread`,
    ...TASKS.flatMap((task) =>
      taskLines(
        clients.filter((row) => row.task === task),
        task,
      ),
    ),
    "",
    "against the best peer (differences below 25 % are noise), and ten children against their limits:",
    ...verdicts(report).map(verdictLine),
    "",
    "one answer, where CPU goes (of Skein; the bare loop's below):",
    ...profile.map(({ where, share }) => `  ${`${(share * 100).toFixed(1)} %`.padStart(7)}  ${where}`),
    ...(children.length === 0 ? [] : ["", ...childrenLines(children)]),
  ].join("\n");
}

function taskLines(rows: readonly ClientRow[], task: Task): readonly string[] {
  if (rows.length === 0) return [];
  const columns = ["wall ms", "CPU ms", "peak MB", ...(task === "ten" ? ["span ms", "span ÷ longest"] : [])];
  const head = ["", ...columns]
    .map((text, at) => (at === 0 ? TASK_NAMES[task].padEnd(24) : text.padStart(16)))
    .join("");
  return ["", head, ...rows.map((row) => clientLine(row, task))];
}

function clientLine({ client, task: _task, runs, note }: ClientRow, task: Task): string {
  const said = note === null ? "" : `  (${note})`;
  if (runs.length === 0) return `${client.padEnd(24)}${"not measured".padStart(16)}${said}`;
  const cell = (values: readonly number[], digits = 0): string => {
    const spread = (Math.max(...values) - Math.min(...values)) / 2;
    return `${median(values).toFixed(digits)} ± ${spread.toFixed(digits)}`.padStart(16);
  };
  const spans = runs.flatMap(({ spanMs, longestMs }) =>
    spanMs === null || longestMs === null ? [] : [{ spanMs, longestMs }],
  );
  const ten =
    task === "ten" && spans.length > 0
      ? [
          cell(spans.map(({ spanMs }) => spanMs)),
          cell(
            spans.map(({ spanMs, longestMs }) => spanMs / longestMs),
            3,
          ),
        ]
      : [];
  const figures = (["wallMs", "cpuMs", "peakMb"] as const).map((name) => cell(runs.map((run) => run[name])));
  return `${client.padEnd(24)}${[...figures, ...ten].join("")}${said}`;
}

function verdictLine({ task, figure, own, target, best, met }: Verdict): string {
  const digits = figure === "spanShare" ? 3 : 0;
  const unit = UNITS[figure] === "" ? "" : ` ${UNITS[figure]}`;
  const wanted = `≤ ${target.toFixed(digits)}${unit}${best === null ? "" : ` (${best})`}`;
  const what = `${TASK_NAMES[task]}, ${NAMES[figure]}`;
  return `  ${what.padEnd(42)}${`${own.toFixed(digits)}${unit}`.padStart(10)}  ${wanted.padEnd(24)}${met ? "reached" : "MISSED"}`;
}

function childrenLines(rows: readonly ChildrenRow[]): readonly string[] {
  return [
    "children of one process (a server that answers each after a fixed time):",
    "children  done  all started before one ended  in order  span ms  longest ms  span/longest  KB a waiting child",
    ...rows.map(({ children, done, spanMs, longestMs, startsMs, inStartOrder, kilobytesAChild }) => {
      const together = startsMs < longestMs ? "yes" : "no";
      const ratio = (spanMs / longestMs).toFixed(3);
      return [children, done, together, inStartOrder ? "yes" : "no", spanMs, longestMs, ratio, kilobytesAChild].join(
        "  ",
      );
    }),
  ];
}
