// How suites are listed.

import type { ListedSuite } from "../../app/eval-place.ts";
import { capLine } from "../../base/text.ts";
import { explain } from "../errors.ts";
import { plural } from "./figures.ts";

export function listedLines({ directory, suite, problem }: ListedSuite): readonly string[] {
  if (suite === null) return [`${directory}: ${problem === null ? "" : explain(problem).what}`];
  return [
    `${suite.name}: ${capLine(suite.about, 300)}`,
    ...suite.tasks.map(({ name, about }) => `  task ${name}: ${capLine(about, 300)}`),
    ...suite.conditions.map(({ name, changes }) => `  condition ${name}: ${capLine(changes, 300)}`),
    `  ${plural(suite.runs, "run")} each${suite.model === undefined ? "" : `, by default on ${suite.model}`}; ${directory}`,
  ];
}

export function listedJson({ directory, suite, problem }: ListedSuite): object {
  if (suite === null) return { directory, problem: problem === null ? "" : explain(problem).what };
  const { name, about, tasks, conditions, runs, model = null } = suite;
  return {
    name,
    directory,
    about,
    runs,
    model,
    tasks: tasks.map((task) => ({ name: task.name, about: task.about })),
    conditions: conditions.map(({ name: condition, changes, tasks: only = null }) => ({
      name: condition,
      changes,
      only,
    })),
  };
}
