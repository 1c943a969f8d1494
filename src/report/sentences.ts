// The plain sentences of a report, the same in every view: what the runs are evidence of, what part of the time is the model's, and
// whether two groups can be told apart. They say no more than the figures do.

import { unreachable } from "../base/assert.ts";
import { differenceText, shareText, valueText } from "./figure-text.ts";
import type {
  ExcludedRun,
  FigureDifference,
  FigureRow,
  Judgement,
  Report,
  Source,
  StatisticsUsed,
  TaskReport,
} from "./report.ts";

/** What is said first wherever a scripted model took part. */
export const scriptedSentence =
  "Scripted model: answers, token counts and latencies were written beforehand, and no real model was asked. These runs test the harness and this report; they are no finding about models.";

export function isScripted(report: Report): boolean {
  return report.sources.some(({ scripted }) => scripted);
}

/** `wall time: 18.3 s → 10.9 s, −7.4 s (−40 %), 95 % interval −8.1 s to −6.6 s: more than noise.` */
export function differenceSentences(
  figures: readonly FigureDifference[],
  statistics: StatisticsUsed,
): readonly string[] {
  const told = figures.flatMap((figure) => {
    if (figure.kind === "unavailable" || figure.judgement === "equal") return [];
    const { label, unit, fromValue, toValue, difference, judgement, low, high } = figure;
    const share = shareText(difference, fromValue, unit);
    const change = `${differenceText(difference, unit)}${share === null ? "" : ` (${share})`}`;
    const interval = `, ${percent(statistics.confidence)} interval ${differenceText(low, unit)} to ${differenceText(high, unit)}`;
    const medians = `${valueText(fromValue, unit)} → ${valueText(toValue, unit)}`;
    return `${label}: ${medians}, ${change}${judgement === "too-few" ? "" : interval}: ${judgementText(judgement, statistics)}.`;
  });
  return [...told, ...untoldSentences(figures)];
}

/** Names those without a difference to tell, so that they are not looked for in vain. */
export function untoldSentences(figures: readonly FigureDifference[]): readonly string[] {
  const equal = figures.flatMap((figure) =>
    figure.kind === "compared" && figure.judgement === "equal"
      ? [`${figure.label} ${valueText(figure.fromValue, figure.unit)}`]
      : [],
  );
  const unknown = figures.flatMap((figure) =>
    figure.kind === "unavailable" ? [`${figure.label} (known in ${figure.runsFrom} and ${figure.runsTo} runs)`] : [],
  );
  return [
    ...(equal.length === 0 ? [] : [`The same in every run of both: ${equal.join("; ")}.`]),
    ...(unknown.length === 0 ? [] : [`Cannot be compared, one side does not know them: ${unknown.join("; ")}.`]),
  ];
}

/** Whether a difference can be told from noise. */
function judgementText(judgement: Judgement, { runsMin }: StatisticsUsed): string {
  switch (judgement) {
    case "equal":
      return "the same in every run of both";
    case "differs":
      return "more than noise";
    case "noise":
      return "cannot be told from noise";
    case "too-few":
      return `too few runs to tell it from noise: ${runsMin} a side are needed`;
    default:
      return unreachable(judgement);
  }
}

/** What is said of a comparison as a whole: how often chance alone would look like a difference. */
export function multipleSentence(task: TaskReport, { confidence }: StatisticsUsed): string | null {
  const judged = task.differences
    .flatMap(({ figures }) => figures)
    .filter((figure) => figure.kind === "compared" && (figure.judgement === "differs" || figure.judgement === "noise"));
  if (judged.length < 2) return null;
  const chance = Math.round(1 / (1 - confidence));
  return `${judged.length} comparisons were made. Where nothing differs, about one in ${chance} of them would still come out as "more than noise", more often with few runs: trust a difference that was expected beforehand or comes again in new runs.`;
}

/** What part of a group's time is the model's; null where either figure is not known. */
export function waitingSentence(task: TaskReport, group: number): string | null {
  const [wall, waiting] = ["wallMs", "waitingMs"].map((name) => median(task, name, group));
  const label = task.groups[group]?.label ?? "";
  if (wall === null || waiting === null || wall === undefined || waiting === undefined || wall <= 0) return null;
  const share = percent(Math.min(1, waiting / wall));
  const own = median(task, "workingMs", group);
  const rest = own === null ? "" : `; ${valueText(own, "ms")} was skein's own work and its tools'`;
  return `${label}: of ${valueText(wall, "ms")} (medians), ${valueText(waiting, "ms")} (${share}) passed while a model request was open${rest}.`;
}

/** Those that any run has. */
export function knownFigures({ figures }: TaskReport): readonly FigureRow[] {
  return figures.filter(({ status }) => status !== "unavailable");
}

/** Names those that no run has; null where there are none. */
export function unavailableSentence({ figures }: TaskReport): string | null {
  const labels = figures.filter(({ status }) => status === "unavailable").map(({ label }) => label);
  return labels.length === 0 ? null : `Unavailable in every run: ${labels.join("; ")}.`;
}

/** Directory, runs, model, when. */
export function sourceText(source: Source): string {
  const { directory, runsCounted, runsExcluded, runsMissing, models, scripted, skeinVersions, seeds } = source;
  const missing = runsMissing === null || runsMissing === 0 ? "" : `, ${runsMissing} not run yet`;
  const { firstAtMs: first, lastAtMs: last } = source;
  return [
    `${directory}: ${runsCounted} ${runsCounted === 1 ? "run" : "runs"} counted, ${runsExcluded} excluded${missing}`,
    `model ${models.length === 0 ? "unknown" : models.join(", ")}${scripted ? " (scripted)" : ""}`,
    ...(skeinVersions.length === 0 ? [] : [`skein ${skeinVersions.join(", ")}`]),
    ...(seeds.length === 0 ? [] : [`seed ${seeds.join(", ")}`]),
    ...(first === null || last === null ? [] : [`begun from ${moment(first)} to ${moment(last)}`]),
  ].join("; ");
}

export function excludedText({ side, task, condition, repetition, reason, detail }: ExcludedRun): string {
  return `${side === null ? "" : `${side}: `}${task}, ${condition}, run ${repetition}: ${reason}: ${detail}`;
}

/** How the figures came about. */
export function readingSentences({ confidence, resamples, seed, runsMin }: StatisticsUsed): readonly string[] {
  return [
    "A figure is the median of its runs, with the least and the greatest and the number of runs that have it. What is not known is unavailable, never 0.",
    `A difference is one of medians, of a share one of shares. Its ${percent(confidence)} interval is a percentile bootstrap: ${valueText(resamples, "count")} resamples of each side's runs, seed ${seed}. With fewer than ${runsMin} runs a side nothing is told apart.`,
    "pass@k: the chance that at least one of k runs passes; pass^k: that all k do. Both are estimated from all n runs.",
    "measured: read off what the run wrote; derived: calculated from such.",
    "In a time line each row is an agent, children below their parent, and what runs at the same time lies beneath each other.",
  ];
}

function moment(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function median(task: TaskReport, name: string, group: number): number | null {
  const summary = task.figures.find((figure) => figure.name === name)?.groups[group];
  return summary?.kind === "known" ? summary.median : null;
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}
