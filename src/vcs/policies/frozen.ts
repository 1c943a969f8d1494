// Frozen paths: a file that is being split, or that nobody is to touch for now. Only the tasks that a freeze names may change it.

import type { TaskId } from "../../base/ids.ts";
import { inScope } from "../scope.ts";
import { namedPaths, type Policy } from "./policy.ts";

export interface Freeze {
  /** As a scope's items: paths, directories, globs. */
  readonly paths: readonly string[];
  /** Why, for whoever meets it. */
  readonly reason: string;
  /** Tasks that may change them all the same. */
  readonly tasks: readonly TaskId[];
}

export function frozenPaths(freezes: () => readonly Freeze[]): Policy {
  return {
    name: "frozen",
    when: "acceptance",
    isAboutPlaces: true,
    check({ request: { author, changes } }) {
      for (const { paths, reason, tasks } of freezes()) {
        if (tasks.includes(author.task)) continue;
        const met = changes.filter(({ path }) => inScope(paths, path)).map(({ path }) => path);
        if (met.length === 0) continue;
        const what = met.length === 1 ? `${namedPaths(met)} is frozen` : `${namedPaths(met)} are frozen`;
        return `${what}: ${reason}. Commit the rest without it, and say in your handoff what you need there.`;
      }
      return null;
    },
  };
}
