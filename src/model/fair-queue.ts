// A queue that is fair between owners: each owner's items leave in order, and owners take turns, so that one with many items
// does not hold up the others. With one item an owner it is first in, first out.

export class FairQueue<Owner, Item> {
  /** In the order in which the owners' turns come. No line is empty. */
  private readonly lines = new Map<Owner, Item[]>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  add(owner: Owner, item: Item): void {
    this.count++;
    const line = this.lines.get(owner);
    if (line === undefined) this.lines.set(owner, [item]);
    else line.push(item);
  }

  /** The next item; its owner goes to the end of the turns. */
  shift(): Item | undefined {
    for (const [owner, line] of this.lines) {
      const item = line.shift();
      this.count--;
      this.lines.delete(owner);
      if (line.length > 0) this.lines.set(owner, line);
      return item;
    }
    return undefined;
  }

  remove(owner: Owner, item: Item): void {
    const line = this.lines.get(owner) ?? [];
    const index = line.indexOf(item);
    if (index === -1) return;
    line.splice(index, 1);
    this.count--;
    if (line.length === 0) this.lines.delete(owner);
  }

  /** Takes out every item that `goes`, in the order of the turns. */
  removeWhere(goes: (item: Item) => boolean): readonly Item[] {
    const gone: Item[] = [];
    for (const [owner, line] of [...this.lines]) {
      const kept: Item[] = [];
      for (const item of line) (goes(item) ? gone : kept).push(item);
      if (kept.length === 0) this.lines.delete(owner);
      else this.lines.set(owner, kept);
    }
    this.count -= gone.length;
    return gone;
  }
}
