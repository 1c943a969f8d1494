// Follows renames: a change of a file that the head has moved is made at its new place, and a file that the change moves takes along
// what the head has changed in it; the same for files that were added to a directory that was moved. What stays as it was proposed
// is a conflict then. Pure: asks for what must be computed.

import type { RepoPath } from "../../base/ids.ts";
import type { Merges, Need } from "../merges.ts";
import { pathBytesMax } from "../path.ts";
import { entryAt, headEntry, lastChangedAt, sameEntry } from "../snapshot.ts";
import type { VcsState } from "../state.ts";
import { decidePath, isRegular } from "../three-way.ts";
import { entryOf, type Proposal } from "../together.ts";
import { ancestors, obstacles } from "../tree-shape.ts";
import type { Entry, Moved } from "../types.ts";
import { movedInto, parentOf } from "./directories.ts";
import { HeadRenames } from "./head-renames.ts";
import { OwnRenames } from "./own-renames.ts";
import type { SimilarNeed } from "./pairs.ts";

export interface Followed {
  /** In the place of what was proposed. */
  readonly proposals: readonly Proposal[];
  /** Changes that land elsewhere than they were made. */
  readonly moved: readonly Moved[];
  /** Both sides did something else with one file: renamed it differently, or deleted what the other renamed. */
  readonly contested: readonly Proposal[];
  readonly needs: readonly Need[];
}

/** `reserved`: paths that are decided elsewhere, such as those in conflict; nothing is moved there, nor disputed about them. */
export function followRenames(
  state: VcsState,
  proposals: readonly Proposal[],
  merges: Merges,
  reserved: ReadonlySet<RepoPath> = NONE,
): Followed {
  if (!proposals.some((proposal) => isConcerned(state, proposal))) {
    return { proposals, moved: [], contested: [], needs: [] };
  }
  return new Following(state, proposals, merges, reserved).followed();
}

const NONE: ReadonlySet<RepoPath> = new Set();

/** Whether a rename could matter to it: the head has changed the path since, or has no directory for it, or it deletes a file. */
function isConcerned(state: VcsState, { change, base, since }: Proposal): boolean {
  if (base === null) {
    if (change.kind === "delete") return false;
    if ((lastChangedAt(state, change.path) ?? 0) > since) return true;
    return lostDirectory(state, change.path) !== null;
  }
  return change.kind === "delete" || headEntry(state, change.path) === null;
}

/** The nearest directory above the path that has no file on the head and once had some; null if the path's place is there or new. */
export function lostDirectory({ versions }: VcsState, path: RepoPath): string | null {
  for (let above = parentOf(path); above !== ""; above = parentOf(above)) {
    if (versions.hasDirectory(above)) return null;
    if (versions.lostDirectory(above)) return above;
  }
  return null;
}

class Following {
  readonly #state: VcsState;
  readonly #proposals: readonly Proposal[];
  readonly #merges: Merges;
  readonly #head: HeadRenames;
  readonly #own: OwnRenames;
  readonly #reserved: ReadonlySet<RepoPath>;
  /** Paths that something is proposed for already. */
  readonly #taken: Set<RepoPath>;
  /** In the place of the proposal of a path. */
  readonly #instead = new Map<RepoPath, Proposal>();
  readonly #added: Proposal[] = [];
  readonly #moved: Moved[] = [];
  readonly #contested: Proposal[] = [];
  readonly #needs: Need[] = [];

  constructor(state: VcsState, proposals: readonly Proposal[], merges: Merges, reserved: ReadonlySet<RepoPath>) {
    const similar = (need: SimilarNeed) => merges.similar(need);
    this.#state = state;
    this.#proposals = proposals;
    this.#merges = merges;
    this.#reserved = reserved;
    this.#head = new HeadRenames(state, similar);
    this.#own = new OwnRenames(proposals, similar);
    this.#taken = new Set([...reserved, ...proposals.map(({ change }) => change.path)]);
  }

  followed(): Followed {
    for (const proposal of this.#proposals) this.#follow(proposal);
    this.#followDirectories();
    const disputed = new Set(this.#contested.map(({ change }) => change.path));
    const proposals = [
      ...this.#proposals.map((proposal) => this.#instead.get(proposal.change.path) ?? proposal),
      ...this.#added,
    ].filter(({ change }) => !disputed.has(change.path));
    const needs = [...this.#needs, ...this.#head.needs, ...this.#own.needs];
    const onward = new Map(this.#moved.map(({ from, to }) => [from, to]));
    const ends = new Set(this.#moved.map(({ to }) => to));
    const moved = this.#moved
      .filter(({ from }) => !ends.has(from))
      .map(({ from, to }) => ({ from, to: onward.get(to) ?? to }));
    return { proposals, moved, contested: this.#contested, needs };
  }

  #follow(proposal: Proposal): void {
    const { change, base } = proposal;
    const head = headEntry(this.#state, change.path);
    if (base === null) {
      if (change.kind === "delete") return;
      if (head === null) this.#intoMovedDirectory(proposal);
      else this.#sameTarget(proposal, head);
    } else if (change.kind === "put") {
      if (head === null) this.#editOfMoved(proposal, base);
    } else if (head === null) this.#bothGone(proposal, base);
    else if (!sameEntry(head, base)) this.#moveOfEdited(proposal, base, head);
  }

  /** The head has moved what is changed here. */
  #editOfMoved(proposal: Proposal, base: Entry): void {
    const { change, since } = proposal;
    const trace = this.#head.trace(change.path, since);
    if (trace.kind !== "at" || trace.path === change.path || this.#taken.has(trace.path)) return;
    const head = headEntry(this.#state, trace.path);
    if (head === null || !this.#isClean(base, head, entryOf(change))) return;
    this.#replace(proposal, { ...proposal, change: { ...change, path: trace.path } });
    this.#move(change.path, trace.path);
  }

  /** The head has changed what is moved here. */
  #moveOfEdited({ change, since }: Proposal, base: Entry, head: Entry): void {
    const target = this.#own.targetOf(change.path);
    if (target === null || headEntry(this.#state, target.change.path) !== null) return;
    if (!this.#isClean(base, head, entryOf(target.change))) return;
    const { path } = change;
    this.#instead.set(path, { change, base: head, since });
    // The directory that it goes to may itself have been moved: one does not undo the other.
    const now = this.#standing(target);
    this.#instead.set(target.change.path, { ...now, base, headAt: path });
    this.#moved.push({ from: path, to: target.change.path });
  }

  /** Both sides have added the path: where both have renamed the same file to it, that file is the base. */
  #sameTarget(proposal: Proposal, head: Entry): void {
    const source = this.#own.sourceOf(proposal.change.path);
    const base = source?.base ?? null;
    if (source === null || base === null || sameEntry(head, entryOf(proposal.change))) return;
    if (headEntry(this.#state, source.change.path) !== null) return;
    const trace = this.#head.trace(source.change.path, source.since);
    if (trace.kind === "at" && trace.path === proposal.change.path)
      this.#instead.set(proposal.change.path, { ...proposal, base });
  }

  /** Neither side has the path any more: a conflict, if one of them has only renamed the file, or both did to different names. */
  #bothGone(proposal: Proposal, base: Entry): void {
    const { change, since } = proposal;
    const trace = this.#head.trace(change.path, since);
    const target = this.#own.targetOf(change.path);
    if (trace.kind === "unknown" || this.#own.needs.length > 0) return;
    const onHead = trace.kind === "at" && trace.path !== change.path ? trace.path : null;
    const own = target?.change.path ?? null;
    if (onHead === own) return;
    if ([onHead, own].some((path) => path !== null && this.#reserved.has(path))) return;
    this.#contested.push(proposal);
    if (onHead !== null) this.#contested.push({ change: { kind: "delete", path: onHead }, base, since });
    if (target !== null) this.#contested.push({ ...target, base });
  }

  /** It was added to a directory that the head has moved. */
  #intoMovedDirectory(proposal: Proposal): void {
    const { change, since } = proposal;
    const directory = lostDirectory(this.#state, change.path);
    for (let above = directory ?? ""; above !== ""; above = parentOf(above)) {
      if (this.#state.versions.hasDirectory(above)) return;
      const move = this.#head.directory(above, since);
      if (move === null) return;
      if (move.kind === "none") continue;
      const to = move.kind === "to" ? movedInto(change.path, above, move.directory) : null;
      if (to === null || !this.#isFree(to)) this.#contested.push(proposal);
      else {
        const now = this.#standing(proposal);
        this.#replace(proposal, { ...now, change: { ...now.change, path: to } });
        this.#move(change.path, to);
      }
      return;
    }
  }

  /** Files that the head has added to directories that are moved here go along. */
  #followDirectories(): void {
    const emptied = this.#own.leftDirectories();
    if (emptied.size === 0) return;
    const since = Math.min(...this.#proposals.map((proposal) => proposal.since)) as Proposal["since"];
    for (const path of this.#head.changedSince(since)) {
      const head = headEntry(this.#state, path);
      if (head === null || this.#taken.has(path) || entryAt(this.#state, path, since) !== null) continue;
      for (const above of [...ancestors(path)].reverse()) {
        if (!emptied.has(above)) continue;
        if (this.#isLeft(above, since)) break;
        const move = this.#own.directory(above);
        if (move === null || move.kind === "none") continue;
        const stays: Proposal = { change: { kind: "delete", path }, base: head, since };
        const to = move.kind === "to" ? movedInto(path, above, move.directory) : null;
        if (to === null || !this.#isFree(to)) this.#contested.push(stays);
        else {
          this.#added.push(stays, { change: { kind: "put", path: to, ...head }, base: head, since, headAt: path });
          this.#move(path, to);
        }
        break;
      }
    }
  }

  /** Whether the proposals leave a file of the snapshot in the directory: then it has not moved. */
  #isLeft(directory: string, since: Proposal["since"]): boolean {
    const prefix = `${directory}/`;
    for (const path of this.#state.versions.names()) {
      if (!path.startsWith(prefix) || entryAt(this.#state, path, since) === null) continue;
      if (this.#own.deletes(path)) continue;
      return true;
    }
    return false;
  }

  #isFree(path: RepoPath): boolean {
    if (this.#taken.has(path) || Buffer.byteLength(path) > pathBytesMax) return false;
    if (headEntry(this.#state, path) !== null) return false;
    return obstacles(this.#state, [{ kind: "put", path, ...anyEntry }]).length === 0;
  }

  /** Whether the three come together; false also as long as that is not known, and where one side made it another kind of file. */
  #isClean(base: Entry, head: Entry, proposed: Entry | null): boolean {
    if (proposed === null || kindOf(head) !== kindOf(base) || kindOf(proposed) !== kindOf(base)) return false;
    const decision = decidePath(base, head, proposed);
    if (decision.kind === "conflict") return false;
    if (decision.kind !== "merge") return true;
    const answer = this.#merges.find(decision.need);
    if (answer === undefined) this.#needs.push(decision.need);
    return answer?.kind === "clean";
  }

  /** As far as it was followed already. */
  #standing(proposal: Proposal): Proposal {
    return this.#instead.get(proposal.change.path) ?? proposal;
  }

  #replace(proposal: Proposal, by: Proposal): void {
    this.#instead.set(proposal.change.path, by);
  }

  #move(from: RepoPath, to: RepoPath): void {
    this.#taken.add(to);
    this.#moved.push({ from, to });
  }
}

function kindOf(entry: Entry): string {
  return isRegular(entry) ? "file" : entry.mode;
}

/** What is put does not matter to what is in its way. */
const anyEntry: Entry = { blob: "" as Entry["blob"], mode: "100644" };
