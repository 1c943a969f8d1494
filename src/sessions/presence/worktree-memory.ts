// A process's way to what is known of worktrees (known-worktree.ts): looked into before git is asked, renewed when it had to be.

import { fnv64 } from "../../base/fnv.ts";
import { gitMsMax, indexOf, isKnown, type KnownWorktree, lookWith, type TooMuch } from "./known-worktree.ts";
import { type GitAnswer, type KnownTools, learnWorktree } from "./learn-worktree.ts";
import type { Place } from "./place.ts";
import type { WorktreeLook } from "./worktree-look.ts";

const knownBytesMax = 1024 * 1024;
/** Then it is tried again. */
const tooMuchForMs = 60 * 60_000;

export class WorktreeMemory {
  readonly #tools: KnownTools;
  #kept: Promise<KnownWorktree | TooMuch | null> | null = null;
  /** Where git was asked, and what it said where it was asked for all. */
  #asked: { readonly place: Place; readonly answer: GitAnswer | null } | null = null;
  #failed = false;
  /** Where a look could do without git. */
  #neededNone: Place | null = null;

  constructor(tools: KnownTools) {
    this.#tools = tools;
  }

  /** What git would say now; null where it has to be asked. */
  async look(place: Place): Promise<WorktreeLook | null> {
    const kept = await this.#small(place);
    if (kept === null) return null;
    try {
      const look = await lookWith(this.#tools.files, kept, place);
      if (look !== null) this.#neededNone = place;
      return look;
    } catch {
      // A record that nobody of ours has written.
      return null;
    }
  }

  /** What git says, all of it, where that was little the last time; `slow` where it is given up, null elsewhere and where it fails. */
  async ask(place: Place): Promise<GitAnswer | "slow" | null> {
    if ((await this.#small(place)) === null) return null;
    // It has little to do: what it waits for is a processor.
    const answer = await this.#tools.answerOf(place.worktree, this.#tools.msLeft(gitMsMax));
    if (answer === "slow") this.#failed = true;
    else if (answer !== null) this.#asked = { place, answer };
    return answer;
  }

  /** Without what it ignores. */
  wasAsked(place: Place, hasAnswered: boolean): void {
    if (hasAnswered) this.#asked = { place, answer: null };
    else this.#failed = true;
  }

  /** When the agent has its answer: what git has said is kept for the next time. */
  async keep(): Promise<void> {
    const { mark, gitStarted, now } = this.#tools;
    // The next time it begins with the hook again, as it does where nothing is known.
    if (this.#failed && !gitStarted) return mark(null);
    if (this.#asked === null) {
      if (this.#neededNone !== null && gitStarted) await mark(indexOf(this.#neededNone));
      return;
    }
    const { place, answer } = this.#asked;
    const kept = await this.#known(place);
    if (kept !== null && "tooMuchAt" in kept && now - kept.tooMuchAt >= 0 && now - kept.tooMuchAt < tooMuchForMs)
      return;
    await learnWorktree(this.#tools, { place, answer, before: kept, path: this.#pathOf(place) });
  }

  async #small(place: Place): Promise<KnownWorktree | null> {
    const kept = await this.#known(place);
    return kept === null || "tooMuchAt" in kept ? null : kept;
  }

  #pathOf(place: Place): string {
    return `${this.#tools.directoryOf(place)}/.worktrees/${fnv64(place.worktree)}.json`;
  }

  #known(place: Place): Promise<KnownWorktree | TooMuch | null> {
    return (this.#kept ??= this.#read(place));
  }

  async #read(place: Place): Promise<KnownWorktree | TooMuch | null> {
    const bytes = await this.#tools.files.read(this.#pathOf(place), knownBytesMax);
    if (!bytes.ok) return null;
    try {
      const text = Buffer.from(bytes.value.buffer, bytes.value.byteOffset, bytes.value.byteLength).toString("utf8");
      const kept: unknown = JSON.parse(text);
      return isKnown(kept) && kept.worktree === place.worktree ? kept : null;
    } catch {
      return null;
    }
  }
}
