// The landed commits by number, with what the head needs of them: position, author, and where their rows begin. The rest
// of a commit (message, merges) is in its record. About 20 bytes a commit.

import { F64Column, U32Column } from "../base/columns.ts";
import { asPosition, type Position } from "../base/ids.ts";
import type { Author } from "./types.ts";

export class CommitTable {
  readonly #positions = new F64Column();
  readonly #firstRows = new U32Column();
  readonly #authors = new U32Column();
  readonly #authorList: Author[] = [];
  readonly #authorIds = new Map<string, Map<string, number>>();

  get length(): number {
    return this.#positions.length;
  }

  /** The first snapshot that shows the commit. */
  position(commit: number): Position {
    return asPosition(this.#positions.get(commit));
  }

  author(commit: number): Author {
    return this.#authorList[this.#authors.get(commit)]!;
  }

  /** The first of its rows in the version table; they end where the next commit's begin. */
  firstRow(commit: number): number {
    return this.#firstRows.get(commit);
  }

  authors(): readonly Author[] {
    return this.#authorList;
  }

  add(position: Position, firstRow: number, author: Author): void {
    this.#positions.push(position);
    this.#firstRows.push(firstRow);
    this.#authors.push(this.#idOf(author));
  }

  /** How many commits are visible in the snapshot. */
  countAt(snapshot: Position): number {
    let [from, to] = [0, this.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.#positions.get(middle) <= snapshot) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  *parts(commits: number): Generator<Uint8Array> {
    yield* this.#positions.parts(commits);
    yield* this.#firstRows.parts(commits);
    yield* this.#authors.parts(commits);
  }

  async load(authors: readonly Author[], commits: number, next: () => Promise<Uint8Array | null>): Promise<boolean> {
    for (const author of authors) this.#idOf(author);
    for (const column of [this.#positions, this.#firstRows, this.#authors]) {
      while (column.length < commits) {
        const part = await next();
        if (part === null || !column.pushPart(part)) return false;
      }
      if (column.length !== commits) return false;
    }
    for (let commit = 0; commit < commits; commit += 1) if (this.#authors.get(commit) >= authors.length) return false;
    return true;
  }

  #idOf(author: Author): number {
    const { agent, task } = author;
    let byTask = this.#authorIds.get(agent);
    if (byTask === undefined) {
      byTask = new Map();
      this.#authorIds.set(agent, byTask);
    }
    const known = byTask.get(task);
    if (known !== undefined) return known;
    const id = this.#authorList.length;
    this.#authorList.push({ agent, task });
    byTask.set(task, id);
    return id;
  }
}
