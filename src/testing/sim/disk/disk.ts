// The simulated disk: a tree of inodes, and a journal of name changes that no syncDirectory has covered.
// A change of names (a rename touches two) is atomic and survives a power loss whole or not at all, in journal order.

import { assert } from "../../../base/assert.ts";
import type { SeededRandom } from "../random.ts";
import { DirectoryInode, type Inode } from "./inode.ts";

export interface NameChange {
  readonly directory: DirectoryInode;
  readonly name: string;
  /** Null removes the name. */
  readonly inode: Inode | null;
}

type JournalEntry = readonly NameChange[];

export class Disk {
  readonly root: DirectoryInode;
  /** Grows with each power loss: what was opened under an older number is invalid. */
  generation = 0;
  private journal: JournalEntry[] = [];
  private lastChangedMs = 0;
  private readonly nowMs: () => number;
  private readonly random: SeededRandom;
  private readonly reorders: boolean;
  private readonly identities = new WeakMap<Inode, string>();
  private identified = 0;

  constructor(nowMs: () => number, random: SeededRandom, reorders = false) {
    this.nowMs = nowMs;
    this.random = random;
    this.reorders = reorders;
    this.root = new DirectoryInode(this.stamp());
  }

  /** A ctime: now, but later than every one before, since virtual time may stand still between two writes. */
  stamp(): number {
    this.lastChangedMs = Math.max(this.nowMs(), this.lastChangedMs + 0.001);
    return this.lastChangedMs;
  }

  /** As device and inode are on a real disk. */
  identityOf(inode: Inode): string {
    const known = this.identities.get(inode);
    if (known !== undefined) return known;
    this.identified += 1;
    const identity = `sim:${this.identified}`;
    this.identities.set(inode, identity);
    return identity;
  }

  changeNames(...entry: JournalEntry): void {
    for (const { directory, name, inode } of entry) {
      assign(directory.live, name, inode);
      directory.changedMs = this.stamp();
    }
    this.journal.push(entry);
  }

  /**
   * Makes every name change that touches this directory durable, with the other half of its renames, and so with the earlier
   * changes of those other directories. The name of the directory itself, in its parent, is not covered.
   */
  flushNames(directory: DirectoryInode): void {
    const directories = new Set([directory]);
    const covered = new Set<JournalEntry>();
    for (const entry of this.journal.toReversed()) {
      if (!entry.some((change) => directories.has(change.directory))) continue;
      covered.add(entry);
      for (const change of entry) directories.add(change.directory);
    }
    for (const entry of this.journal) if (covered.has(entry)) makeDurable(entry);
    this.journal = this.journal.filter((entry) => !covered.has(entry));
  }

  /** Power loss: durable names and bytes stay, and a seeded prefix of what was not flushed. */
  crash(): void {
    this.generation += 1;
    for (const entry of this.journal.slice(0, this.survivors(this.journal.length))) makeDurable(entry);
    this.journal = [];
    this.restore(this.root, new Set());
  }

  /** Half of the crashes are an extreme, where most bugs are: nothing of the journal survives, or all of it. */
  private survivors(count: number): number {
    const draw = this.random.integer(4);
    if (draw === 0) return 0;
    return draw === 1 ? count : this.random.integer(count + 1);
  }

  private restore(inode: Inode, seen: Set<Inode>): void {
    assert(!seen.has(inode), "every inode has one durable name");
    seen.add(inode);
    if (inode.kind === "file") inode.crash(this.random, this.reorders);
    if (inode.kind !== "directory") return;
    inode.live = new Map(inode.durable);
    for (const child of inode.live.values()) this.restore(child, seen);
  }
}

function makeDurable(entry: JournalEntry): void {
  for (const { directory, name, inode } of entry) assign(directory.durable, name, inode);
}

function assign(names: Map<string, Inode>, name: string, inode: Inode | null): void {
  if (inode === null) names.delete(name);
  else names.set(name, inode);
}
