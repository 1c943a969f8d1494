// What a report is made of, free of how it is shown: Markdown, JSON and HTML are three views of it and calculate nothing. All texts are
// as they were recorded (capped): each view escapes and cleans them. Nothing here is a bare mean: a figure has all its values.

export const reportVersion = 1;

/** `share`: of all runs, from 0 to 1. */
export type Unit = "ms" | "count" | "tokens" | "usd" | "ratio" | "chars" | "files" | "share";

export interface Report {
  readonly version: typeof reportVersion;
  /** `comparison`: of two result directories, whose groups are told apart by A and B. */
  readonly kind: "report" | "comparison";
  readonly suite: string;
  readonly sources: readonly Source[];
  readonly statistics: StatisticsUsed;
  readonly tasks: readonly TaskReport[];
  readonly excluded: readonly ExcludedRun[];
  /** What a reader should know first: damaged records, runs that are missing. */
  readonly notes: readonly string[];
}

/** One result directory. */
export interface Source {
  /** `A` or `B` of a comparison; null for a report. */
  readonly side: string | null;
  readonly directory: string;
  readonly models: readonly string[];
  /** Some or all runs had a scripted model: then this is a test of the harness, and no finding about models. */
  readonly scripted: boolean;
  readonly skeinVersions: readonly string[];
  /** Milliseconds since the epoch of the first and the last run's start; null without any. */
  readonly firstAtMs: number | null;
  readonly lastAtMs: number | null;
  readonly seeds: readonly string[];
  readonly runsCounted: number;
  readonly runsExcluded: number;
  /** Of the suite's plan, those without a record yet; null where there is no plan to compare with. */
  readonly runsMissing: number | null;
}

export interface StatisticsUsed {
  /** Of each interval, as a fraction. */
  readonly confidence: number;
  readonly resamples: number;
  readonly seed: number | string;
  /** With fewer runs on a side nothing is told apart. */
  readonly runsMin: number;
}

export interface TaskReport {
  readonly task: string;
  readonly about: string;
  readonly groups: readonly Group[];
  readonly figures: readonly FigureRow[];
  readonly differences: readonly GroupDifference[];
  readonly runs: readonly RunLine[];
}

/** `right` of `n`; null where the task has no such check. */
export type Rate = { readonly right: number; readonly n: number } | null;

/** The runs of one condition, of one side. */
export interface Group {
  readonly label: string;
  /** What the condition changes, as the suite says. */
  readonly changes: string;
  readonly runs: number;
  readonly passed: Rate;
  readonly valueRight: Rate;
  readonly formatRight: Rate;
  readonly processRight: Rate;
  /** For k = 1 … n: that at least one of k runs passes, and that all k do. */
  readonly passAtK: readonly number[];
  readonly passHatK: readonly number[];
  readonly failures: readonly Count[];
  /** Known ways of being wrong. */
  readonly causes: readonly Count[];
  readonly callsPerResponse: readonly Count[];
  readonly delegationsPerResponse: readonly Count[];
  readonly childForms: readonly Count[];
}

export interface Count {
  readonly name: string;
  readonly count: number;
}

export interface FigureRow {
  readonly name: string;
  readonly label: string;
  readonly unit: Unit;
  readonly about: string;
  /** How it is known; `unavailable` where no run has it. */
  readonly status: "measured" | "derived" | "measured and derived" | "unavailable";
  /** In the order of the task's groups. */
  readonly groups: readonly FigureSummary[];
}

export type FigureSummary =
  | {
      readonly kind: "known";
      readonly median: number;
      readonly min: number;
      readonly max: number;
      readonly lowerQuartile: number;
      readonly upperQuartile: number;
      /** Runs that have the figure, and those that do not. */
      readonly n: number;
      readonly unavailable: number;
      /** In the order of the repetitions. */
      readonly values: readonly number[];
    }
  | { readonly kind: "unavailable"; readonly unavailable: number };

export interface GroupDifference {
  /** Places in the task's groups: `to` is compared with `from`. */
  readonly from: number;
  readonly to: number;
  readonly figures: readonly FigureDifference[];
}

/**
 * `differs`: the interval leaves 0 out. `noise`: it holds 0. `equal`: every run of both groups has the same value. `too-few`: a side has
 * fewer runs than `runsMin`.
 */
export type Judgement = "differs" | "noise" | "equal" | "too-few";

export type FigureDifference = { readonly name: string; readonly label: string; readonly unit: Unit } & (
  | {
      readonly kind: "compared";
      /** Of the medians (of a rate: of the shares), `to` minus `from`. */
      readonly difference: number;
      readonly low: number;
      readonly high: number;
      readonly fromValue: number;
      readonly toValue: number;
      readonly judgement: Judgement;
    }
  | { readonly kind: "unavailable"; readonly runsFrom: number; readonly runsTo: number }
);

export interface ExcludedRun {
  readonly side: string | null;
  readonly task: string;
  readonly condition: string;
  readonly repetition: number;
  readonly reason: string;
  readonly detail: string;
}

export interface RunLine {
  readonly id: string;
  readonly group: number;
  readonly repetition: number;
  readonly model: string;
  readonly passed: boolean;
  readonly valueRight: boolean | null;
  readonly formatRight: boolean | null;
  readonly processRight: boolean | null;
  /** Kind and detail of a failure, and the checks that failed with their causes. */
  readonly failure: string | null;
  readonly checksFailed: readonly string[];
  readonly answer: string;
  readonly wallMs: number | null;
  readonly waitingMs: number | null;
  readonly timeLine: TimeLine;
}

/** Milliseconds since the run's first recorded line. */
export interface TimeLine {
  readonly endMs: number;
  /** The first agent first, children by their start. */
  readonly agents: readonly AgentLine[];
}

export interface AgentLine {
  readonly id: string;
  readonly parent: string | null;
  readonly startMs: number;
  readonly endMs: number;
  readonly outcome: string | null;
  readonly spans: readonly Span[];
}

/** `delegation`: a call in which the agent waits for a child. */
export type SpanKind = "model" | "tool" | "delegation";

export interface Span {
  readonly kind: SpanKind;
  /** Since when it waited to begin: a request in limiters and pauses, a call behind others; null where it did not wait. */
  readonly queuedFromMs: number | null;
  /** Milliseconds before its start that hooks took, and those for the person's approval; left out for none, or where nobody knows. */
  readonly hookMs?: number;
  readonly approvalMs?: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly label: string;
  readonly failed: boolean;
}
