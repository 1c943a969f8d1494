// A client's own file with the state of one session, read again whenever it changes.

import type { FileStat } from "../../host/files.ts";
import type { SessionFiles } from "../presence/session-file.ts";
import type { Evidence } from "./evidence.ts";

const stateBytesMax = 64 * 1024;

export class StateFile {
  readonly #files: SessionFiles;
  readonly #path: string;
  readonly #read: (text: string) => Evidence | null;
  #seen: Pick<FileStat, "size" | "changedMs"> | null = null;
  evidence: Evidence | null = null;

  constructor(files: SessionFiles, path: string, read: (text: string) => Evidence | null) {
    this.#files = files;
    this.#path = path;
    this.#read = read;
  }

  /** What cannot be read says nothing. */
  async look(): Promise<void> {
    const stat = await this.#files.stat(this.#path);
    if (!stat.ok) {
      this.#seen = null;
      this.evidence = null;
    } else if (this.#seen?.size !== stat.value.size || this.#seen.changedMs !== stat.value.changedMs) {
      const bytes = await this.#files.read(this.#path, stateBytesMax);
      this.#seen = stat.value;
      this.evidence = bytes.ok ? this.#read(Buffer.from(bytes.value).toString("utf8")) : null;
    }
  }
}
