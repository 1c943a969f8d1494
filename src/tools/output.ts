// The output of a command: head and tail in memory whatever its size, and once that is not all, the whole of it in a file that is
// named by its content. No key of ours is in either. Memory stays under twice the kept bytes; the file has a limit of its own.

import { createHash } from "node:crypto";
import { join } from "node:path";
import { SecretFilter } from "../base/secrets.ts";
import type { FileError, FileHandle, Files } from "../host/files.ts";
import { readBytesMax } from "./read-file.ts";

/** Of head and tail together. */
const keptBytesMax = 24_000;
/** As much as read_file can show. */
const savedBytesMax = readBytesMax;

export interface OutputEnd {
  /** Head and tail as text, with a note between them where something is left out. */
  readonly text: string;
  /** Without what was taken out of it. */
  readonly bytes: number;
}

export interface OutputPlace {
  readonly files: Files;
  readonly spillDirectory: string;
  readonly secrets?: readonly string[];
}

export class Output {
  private readonly files: Files;
  private readonly directory: string;
  /** Name of the file while it grows; different for calls that run at the same time. */
  private readonly growing: string;
  private readonly filter: SecretFilter;
  private readonly hash = createHash("sha256");
  private head: Buffer = Buffer.alloc(0);
  private tail: Buffer = Buffer.alloc(0);
  private bytes = 0;
  private saved = 0;
  private handle: FileHandle | null = null;
  private failed: FileError | null = null;
  private last: Promise<void> = Promise.resolve();

  constructor({ files, spillDirectory: directory, secrets = [] }: OutputPlace, name: string) {
    this.files = files;
    this.directory = directory;
    this.filter = new SecretFilter(secrets);
    this.growing = join(directory, `${createHash("sha256").update(name).digest("hex").slice(0, 16)}.part`);
  }

  /** Takes pieces of any source in the order of the calls. */
  take(piece: Uint8Array): Promise<void> {
    this.last = this.last.then(() => this.add(this.filter.take(piece)));
    return this.last;
  }

  /** Closes the file; no more is taken. */
  async end(): Promise<OutputEnd> {
    await this.last;
    await this.add(this.filter.end());
    const half = keptBytesMax / 2;
    if (this.bytes <= keptBytesMax) return { text: text(Buffer.concat([this.head, this.tail])), bytes: this.bytes };
    const where = await this.closeFile();
    const left = this.bytes - 2 * half;
    const note = `\n[… ${left} of ${this.bytes} bytes left out here; ${where} …]\n`;
    return { text: text(this.head) + note + text(this.tail.subarray(-half)), bytes: this.bytes };
  }

  private async add(piece: Uint8Array): Promise<void> {
    if (this.bytes + piece.length > keptBytesMax) await this.save(piece);
    this.bytes += piece.length;
    const room = keptBytesMax / 2 - this.head.length;
    if (room > 0) this.head = Buffer.concat([this.head, piece.subarray(0, room)]);
    this.tail = Buffer.concat([this.tail, piece.subarray(Math.max(0, room))]);
    // Cut only now and then: cutting at each of many small pieces would copy the tail each time.
    if (this.tail.length > keptBytesMax) this.tail = Buffer.from(this.tail.subarray(-keptBytesMax / 2));
  }

  private async save(piece: Uint8Array): Promise<void> {
    if (this.failed !== null) return;
    if (this.handle === null && this.saved === 0) await this.openFile();
    await this.append(piece);
  }

  private async openFile(): Promise<void> {
    const made = await this.files.makeDirectory(this.directory, { private: true });
    const removed = made.ok ? await this.files.remove(this.growing) : made;
    const opened = removed.ok ? await this.files.open(this.growing, "create", { private: true }) : removed;
    if (!opened.ok) {
      this.failed = opened.error;
      return;
    }
    this.handle = opened.value;
    await this.append(Buffer.concat([this.head, this.tail]));
  }

  private async append(piece: Uint8Array): Promise<void> {
    if (this.handle === null) return;
    const part = piece.subarray(0, savedBytesMax - this.saved);
    if (part.length === 0) return;
    const appended = await this.handle.append([part]);
    if (!appended.ok) {
      this.failed = appended.error;
      return;
    }
    this.hash.update(part);
    this.saved += part.length;
  }

  /** Says where the whole output is, or why it is not there. */
  private async closeFile(): Promise<string> {
    const closed = await this.handle?.close();
    const path = join(this.directory, `${this.hash.digest("hex").slice(0, 16)}.txt`);
    const error = this.failed ?? (closed?.ok === false ? closed.error : null);
    const renamed = error === null ? await this.files.rename(this.growing, path) : null;
    if (renamed?.ok !== true) {
      await this.files.remove(this.growing);
      return `the full output could not be saved: ${(error ?? (renamed?.ok === false ? renamed.error : null))?.message}`;
    }
    if (this.saved < this.bytes)
      return `the first ${this.saved} bytes are in ${path}: read the part you need of it, or search it`;
    return `the full output is in ${path}: read the part you need of it, or search it`;
  }
}

function text(bytes: Uint8Array): string {
  return new TextDecoder("utf-8").decode(bytes);
}
