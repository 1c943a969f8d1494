// Results directories as a report: of one, its conditions against each other; of two, each condition of one against the same of the
// other. A run counts if it was judged and not excluded; every other one is listed with the reason.

import type { ExcludedRun, Report, Source } from "../../report/report.ts";
import { reportVersion } from "../../report/report.ts";
import { slotName } from "../plan.ts";
import type { EvalResults, EvalRun } from "../results.ts";
import { statisticsUsed } from "./difference.ts";
import type { JudgedRun } from "./group.ts";
import { type GroupSource, taskReport } from "./task.ts";

/** `notes` are what whoever read more than the results found, one sentence each. */
export function reportOf(results: EvalResults, notes: readonly string[] = []): Report {
  const report = summarize("report", [sideOf(null, results)]);
  return { ...report, notes: [...report.notes, ...notes] };
}

export function comparisonOf(a: EvalResults, b: EvalResults): Report {
  return summarize("comparison", [sideOf("A", a), sideOf("B", b)]);
}

interface Side {
  readonly name: string | null;
  readonly results: EvalResults;
  readonly counted: readonly JudgedRun[];
  readonly excluded: readonly ExcludedRun[];
}

function sideOf(name: string | null, results: EvalResults): Side {
  const counted = results.runs.flatMap(({ slot, record, verdict }) =>
    verdict === null || verdict.excluded !== null ? [] : [{ slot, record, verdict }],
  );
  const excluded = results.runs.flatMap((run) => {
    const why = whyExcluded(run);
    return why === null ? [] : [{ side: name, ...run.slot, ...why }];
  });
  return { name, results, counted, excluded };
}

function whyExcluded({ verdict }: EvalRun): { readonly reason: string; readonly detail: string } | null {
  if (verdict === null)
    return { reason: "not judged", detail: "it has no verdict that can be read: skein eval judge makes one" };
  return verdict.excluded;
}

function summarize(kind: Report["kind"], sides: readonly Side[]): Report {
  const [first] = sides;
  const tasks = unique(sides.flatMap(({ results }) => results.plan.tasks.map(({ name }) => name)));
  return {
    version: reportVersion,
    kind,
    suite: unique(sides.map(({ results }) => results.plan.suite)).join(" and "),
    sources: sides.map(sourceOf),
    statistics: statisticsUsed,
    tasks: tasks.map((task) => taskReport({ task, about: aboutOf(sides, task), kind, groups: groupsOf(sides, task) })),
    excluded: sides.flatMap(({ excluded }) => excluded),
    notes: [...sides.flatMap(notesOf), ...(first === undefined ? [] : differencesOfSides(sides))],
  };
}

function aboutOf(sides: readonly Side[], task: string): string {
  const known = sides.flatMap(({ results }) => results.plan.tasks.filter(({ name }) => name === task));
  return known[0]?.about ?? "";
}

/** Conditions in the order of the plans; those that a task does not have are left out. */
function groupsOf(sides: readonly Side[], task: string): readonly GroupSource[] {
  const conditions = unique(sides.flatMap(({ results }) => results.plan.conditions.map(({ name }) => name)));
  return conditions.flatMap((condition) =>
    sides
      .filter(({ results }) => results.plan.order.some((slot) => slot.task === task && slot.condition === condition))
      .map(({ name, results, counted }) => ({
        side: name,
        condition,
        changes: results.plan.conditions.find((one) => one.name === condition)?.changes ?? "",
        runs: counted
          .filter(({ slot }) => slot.task === task && slot.condition === condition)
          .toSorted((a, b) => a.slot.repetition - b.slot.repetition),
      })),
  );
}

function sourceOf({ name, results, counted, excluded }: Side): Source {
  const records = results.runs.map(({ record }) => record);
  const starts = records.map(({ startedAtMs }) => startedAtMs);
  const models = unique(counted.flatMap(({ record }) => record.models.map(withoutSettings)));
  return {
    side: name,
    directory: results.directory,
    models: models.length === 0 ? [results.plan.model] : models,
    scripted: records.some(({ scripted }) => scripted),
    skeinVersions: unique(records.map(({ skeinVersion }) => skeinVersion)),
    firstAtMs: starts.length === 0 ? null : Math.min(...starts),
    lastAtMs: starts.length === 0 ? null : Math.max(...starts),
    seeds: [results.plan.seed],
    runsCounted: counted.length,
    runsExcluded: excluded.length,
    runsMissing: results.missing.length,
  };
}

/** What a script is started with for one run (`script:x.yaml#seed=1`) makes no other model of it. */
function withoutSettings(model: string): string {
  return model.startsWith("script:") ? model.replace(/#.*$/, "") : model;
}

function notesOf({ name, results }: Side): readonly string[] {
  const { missing, damaged, plan } = results;
  const at = name === null ? "" : `${name}: `;
  return [
    ...(plan.scale === null || plan.scale === 1
      ? []
      : [`${at}the scripted model's latencies are scaled by ${plan.scale}: times are not those of the suite.`]),
    ...(missing.length === 0
      ? []
      : [
          `${at}${missing.length} of ${plan.order.length} planned runs were not made yet: skein eval run goes on with them.`,
        ]),
    ...damaged.map(({ slot, message }) => `${at}${slotName(slot)} cannot be read whole, and is kept: ${message}`),
  ];
}

/** What differs between the sides besides what is to be compared. */
function differencesOfSides(sides: readonly Side[]): readonly string[] {
  const plans = sides.map(({ results }) => results.plan);
  const differs = (of: (plan: EvalResults["plan"]) => unknown) => new Set(plans.map(of)).size > 1;
  return [
    ...(differs(({ suiteDigest }) => suiteDigest)
      ? ["A and B were not made with the same suite: a difference may be the suite's."]
      : []),
    ...(differs(({ model, scriptDigest }) => `${model} ${scriptDigest}`)
      ? ["A and B were asked of different models."]
      : []),
    ...(differs(({ scale }) => scale) ? ["A and B have different scales of the scripted model's latencies."] : []),
    ...(differs(({ seed }) => seed) ? ["A and B have different seeds."] : []),
  ];
}

export function unique<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}
