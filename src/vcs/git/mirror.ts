// Brings a branch up to a store, as often as one likes. Invariant: it only appends. Where the branch stands is read from its own newest
// commit, and it goes on only if that commit's tree is what the store shows at the position that it names; git itself refuses the move
// if somebody else was quicker. The tree of what was made is compared before the branch moves.

import type { Position } from "../../base/ids.ts";
import { asPosition } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { cleanLine } from "../../base/text.ts";
import type { ObjectFormat } from "../../log/blob-id.ts";
import type { ImportTip } from "../state.ts";
import { TreeHasher } from "../tree-hasher.ts";
import { treeId } from "../tree-id.ts";
import type { BlobSource, LandedCommit, Manifest } from "../types.ts";
import { type BranchError, branchAt, checkBranchName } from "./branch.ts";
import { type Git, outputLine, runGit } from "./command.ts";
import { type Described, type StreamError, streamCommits, survey } from "./export-stream.ts";
import type { Pace } from "./pace.ts";

/** The store, by whatever way it is read; its errors reject. */
export interface MirrorSource {
  /** Tells this store's commits from those of others: it stands in each of them. */
  readonly store: string;
  readonly objectFormat: ObjectFormat;
  readonly tip: ImportTip;
  head(): Promise<Position>;
  manifest(at: Position): Promise<Manifest>;
  /** Commits that a snapshot at `from` does not show, in order; maybe not all of them at once. None: there are none. */
  history(from: Position): Promise<readonly LandedCommit[]>;
  readonly blobs: BlobSource;
}

export interface MirrorOptions {
  readonly git: Git;
  readonly repository: string;
  /** Short name. */
  readonly branch: string;
  readonly source: MirrorSource;
  /** Where others need the machine, too. */
  readonly pace?: Pace;
  readonly signal?: AbortSignal;
}

export type MirrorError =
  | BranchError
  | StreamError
  /** The branch's newest commit is none of this store, or not as the store has it: nothing was changed. */
  | { readonly kind: "branch-moved"; readonly branch: string; readonly commit: string; readonly reason: string }
  /** The commit that the store began with is not in this repository. */
  | { readonly kind: "no-parent"; readonly commit: string }
  /** What git made is not what the store has: the branch was not touched. */
  | {
      readonly kind: "mirror-mismatch";
      readonly expected: string;
      readonly actual: string;
      readonly position: Position;
    };

/** Where the branch is. */
export interface Mirrored {
  /** Null before its first commit. */
  readonly commit: string | null;
  /** The newest commit of the store that it shows, or the beginning. */
  readonly position: Position;
  readonly tree: string;
}

/** What one round appended. */
export interface Round {
  readonly commits: number;
  readonly at: Mirrored;
}

const noCommit = /^0+$/;
const trailerKeys = ["Skein-Store", "Skein-Position"] as const;

export class Mirror {
  readonly #options: MirrorOptions;
  #at: Mirrored;
  #hasher: TreeHasher;

  private constructor(options: MirrorOptions, at: Mirrored, hasher: TreeHasher) {
    this.#options = options;
    this.#at = at;
    this.#hasher = hasher;
  }

  /** Reads where the branch is; makes nothing. */
  static async open(options: MirrorOptions): Promise<Result<Mirror, MirrorError>> {
    const { git, repository, branch, source } = options;
    const name = await checkBranchName(git, repository, branch);
    if (!name.ok) return name;
    const before = await branchAt(git, repository, branch);
    if (!before.ok) return before;
    const at = before.value === null ? await beginning(options) : await standing(options, before.value);
    if (!at.ok) return at;
    const manifest = await source.manifest(at.value.position);
    const hasher = new TreeHasher(manifest, source.objectFormat);
    const expected = hasher.id();
    if (expected === at.value.tree) return ok(new Mirror(options, at.value, hasher));
    const reason = `its tree is not what the store shows at position ${at.value.position}`;
    return err({ kind: "branch-moved", branch, commit: at.value.commit ?? source.tip.commit, reason });
  }

  get at(): Mirrored {
    return this.#at;
  }

  /** Appends what the store has more, or the next part of much; no commits: the branch is up to date. */
  async round(): Promise<Result<Round, MirrorError>> {
    const { source, pace, signal, git, repository } = this.#options;
    const commits = await source.history(this.#at.position);
    const last = commits.at(-1);
    if (last === undefined) return ok({ commits: 0, at: this.#at });
    const found = await survey(each(commits));
    const made = await streamCommits({
      git,
      repository,
      parent: this.#at.commit ?? this.#parent(),
      commits: () => each(commits),
      count: found.count,
      wanted: found.blobs,
      blobs: source.blobs,
      describe: (commit) => this.#describe(commit),
      ...(pace === undefined ? {} : { pace }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (!made.ok) return made;
    for (const { changes } of commits) this.#hasher.apply(changes);
    const tree = await this.#compared(made.value, last.position);
    if (!tree.ok) return tree;
    const moved = await this.#move(made.value);
    if (!moved.ok) return moved;
    this.#at = { commit: made.value, position: last.position, tree: tree.value };
    return ok({ commits: commits.length, at: this.#at });
  }

  /** The store's own listing of the newest position that the branch shows, against the branch: no step in between is believed. */
  async verify(): Promise<Result<void, MirrorError>> {
    const { source } = this.#options;
    const { position, tree: actual } = this.#at;
    const expected = treeId(await source.manifest(position), source.objectFormat);
    return expected === actual ? ok(undefined) : err({ kind: "mirror-mismatch", expected, actual, position });
  }

  /** Null for a store that began with nothing: the branch then begins with a commit without parents. */
  #parent(): string | null {
    const { commit } = this.#options.source.tip;
    return noCommit.test(commit) ? null : commit;
  }

  async #compared(commit: string, position: Position): Promise<Result<string, MirrorError>> {
    const { git, repository } = this.#options;
    const args = ["rev-parse", "--verify", "--end-of-options", `${commit}^{tree}`] as const;
    const answer = await runGit(git, { cwd: repository, args });
    if (!answer.ok) return answer;
    const [actual, expected] = [outputLine(answer.value), this.#hasher.id()];
    return actual === expected ? ok(actual) : err({ kind: "mirror-mismatch", expected, actual, position });
  }

  /** Git refuses if the branch is not where it was, and a branch that was checked out meanwhile is left alone. */
  async #move(to: string): Promise<Result<void, MirrorError>> {
    const { git, repository, branch } = this.#options;
    const now = await branchAt(git, repository, branch);
    if (!now.ok) return now;
    const ref = `refs/heads/${branch}`;
    const before = this.#at.commit ?? "0".repeat(to.length);
    if (now.value === this.#at.commit) {
      const args = ["update-ref", "--no-deref", "-m", "skein: mirror", ref, to, before] as const;
      const updated = await runGit(git, { cwd: repository, args });
      if (updated.ok) return ok(undefined);
      const again = await branchAt(git, repository, branch);
      if (!again.ok || again.value === this.#at.commit) return updated;
      return err(movedAway(branch, again.value));
    }
    return err(movedAway(branch, now.value));
  }

  #describe({ author, position, resolves, merged, moved = [], discarded = [] }: LandedCommit): Described {
    const { agent, task } = author;
    const trailers: (readonly [string, string])[] = [
      ["Skein-Task", task],
      ["Skein-Agent", agent],
    ];
    if (resolves !== null) trailers.push(["Skein-Resolves", resolves]);
    for (const { path } of merged) trailers.push(["Skein-Merged", path]);
    for (const { from, to } of moved) trailers.push(["Skein-Moved", cleanLine(`${from} -> ${to}`, 900)]);
    for (const { path, side, task: whose, reason } of discarded)
      trailers.push(["Skein-Discarded", `${cleanLine(path, 300)} ${side} of ${whose ?? "import"}: ${reason}`]);
    trailers.push([trailerKeys[0], this.#options.source.store], [trailerKeys[1], String(position)]);
    return { authorName: `skein ${agent}`, authorEmail: `${addressOf(agent)}@skein.invalid`, trailers };
  }
}

/** The branch is to be made: it begins at the commit that the store began with. */
async function beginning({ git, repository, source }: MirrorOptions): Promise<Result<Mirrored, MirrorError>> {
  const { commit, tree, position } = source.tip;
  if (!noCommit.test(commit)) {
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${commit}^{commit}`] as const;
    const there = await runGit(git, { cwd: repository, args });
    if (!there.ok) return there.error.exitCode === 1 ? err({ kind: "no-parent", commit }) : there;
  }
  return ok({ commit: null, position, tree });
}

/** What the branch's newest commit says of itself. */
async function standing(
  { git, repository, branch, source }: MirrorOptions,
  commit: string,
): Promise<Result<Mirrored, MirrorError>> {
  const trailer = (key: string) => `%(trailers:key=${key},valueonly,only)`;
  const format = ["%T", ...trailerKeys.map(trailer)].join("%x00");
  const args = ["log", "-1", "--encoding=UTF-8", `--format=${format}`, commit, "--"] as const;
  // A repository's own separators would hide them.
  const config = [["trailer.separators", ":"]] as const;
  const answer = await runGit(git, { cwd: repository, args, config });
  if (!answer.ok) return answer;
  const [tree = "", store = "", named = ""] = outputLine(answer.value).split("\0");
  const position = /^\d{1,15}$/.test(named.trim()) ? asPosition(Number(named.trim())) : null;
  const moved = (reason: string) => err({ kind: "branch-moved", branch, commit, reason } as const);
  if (store.trim() === "" || position === null) return moved("its newest commit is not one of a store");
  if (store.trim() !== source.store) return moved("its newest commit is one of another store");
  if (position < source.tip.position || position > (await source.head())) {
    return moved(`its newest commit names position ${position}, which the store does not have`);
  }
  return ok({ commit, position, tree });
}

function movedAway(branch: string, commit: string | null): MirrorError {
  const reason = "somebody else moved it meanwhile";
  return { kind: "branch-moved", branch, commit: commit ?? "nothing", reason };
}

/** An agent's name may be anything; an address has no blanks or brackets. */
function addressOf(agent: string): string {
  return agent.replace(/[^A-Za-z0-9._+-]+/g, "-").slice(0, 60) || "unknown";
}

async function* each(commits: readonly LandedCommit[]): AsyncGenerator<LandedCommit> {
  yield* commits;
}
