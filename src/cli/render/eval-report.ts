// What is said beside a report: where its files are, which runs have no trajectory, and what was left out.

import type { ShownReport } from "../../app/eval-report.ts";
import { capLine } from "../../base/text.ts";
import { plural } from "./figures.ts";

const missingNamedMax = 5;

export function reportNotes({ report, files, unwritten, trajectories }: ShownReport): readonly string[] {
  const { excluded } = report;
  const told = trajectories?.missing ?? [];
  const unnamed = told.length - missingNamedMax;
  return [
    ...(excluded.length === 0 ? [] : [`${plural(excluded.length, "run")} excluded: kept, listed, and not counted`]),
    ...(files === null ? [] : [`the page: ${files.html}`, `text and data: ${files.markdown}, ${files.json}`]),
    ...(trajectories === null || trajectories.count === 0
      ? []
      : [`trajectories (ATIF) of ${plural(trajectories.count, "run")}: ${trajectories.directory}`]),
    ...(unwritten === null
      ? []
      : [
          `the report is not written (${capLine(unwritten.message, 300)}): --out <dir> of skein eval report puts it elsewhere`,
        ]),
    ...told.slice(0, missingNamedMax).map(({ run, reason }) => `no trajectory of ${run}: ${capLine(reason, 300)}`),
    ...(unnamed > 0 ? [`and of ${unnamed} more`] : []),
  ];
}
