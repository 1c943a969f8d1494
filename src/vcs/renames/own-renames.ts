// Renames among the proposed changes themselves: files that they delete and files that they add. Computed when first asked for.

import type { RepoPath } from "../../base/ids.ts";
import { entryOf, type Proposal } from "../together.ts";
import { ancestors } from "../tree-shape.ts";
import { type DirectoryMove, directoryMove } from "./directories.ts";
import { type Placed, pairRenames, type SimilarNeed, type SimilarOf } from "./pairs.ts";

export class OwnRenames {
  readonly #proposals: readonly Proposal[];
  readonly #similar: SimilarOf;
  #found: Found | null = null;

  constructor(proposals: readonly Proposal[], similar: SimilarOf) {
    this.#proposals = proposals;
    this.#similar = similar;
  }

  /** To be computed before the answers mean anything. */
  get needs(): readonly SimilarNeed[] {
    return this.#found?.needs ?? [];
  }

  /** What puts the deleted file at its new path; null where it is only deleted. */
  targetOf(path: RepoPath): Proposal | null {
    return this.#renames().targets.get(path) ?? null;
  }

  /** What deletes the file that was put at the path. */
  sourceOf(path: RepoPath): Proposal | null {
    return this.#renames().sources.get(path) ?? null;
  }

  deletes(path: RepoPath): boolean {
    return this.#renames().deleted.has(path);
  }

  /** Every directory above a file that is deleted; none where nothing is added that it could have become. */
  leftDirectories(): ReadonlySet<string> {
    const isAdding = this.#proposals.some(({ change, base }) => change.kind === "put" && base === null);
    if (!isAdding) return new Set();
    const deletions = this.#proposals.filter(({ change, base }) => change.kind === "delete" && base !== null);
    return new Set(deletions.flatMap(({ change }) => [...ancestors(change.path)]));
  }

  /** Where the renames take the directory, if nothing of it stays; null if it is not known yet. */
  directory(directory: string): DirectoryMove | null {
    const { targets, needs } = this.#renames();
    if (needs.length > 0) return null;
    return directoryMove(
      directory,
      [...targets].map(([from, { change }]) => ({ from, to: change.path })),
    );
  }

  #renames(): Found {
    this.#found ??= find(this.#proposals, this.#similar);
    return this.#found;
  }
}

interface Found {
  readonly targets: ReadonlyMap<RepoPath, Proposal>;
  readonly sources: ReadonlyMap<RepoPath, Proposal>;
  readonly deleted: ReadonlySet<RepoPath>;
  readonly needs: readonly SimilarNeed[];
}

function find(proposals: readonly Proposal[], similar: SimilarOf): Found {
  const byPath = new Map(proposals.map((proposal) => [proposal.change.path, proposal]));
  const [gone, come]: [Placed[], Placed[]] = [[], []];
  for (const { change, base } of proposals) {
    const entry = entryOf(change);
    if (entry === null && base !== null) gone.push({ path: change.path, entry: base });
    if (entry !== null && base === null) come.push({ path: change.path, entry });
  }
  const { renames, needs } = pairRenames(gone, come, similar);
  const [targets, sources] = [new Map<RepoPath, Proposal>(), new Map<RepoPath, Proposal>()];
  for (const { from, to } of renames) {
    const [source, target] = [byPath.get(from.path), byPath.get(to.path)];
    if (source === undefined || target === undefined) continue;
    targets.set(from.path, target);
    sources.set(to.path, source);
  }
  return { targets, sources, deleted: new Set(gone.map(({ path }) => path)), needs };
}
