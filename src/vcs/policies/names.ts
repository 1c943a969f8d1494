// Which paths one commit may change: names that git and every file system take, each once, none both a file and a directory.

import type { RepoPath } from "../../base/ids.ts";
import { parseRepoPath } from "../path.ts";
import { contradictions } from "../tree-shape.ts";
import type { Change } from "../types.ts";
import type { Policy } from "./policy.ts";

export const namePolicy: Policy = {
  name: "path",
  when: "arrival",
  check({ request: { changes, reads = [] }, store }) {
    for (const { path } of changes) {
      // It was looked at when it came into the store.
      const reason = store.knowsPath(path) ? null : problemOf(path);
      if (reason !== null) return reason;
    }
    for (const path of reads) {
      const reason = problemOf(path);
      if (reason !== null) return reason;
    }
    return null;
  },
};

export const onePathPolicy: Policy = {
  name: "changes",
  when: "arrival",
  check({ request: { changes } }) {
    if (changes.length < 2 || standApart(changes)) return null;
    const seen = new Set<RepoPath>();
    for (const { path } of changes) {
      if (seen.has(path)) return `${path} is changed twice in one commit.`;
      seen.add(path);
    }
    const [both] = contradictions(changes.filter(({ kind }) => kind === "put").map(({ path }) => path));
    return both === undefined ? null : `${both.by} cannot be a file: the commit also puts ${both.path}.`;
  },
};

/** Few enough to look at each pair, and none of a pair is the other or above it. */
function standApart(changes: readonly Change[]): boolean {
  if (changes.length > fewChanges) return false;
  for (let index = 0; index < changes.length; index += 1) {
    for (let next = index + 1; next < changes.length; next += 1) {
      const [a, b] = [changes[index]!.path, changes[next]!.path];
      if (a === b || isAbove(a, b) || isAbove(b, a)) return false;
    }
  }
  return true;
}

function isAbove(directory: RepoPath, path: RepoPath): boolean {
  return path.charCodeAt(directory.length) === 0x2f && path.startsWith(directory);
}

const fewChanges = 8;

function problemOf(path: RepoPath): string | null {
  const parsed = parseRepoPath(path);
  return parsed.ok ? null : `${JSON.stringify(path)}: ${parsed.error.reason}`;
}
