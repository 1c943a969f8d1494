// A report as Markdown: what a terminal shows, and what is kept with a change. Texts of models and suites are data: cleaned, on one
// line, and without the characters by which Markdown or HTML would take them for anything else.

import { cleanLine, cleanText } from "../base/text.ts";
import { probabilityText, rateText, summaryText, valueText } from "./figure-text.ts";
import type { Count, ExcludedRun, Group, GroupDifference, Report, RunLine, Source, TaskReport } from "./report.ts";
import {
  differenceSentences,
  excludedText,
  isScripted,
  knownFigures,
  multipleSentence,
  readingSentences,
  scriptedSentence,
  sourceText,
  unavailableSentence,
  waitingSentence,
} from "./sentences.ts";

const lineCharsMax = 2_000;
const answerCharsMax = 600;

export function markdownReport(report: Report): string {
  const title =
    report.kind === "comparison" ? `Comparison: ${plain(report.suite)}` : `Evaluation: ${plain(report.suite)}`;
  const parts = [
    `# ${title}`,
    ...(isScripted(report) ? [`> **Scripted.** ${scriptedSentence}`] : []),
    list(report.sources.map(sourceLine)),
    ...(report.notes.length === 0 ? [] : [list(report.notes.map((note) => `Note: ${plain(note)}`))]),
    ...report.tasks.flatMap((task) => taskParts(task, report)),
    ...excludedParts(report.excluded),
    "## How to read this",
    list(readingSentences(report.statistics).map(plain)),
  ];
  return `${parts.join("\n\n")}\n`;
}

function sourceLine(source: Source): string {
  return `${source.side === null ? "" : `**${plain(source.side)}**: `}${plain(sourceText(source))}`;
}

function taskParts(task: TaskReport, report: Report): readonly string[] {
  const waiting = task.groups.flatMap((_, group) => waitingSentence(task, group) ?? []);
  return [
    `## ${plain(task.task)}`,
    plain(task.about),
    list(task.groups.map(({ label, changes }) => `**${plain(label)}**: ${plain(changes)}`)),
    ratesTable(task.groups),
    ...(waiting.length === 0 ? [] : ["### Whose time it is", list(waiting.map(plain))]),
    ...task.differences.flatMap((difference) => differenceParts(task, difference, report)),
    ...optional(multipleSentence(task, report.statistics)).map(plain),
    "### Figures",
    "Median (min–max) and the number of runs.",
    table(
      ["figure", ...task.groups.map(({ label }) => label), "status"],
      knownFigures(task).map(({ label, unit, groups, status }) => [
        label,
        ...groups.map((group) => summaryText(group, unit)),
        status,
      ]),
    ),
    ...optional(unavailableSentence(task)).map(plain),
    ...countsParts(task.groups),
    "### Runs",
    runsTable(task),
    ...failedParts(task),
  ];
}

function ratesTable(groups: readonly Group[]): string {
  const most = Math.max(0, ...groups.map(({ passAtK }) => passAtK.length));
  const head = ["condition", "runs", "passed", "value right", "format right", "done as asked"];
  const ks = most === 0 ? [] : [...new Set([1, most])];
  const heads = [...head, ...ks.flatMap((k) => [`pass@${k}`, `pass^${k}`])];
  return table(
    heads,
    groups.map((group) => [
      group.label,
      String(group.runs),
      rateText(group.passed),
      rateText(group.valueRight),
      rateText(group.formatRight),
      rateText(group.processRight),
      ...ks.flatMap((k) => [chance(group.passAtK, k), chance(group.passHatK, k)]),
    ]),
  );
}

function chance(values: readonly number[], k: number): string {
  const value = values[k - 1];
  return value === undefined ? "unavailable" : probabilityText(value);
}

function differenceParts(task: TaskReport, { from, to, figures }: GroupDifference, report: Report): readonly string[] {
  const [before, after] = [task.groups[from]?.label ?? "", task.groups[to]?.label ?? ""];
  return [
    `### ${plain(after)} against ${plain(before)}`,
    list(differenceSentences(figures, report.statistics).map(plain)),
  ];
}

function countsParts(groups: readonly Group[]): readonly string[] {
  const kinds: readonly (readonly [string, (group: Group) => readonly Count[]])[] = [
    ["Calls in one response", (group) => group.callsPerResponse],
    ["Delegations in one response", (group) => group.delegationsPerResponse],
    ["Forms of children's results", (group) => group.childForms],
    ["Known ways of being wrong", (group) => group.causes],
    ["Kinds of failure", (group) => group.failures],
  ];
  const rows = kinds
    .filter(([, of]) => groups.some((group) => of(group).length > 0))
    .map(([name, of]) => [name, ...groups.map((group) => countsText(of(group)))]);
  if (rows.length === 0) return [];
  return ["### How often", table(["", ...groups.map(({ label }) => label)], rows)];
}

/** `1: 12 times, 3: 5 times`. */
function countsText(counts: readonly Count[]): string {
  return counts.length === 0 ? "none" : counts.map(({ name, count }) => `${name}: ${count}×`).join(", ");
}

function runsTable(task: TaskReport): string {
  return table(
    ["run", "condition", "passed", "value", "format", "as asked", "wall", "waiting for the model"],
    task.runs.map((run) => [
      run.id,
      task.groups[run.group]?.label ?? "",
      yes(run.passed),
      yes(run.valueRight),
      yes(run.formatRight),
      yes(run.processRight),
      run.wallMs === null ? "unavailable" : valueText(run.wallMs, "ms"),
      run.waitingMs === null ? "unavailable" : valueText(run.waitingMs, "ms"),
    ]),
  );
}

function failedParts(task: TaskReport): readonly string[] {
  const failed = task.runs.filter(({ passed }) => !passed);
  if (failed.length === 0) return [];
  return ["### Runs that did not pass", failed.map((run) => failedRun(run, task.groups)).join("\n\n")];
}

function failedRun(run: RunLine, groups: readonly Group[]): string {
  const reasons = [...(run.failure === null ? [] : [run.failure]), ...run.checksFailed].map(plain);
  const answer = cleanText(run.answer, answerCharsMax);
  return [
    `**${plain(run.id)}** (${plain(groups[run.group]?.label ?? "")})`,
    list(reasons),
    answer === "" ? "It answered nothing." : "Its answer:",
    ...(answer === ""
      ? []
      : [
          answer
            .split("\n")
            .map((line) => `    ${line}`)
            .join("\n"),
        ]),
  ].join("\n\n");
}

function excludedParts(excluded: readonly ExcludedRun[]): readonly string[] {
  if (excluded.length === 0) return ["## Excluded runs", "None."];
  return [
    "## Excluded runs",
    "They are kept, and no figure counts them.",
    list(excluded.map((run) => plain(excludedText(run)))),
  ];
}

function yes(value: boolean | null): string {
  return value === null ? "not checked" : value ? "yes" : "no";
}

function optional(text: string | null): readonly string[] {
  return text === null ? [] : [text];
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join("\n");
}

/** Columns padded, so that the source is readable too. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map(plain));
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => (row[column] ?? "").length)));
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, column) => (row[column] ?? "").padEnd(width)).join(" | ")} |`;
  const [first = [], ...others] = cells;
  return [line(first), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...others.map(line)].join("\n");
}

/** What Markdown would take for markup: of `_`, `&`, `~` and `>` only where it does. */
const MARKUP = /[\\`*[<|]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|&(?=[#A-Za-z0-9]+;)|~(?=~)|^[>#]/g;

/** Text that Markdown shows as it is, on one line. */
function plain(text: string): string {
  return cleanLine(text, lineCharsMax).replace(MARKUP, "\\$&");
}
