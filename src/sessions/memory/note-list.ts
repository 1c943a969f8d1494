// All notes that a reader has, newest first: those of the index by their numbers in it, and those that were just read. Invariant: of
// twenty thousand notes only those that somebody looks at become objects, and what is counted is counted in columns.

import type { SessionKey } from "../presence/ids.ts";
import { answeredIn, type ByteText, type FreshRow, isOnBranch, mergedByTime, type NoteRow } from "./note-row.ts";
import type { IndexedNotes, SomeNumbers } from "./notes-index.ts";
import { whoOf } from "./places.ts";

/** Newest first. The rows are made as they are looked at, once. */
export interface SomeNotes {
  readonly count: number;
  readonly rows: Iterable<NoteRow>;
}

export interface BranchNotes {
  /** Questions that nobody has answered. */
  readonly open: SomeNotes;
  readonly others: SomeNotes;
  /** How many have written these. */
  readonly sessions: number;
}

export class NoteList {
  readonly #indexed: IndexedNotes | null;
  readonly #fresh: readonly FreshRow[];
  readonly #words: readonly ByteText[];
  #answered: ReadonlySet<string> | null = null;

  /** `fresh` are sorted; `words` are what will be searched for, and the index was read with them. */
  constructor(indexed: IndexedNotes | null, fresh: readonly FreshRow[], words: readonly ByteText[]) {
    this.#indexed = indexed;
    this.#fresh = fresh;
    this.#words = words;
  }

  get count(): number {
    return (this.#indexed?.count ?? 0) + this.#fresh.length;
  }

  all(): readonly NoteRow[] {
    return [...this.#together(this.#indexed?.numbers() ?? none, this.#fresh).rows];
  }

  /** Ids of the questions that somebody has answered, on whichever branch. */
  answered(): ReadonlySet<string> {
    this.#answered ??= new Set([...(this.#indexed?.answered() ?? []), ...answeredIn(this.#fresh)]);
    return this.#answered;
  }

  onBranch(branch: string | null): BranchNotes {
    const answered = this.answered();
    const indexed = this.#indexed?.onBranch(branch, answered) ?? { open: none, others: none, writers: [] };
    const writers = new Set<SessionKey>(indexed.writers);
    const [open, others]: [FreshRow[], FreshRow[]] = [[], []];
    for (const row of this.#fresh) {
      if (!isOnBranch(row, branch)) continue;
      writers.add(row.file.key);
      (row.kind === "question" && !answered.has(row.id) ? open : others).push(row);
    }
    return {
      open: this.#together(indexed.open, open),
      others: this.#together(indexed.others, others),
      sessions: new Set([...writers].map(whoOf)).size,
    };
  }

  /** Those that hold every one of the words, of one branch or, with null, of all. */
  holding(branch: string | null): SomeNotes {
    const words = this.#words;
    const isWanted = (row: FreshRow): boolean =>
      (branch === null || isOnBranch(row, branch)) && words.every((word) => row.searched.includes(word));
    return this.#together(this.#indexed?.holding(branch) ?? none, this.#fresh.filter(isWanted));
  }

  #together(some: SomeNumbers, fresh: readonly FreshRow[]): SomeNotes {
    const indexed = this.#indexed?.rowsOf(some) ?? [];
    return { count: some.count + fresh.length, rows: mergedByTime<NoteRow>(indexed, fresh) };
  }
}

const none: SomeNumbers = { count: 0, numbers: [] };
