// HTTP headers as `Headers` has them, as far as the SDK asks: Node's own class brings all of its `fetch` with it, which takes longer to load
// than a short answer to come. Names have no case and are listed in order; fields that came more than once are joined.

export class PlainHeaders implements Iterable<[string, string]> {
  readonly #fields = new Map<string, string>();

  constructor(given: Iterable<readonly [string, string]> | Readonly<Record<string, string>> = {}) {
    const fields = Symbol.iterator in given ? given : Object.entries(given);
    for (const [name, value] of fields) this.append(name, value);
  }

  append(name: string, value: string): void {
    const key = name.toLowerCase();
    const before = this.#fields.get(key);
    this.#fields.set(key, before === undefined ? value.trim() : `${before}, ${value.trim()}`);
  }

  set(name: string, value: string): void {
    this.#fields.set(name.toLowerCase(), value.trim());
  }

  get(name: string): string | null {
    return this.#fields.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#fields.has(name.toLowerCase());
  }

  delete(name: string): void {
    this.#fields.delete(name.toLowerCase());
  }

  forEach(each: (value: string, name: string) => void): void {
    for (const [name, value] of this) each(value, name);
  }

  entries(): IterableIterator<[string, string]> {
    return [...this.#fields].toSorted(([a], [b]) => (a < b ? -1 : 1)).values();
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries();
  }
}
