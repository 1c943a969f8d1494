// Where the files of an older snapshot stand on the head: through the renames of the commits since then, each seen for itself. So a
// rename is found however much the file was changed by later commits.

import type { Position, RepoPath } from "../../base/ids.ts";
import { entryAt, shownFrom } from "../snapshot.ts";
import type { VcsState } from "../state.ts";
import { importedRow } from "../version-table.ts";
import { type DirectoryMove, directoryMove, type PathRename } from "./directories.ts";
import { type Placed, pairRenames, type SimilarNeed, type SimilarOf } from "./pairs.ts";

export type Trace =
  /** Its last place on the head; its own path where it was never moved. */
  | { readonly kind: "at"; readonly path: RepoPath }
  /** A commit deleted it and added nothing like it. */
  | { readonly kind: "gone" }
  /** Not known before `needs` are computed. */
  | { readonly kind: "unknown" };

/** Renames of one file that are followed. */
const hopsMax = 100;

/** For one plan: of one state of the head. */
export class HeadRenames {
  readonly #state: VcsState;
  readonly #similar: SimilarOf;
  readonly #byCommit = new Map<number, ReadonlyMap<RepoPath, RepoPath> | null>();
  readonly #changed = new Map<Position, readonly RepoPath[]>();
  /** What was asked for and not known. */
  readonly needs: SimilarNeed[] = [];

  constructor(state: VcsState, similar: SimilarOf) {
    this.#state = state;
    this.#similar = similar;
  }

  /** Of a file that stood at the path in the snapshot. */
  trace(path: RepoPath, since: Position): Trace {
    const { versions, commits } = this.#state;
    let [at, from] = [path, since];
    for (let hop = 0; hop < hopsMax; hop += 1) {
      const deletion = this.#firstDeletion(at, from);
      if (deletion === -1) return { kind: "at", path: at };
      const commit = versions.commit(deletion);
      const renames = this.#renamesOf(commit);
      if (renames === null) return { kind: "unknown" };
      const to = renames.get(at);
      if (to === undefined) return { kind: "gone" };
      [at, from] = [to, commits.position(commit)];
    }
    return { kind: "gone" };
  }

  /** Where a directory of the snapshot that has no file on the head has gone; null if it is not known yet. */
  directory(directory: string, since: Position): DirectoryMove | null {
    const renames: PathRename[] = [];
    let isKnown = true;
    for (const from of this.changedSince(since)) {
      if (!from.startsWith(`${directory}/`) || entryAt(this.#state, from, since) === null) continue;
      const trace = this.trace(from, since);
      if (trace.kind === "unknown") isKnown = false;
      else if (trace.kind === "at" && trace.path !== from) renames.push({ from, to: trace.path });
    }
    return isKnown ? directoryMove(directory, renames) : null;
  }

  /** Paths that the head's commits since the snapshot have changed, each once. */
  changedSince(since: Position): readonly RepoPath[] {
    const known = this.#changed.get(since);
    if (known !== undefined) return known;
    const { versions, commits } = this.#state;
    const next = commits.countAt(since);
    const found = new Set<RepoPath>();
    const first = next < commits.length ? commits.firstRow(next) : versions.rows;
    for (let row = first; row < versions.rows; row += 1) found.add(versions.path(row));
    const paths = [...found];
    this.#changed.set(since, paths);
    return paths;
  }

  /** Null: not known yet. */
  #renamesOf(commit: number): ReadonlyMap<RepoPath, RepoPath> | null {
    const known = this.#byCommit.get(commit);
    if (known !== undefined) return known;
    const { gone, come } = wentAndCame(this.#state, commit);
    const { renames, needs } = pairRenames(gone, come, this.#similar);
    this.needs.push(...needs);
    const found = needs.length > 0 ? null : new Map(renames.map(({ from, to }) => [from.path, to.path]));
    this.#byCommit.set(commit, found);
    return found;
  }

  #firstDeletion(path: RepoPath, since: Position): number {
    const { versions } = this.#state;
    let found = -1;
    for (let row = versions.head(path); row !== -1; row = versions.older(row)) {
      if (versions.commit(row) === importedRow || shownFrom(this.#state, row) <= since) break;
      if (versions.isDeleted(row)) found = row;
    }
    return found;
  }
}

/** Files that the commit deleted, as they were, and files that it added. */
function wentAndCame({ versions, commits }: VcsState, commit: number): { gone: Placed[]; come: Placed[] } {
  const end = commit + 1 < commits.length ? commits.firstRow(commit + 1) : versions.rows;
  const [gone, come]: [Placed[], Placed[]] = [[], []];
  for (let row = commits.firstRow(commit); row < end; row += 1) {
    const [path, entry, older] = [versions.path(row), versions.entry(row), versions.older(row)];
    const before = older === -1 ? null : versions.entry(older);
    if (entry === null && before !== null) gone.push({ path, entry: before });
    if (entry !== null && before === null) come.push({ path, entry });
  }
  return { gone, come };
}
