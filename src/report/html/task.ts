// One task of a report: how often it was done right, whose time it was, what differs between the groups, box plots and all figures, and
// the time line of every run.

import { differenceText, probabilityText, rateText, shareText, summaryText, valueText } from "../figure-text.ts";
import type {
  Count,
  FigureDifference,
  FigureRow,
  Group,
  GroupDifference,
  Judgement,
  StatisticsUsed,
  TaskReport,
} from "../report.ts";
import { knownFigures, multipleSentence, unavailableSentence, untoldSentences, waitingSentence } from "../sentences.ts";
import { boxPlot } from "./box-plot.ts";
import { html, Markup, nothing } from "./escape.ts";
import { scaleOf } from "./scale.ts";
import { SPAN_NAMES, timeLine } from "./time-line.ts";

export function taskSection(task: TaskReport, index: number, statistics: StatisticsUsed): Markup {
  const waiting = task.groups.flatMap((_, group) => waitingSentence(task, group) ?? []);
  const multiple = multipleSentence(task, statistics);
  return html`<h2 id="task-${index}">${task.task}</h2>
<p>${task.about}</p>
<ul>${task.groups.map(({ label, changes }) => html`<li><b>${label}</b>: ${changes}</li>`)}</ul>
${ratesTable(task.groups)}
${waiting.length === 0 ? nothing : html`<h3>Whose time it is</h3><ul>${waiting.map((sentence) => html`<li>${sentence}</li>`)}</ul>`}
${task.differences.map((difference) => differenceTable(task, difference))}
${optional(multiple)}
${plots(task)}
<h3>All figures</h3>
<p class="quiet">Median (min–max) and the number of runs.</p>
${table(
  ["figure", ...task.groups.map(({ label }) => label), "status"],
  knownFigures(task).map(({ label, unit, groups, status }) => [
    label,
    ...groups.map((group) => unbroken(summaryText(group, unit))),
    status,
  ]),
)}
${optional(unavailableSentence(task))}
${countsTable(task.groups)}
${failedRuns(task)}
${timeLines(task)}
`;
}

function ratesTable(groups: readonly Group[]): Markup {
  const most = Math.max(0, ...groups.map(({ passAtK }) => passAtK.length));
  const ks = Array.from({ length: most }, (_, index) => index + 1);
  const chances = (values: readonly number[]) =>
    values.length === 0
      ? "unavailable"
      : // On a narrow page a line ends between two of them, never within one.
        values.map((value, index) => `${index + 1}:\u00a0${probabilityText(value)}`).join(" · ");
  return table(
    [
      "condition",
      "runs",
      "passed",
      "value right",
      "format right",
      "done as asked",
      ...(ks.length === 0 ? [] : ["pass@k", "pass^k"]),
    ],
    groups.map((group) => [
      group.label,
      String(group.runs),
      rateText(group.passed),
      rateText(group.valueRight),
      rateText(group.formatRight),
      rateText(group.processRight),
      ...(ks.length === 0 ? [] : [chances(group.passAtK), chances(group.passHatK)]),
    ]),
  );
}

function differenceTable(task: TaskReport, { from, to, figures }: GroupDifference): Markup {
  const [before, after] = [task.groups[from]?.label ?? "", task.groups[to]?.label ?? ""];
  const rows = figures.flatMap((figure) => differenceRow(figure) ?? []);
  const rest = untoldSentences(figures).map((sentence) => html`<p class="quiet">${sentence}</p>`);
  return html`<h3>${after} against ${before}</h3>
<div class="wide"><table class="compared"><thead><tr><th>figure</th><th>${before}</th><th>${after}</th><th>difference</th><th>interval</th><th>can it be told from noise?</th></tr></thead><tbody>${rows}</tbody></table></div>${rest}
`;
}

/** Null for one that is told in a sentence below the table. */
function differenceRow(figure: FigureDifference): Markup | null {
  if (figure.kind === "unavailable" || figure.judgement === "equal") return null;
  const { label, unit, fromValue, toValue, difference, low, high, judgement } = figure;
  const share = shareText(difference, fromValue, unit);
  const told = judgement === "differs" ? new Markup(` class="differs"`) : nothing;
  const interval = judgement === "too-few" ? "" : `${differenceText(low, unit)} to ${differenceText(high, unit)}`;
  return html`<tr><td>${label}</td><td>${valueText(fromValue, unit)}</td><td>${valueText(toValue, unit)}</td><td>${differenceText(difference, unit)}${share === null ? "" : ` (${share})`}</td><td>${interval}</td><td${told}>${TOLD[judgement]}</td></tr>`;
}

const TOLD: Readonly<Record<Judgement, string>> = {
  differs: "yes",
  noise: "no",
  equal: "no",
  "too-few": "too few runs to tell",
};

/** What is plotted, where any run has it and not all are alike: the rest is in the table. */
function plots(task: TaskReport): Markup {
  const rows = task.figures.filter(varies);
  if (rows.length === 0) return nothing;
  const labels = task.groups.map(({ label }) => label);
  const plotsOf = (some: readonly FigureRow[]) =>
    html`<div class="plots">${some.map((row) => boxPlot(row, labels))}</div>`;
  const parts = rows.filter(({ name }) => PART.test(name));
  return html`<h3>Box plots</h3>
<p class="quiet">Each dot is a run; the box holds the middle half, the thick line is the median, the thin one goes from the least to the greatest. Figures that are alike in every run, or unavailable, are in the table only.</p>
${plotsOf(rows.filter(({ name }) => !PART.test(name)))}
${parts.length === 0 ? nothing : html`<details><summary>${parts.length} more, of parent and children apart</summary>${plotsOf(parts)}</details>`}
`;
}

/** Figures of which the whole stands among them too. */
const PART = /(?:Parent|Children)$/;

function varies({ groups }: FigureRow): boolean {
  return new Set(groups.flatMap((group) => (group.kind === "known" ? group.values : []))).size > 1;
}

function countsTable(groups: readonly Group[]): Markup {
  const kinds: readonly (readonly [string, (group: Group) => readonly Count[]])[] = [
    ["calls in one response", (group) => group.callsPerResponse],
    ["delegations in one response", (group) => group.delegationsPerResponse],
    ["forms of children's results", (group) => group.childForms],
    ["known ways of being wrong", (group) => group.causes],
    ["kinds of failure", (group) => group.failures],
  ];
  const said = (counts: readonly Count[]) =>
    counts.length === 0 ? "none" : counts.map(({ name, count }) => `${name}: ${count}×`).join(", ");
  const rows = kinds
    .filter(([, of]) => groups.some((group) => of(group).length > 0))
    .map(([name, of]) => [name, ...groups.map((group) => said(of(group)))]);
  return rows.length === 0
    ? nothing
    : html`<h3>How often</h3>${table(["", ...groups.map(({ label }) => label)], rows)}`;
}

function failedRuns({ runs, groups }: TaskReport): Markup {
  const failed = runs.filter(({ passed }) => !passed);
  if (failed.length === 0) return nothing;
  const items = failed.map((run) => {
    const reasons = [...(run.failure === null ? [] : [run.failure]), ...run.checksFailed];
    const answer = run.answer === "" ? html`<p class="quiet">It answered nothing.</p>` : html`<pre>${run.answer}</pre>`;
    return html`<h4>${run.id} <span class="quiet">${groups[run.group]?.label ?? ""}</span></h4><ul>${reasons.map((reason) => html`<li>${reason}</li>`)}</ul>${answer}`;
  });
  return html`<h3>Runs that did not pass</h3>${items}`;
}

function timeLines({ runs }: TaskReport): Markup {
  const scale = scaleOf(runs.map(({ timeLine }) => timeLine.endMs));
  const names = [...Object.entries(SPAN_NAMES), ["queued", "queued"], ["tool failed", "failed"]];
  const key = names.map(
    ([kind = "", name = ""]) =>
      html`<span><svg class="line"><rect class="${kind}" width="100%" height="100%"/></svg>${name}</span>`,
  );
  return html`<h3>Time lines</h3>
<div class="key">${key}</div>
${runs.map((run) => timeLine(run, scale))}
`;
}

/** `n = 5` on one line. */
function unbroken(text: string): string {
  return text.replaceAll(" = ", "\u00a0=\u00a0");
}

function optional(sentence: string | null): Markup {
  return sentence === null ? nothing : html`<p class="quiet">${sentence}</p>`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): Markup {
  const body = rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`);
  return html`<div class="wide"><table><thead><tr>${head.map((cell) => html`<th>${cell}</th>`)}</tr></thead><tbody>${body}</tbody></table></div>
`;
}
