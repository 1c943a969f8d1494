// Bytes that grow at the end in amortized constant time, as the contents of a file do.

export class GrowBuffer {
  size = 0;
  private memory = new Uint8Array(64);

  append(bytes: Uint8Array): void {
    this.reserve(this.size + bytes.length);
    this.memory.set(bytes, this.size);
    this.size += bytes.length;
  }

  /** Cuts, or grows with zeros. */
  truncate(size: number): void {
    this.reserve(size);
    this.memory.fill(0, Math.min(size, this.size), Math.max(size, this.size));
    this.size = size;
  }

  /** A copy of the bytes from `start` to `end`, as far as there are any. */
  slice(start: number, end: number): Uint8Array {
    return this.memory.slice(Math.min(start, this.size), Math.min(end, this.size));
  }

  private reserve(size: number): void {
    if (size <= this.memory.length) return;
    const larger = new Uint8Array(Math.max(size, this.memory.length * 2));
    larger.set(this.memory.subarray(0, this.size));
    this.memory = larger;
  }
}
