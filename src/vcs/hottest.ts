// The files that commits have changed most, with how many agents did: where writers meet.

import type { RepoPath } from "../base/ids.ts";
import type { VcsState } from "./state.ts";
import { importedRow } from "./version-table.ts";

export interface HotFile {
  readonly path: RepoPath;
  readonly commits: number;
  readonly agents: number;
  /** It is not on the head any more. */
  readonly deleted: boolean;
}

/** The newest changes, which are looked at: a figure must hold up nobody's commit. */
export const changesLookedAtMax = 200_000;

/** Those of most agents first, then of most commits, then by path. Paths that only one commit changed are none. */
export function hottestFiles({ versions, commits }: VcsState, countMax: number): readonly HotFile[] {
  const changed = new Map<RepoPath, { commits: number; readonly agents: Set<string> }>();
  const oldest = Math.max(0, versions.rows - changesLookedAtMax);
  for (let row = versions.rows - 1; row >= oldest; row -= 1) {
    const commit = versions.commit(row);
    if (commit === importedRow) break;
    const path = versions.path(row);
    let file = changed.get(path);
    if (file === undefined) {
      file = { commits: 0, agents: new Set() };
      changed.set(path, file);
    }
    file.commits += 1;
    file.agents.add(commits.author(commit).agent);
  }
  const files: HotFile[] = [];
  for (const [path, { commits: count, agents }] of changed) {
    if (count < 2) continue;
    files.push({ path, commits: count, agents: agents.size, deleted: versions.isDeleted(versions.head(path)) });
  }
  files.sort((a, b) => b.agents - a.agents || b.commits - a.commits || (a.path < b.path ? -1 : 1));
  return files.slice(0, countMax);
}
