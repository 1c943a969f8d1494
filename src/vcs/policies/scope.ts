// A task's scope: a commit that leaves it needs its author's reason, which stays with it.

import { cleanLine } from "../../base/text.ts";
import { inScope } from "../scope.ts";
import type { Author } from "../types.ts";
import { namedPaths, type Policy } from "./policy.ts";

export interface ScopeOptions {
  /** Paths, directories, globs; empty: the task may change everything. */
  scopeOf(author: Author): readonly string[];
  /** How an author gives a reason: `say in … why they are needed`. */
  readonly howToGiveReason: string;
}

const pathCharsMax = 200;

export function taskScope({ scopeOf, howToGiveReason }: ScopeOptions): Policy {
  return {
    name: "scope",
    when: "acceptance",
    isAboutPlaces: true,
    check({ request: { author, changes, reason } }) {
      if (reason !== undefined && reason.trim() !== "") return null;
      const scope = scopeOf(author);
      if (scope.length === 0) return null;
      const outside = changes.filter(({ path }) => !inScope(scope, path));
      if (outside.length === 0) return null;
      const named = namedPaths(outside.map(({ path }) => cleanLine(path, pathCharsMax)));
      return `outside this task's scope (${scope.join(", ")}): ${named}. Undo these changes, or ${howToGiveReason}`;
    },
  };
}
