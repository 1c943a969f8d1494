// Follows a file of lines that another program appends to, and keeps the newest evidence of each kind. Invariant: bounded whatever
// the file holds: its end is read, lines that are too long are passed over, and one look reads no more than a fixed part.

import type { FileStat } from "../../host/files.ts";
import type { SessionFiles } from "../presence/session-file.ts";
import type { Evidence } from "./evidence.ts";

/** Where a file that is new to us is begun: so much before its end. */
const firstBytesMax = 128 * 1024;
const readBytesMax = 1024 * 1024;
/** A longer line holds a tool's output. */
const lineCharsMax = 512 * 1024;

const newline = 0x0a;

export class TranscriptTail {
  readonly #files: SessionFiles;
  readonly #path: string;
  readonly #read: (line: string) => Evidence | null;
  readonly #latest = new Map<Evidence["kind"], Evidence>();
  #seen: Pick<FileStat, "size" | "changedMs"> | null = null;
  /** Whole lines before it were read. */
  #offset = 0;

  constructor(files: SessionFiles, path: string, read: (line: string) => Evidence | null) {
    this.#files = files;
    this.#path = path;
    this.#read = read;
  }

  get evidence(): readonly Evidence[] {
    return [...this.#latest.values()];
  }

  /** A file that cannot be read has no evidence. */
  async look(): Promise<void> {
    const stat = await this.#files.stat(this.#path);
    if (!stat.ok || (this.#seen?.size === stat.value.size && this.#seen.changedMs === stat.value.changedMs)) return;
    const first = this.#seen === null;
    this.#seen = stat.value;
    const opened = await this.#files.open(this.#path, "read");
    if (!opened.ok) return;
    const size = await opened.value.size();
    if (size.ok) {
      if (size.value < this.#offset) this.#begin();
      if (first) this.#offset = Math.max(0, size.value - firstBytesMax);
      // Whoever writes more than this at once says the last of it next time, or is begun anew near its end.
      if (size.value - this.#offset > readBytesMax) this.#offset = size.value - firstBytesMax;
      const bytes = await opened.value.read(this.#offset, size.value - this.#offset);
      if (bytes.ok) this.#take(bytes.value);
    }
    await opened.value.close();
  }

  /** The file was replaced by a shorter one. */
  #begin(): void {
    this.#offset = 0;
    this.#latest.clear();
  }

  #take(bytes: Uint8Array): void {
    const end = bytes.lastIndexOf(newline) + 1;
    for (let at = 0; at < end; ) {
      const stop = bytes.indexOf(newline, at);
      if (stop > at && stop - at <= lineCharsMax) this.#line(bytes.subarray(at, stop));
      at = stop + 1;
    }
    this.#offset += end;
  }

  #line(bytes: Uint8Array): void {
    const evidence = this.#read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
    const before = evidence === null ? undefined : this.#latest.get(evidence.kind);
    if (evidence === null || (before !== undefined && before.at > evidence.at)) return;
    this.#latest.set(evidence.kind, evidence);
  }
}
