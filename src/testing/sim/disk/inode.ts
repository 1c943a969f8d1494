// What the simulated disk is made of. A file knows its contents now and those that would survive a power loss for sure,
// with every change in between; a directory knows both sets of names.

import { unreachable } from "../../../base/assert.ts";
import type { FileKind } from "../../../host/files.ts";
import type { SeededRandom } from "../random.ts";
import { GrowBuffer } from "./grow-buffer.ts";

type FileChange =
  | { readonly kind: "append"; readonly bytes: Uint8Array }
  | { readonly kind: "truncate"; readonly size: number };

/** Smaller than a real one, so that small tests see some lost between others. */
const sectorBytes = 64;

export type Inode = FileInode | DirectoryInode | SymlinkInode | SocketInode;

export class FileInode {
  readonly kind = "file";
  executable = false;
  changedMs: number;
  readonly live = new GrowBuffer();
  private durable = new GrowBuffer();
  private volatile: FileChange[] = [];
  private flushedCount = 0;

  constructor(changedMs: number) {
    this.changedMs = changedMs;
  }

  append(bytes: Uint8Array): void {
    this.change({ kind: "append", bytes: bytes.slice() });
  }

  truncate(size: number): void {
    this.change({ kind: "truncate", size });
  }

  /** Number of changes since the file was made. */
  get changeCount(): number {
    return this.flushedCount + this.volatile.length;
  }

  /** Makes the file's first `count` changes durable. */
  flush(count: number): void {
    const flushed = this.volatile.splice(0, Math.max(0, count - this.flushedCount));
    for (const change of flushed) apply(this.durable, change);
    this.flushedCount += flushed.length;
  }

  /** Power loss: some of the oldest changes survive, and of the next append some of its first bytes. */
  crash(random: SeededRandom, reorders: boolean): void {
    if (reorders && this.scatter(random)) return this.settle();
    const survivors = random.integer(this.volatile.length + 1);
    const torn = this.volatile[survivors];
    this.flush(this.flushedCount + survivors);
    if (torn?.kind === "append") this.durable.append(torn.bytes.subarray(0, random.integer(torn.bytes.length + 1)));
    this.settle();
  }

  /** A disk that writes sectors in any order: of those appended since the last flush some are there, the others read as zeros. */
  private scatter(random: SeededRandom): boolean {
    const lost = this.volatile.flatMap((change) => (change.kind === "append" ? [change.bytes] : []));
    if (lost.length === 0 || lost.length < this.volatile.length || random.integer(2) === 0) return false;
    const bytes = Buffer.concat(lost);
    const kept = Buffer.alloc(bytes.length);
    let end = 0;
    for (let at = 0; at < bytes.length; at += sectorBytes) {
      if (random.integer(2) === 0) continue;
      end = at + bytes.copy(kept, at, at, at + sectorBytes);
    }
    this.durable.append(kept.subarray(0, end));
    return true;
  }

  private settle(): void {
    this.flushedCount += this.volatile.length;
    this.volatile = [];
    this.live.truncate(0);
    this.live.append(this.durable.slice(0, this.durable.size));
  }

  private change(change: FileChange): void {
    apply(this.live, change);
    this.volatile.push(change);
  }
}

export class DirectoryInode {
  readonly kind = "directory";
  changedMs: number;
  live = new Map<string, Inode>();
  readonly durable = new Map<string, Inode>();

  constructor(changedMs: number) {
    this.changedMs = changedMs;
  }
}

export class SymlinkInode {
  readonly kind = "symlink";
  changedMs: number;
  readonly target: string;

  constructor(target: string, changedMs: number) {
    this.target = target;
    this.changedMs = changedMs;
  }
}

export class SocketInode {
  readonly kind = "socket";
  changedMs: number;

  constructor(changedMs: number) {
    this.changedMs = changedMs;
  }
}

export function fileKindOf(inode: Inode): FileKind {
  return inode.kind === "socket" ? "other" : inode.kind;
}

function apply(buffer: GrowBuffer, change: FileChange): void {
  switch (change.kind) {
    case "append":
      return buffer.append(change.bytes);
    case "truncate":
      return buffer.truncate(change.size);
    default:
      return unreachable(change);
  }
}
