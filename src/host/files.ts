// Port to a file system. Paths are absolute. Expected failures come back as FileError; nothing here throws for them.

import type { Result } from "../base/result.ts";

export interface FileError {
  readonly kind: "file";
  /** `other` carries the system's own code in `message`. */
  readonly code:
    | "not-found"
    | "exists"
    | "not-directory"
    | "is-directory"
    | "not-empty"
    | "denied"
    /** Full, or the owner's quota is used up. */
    | "no-space"
    /** Mounted read-only, as some systems do with a disk that fails. */
    | "read-only"
    | "io"
    | "too-large"
    | "other";
  readonly path: string;
  readonly message: string;
}

export type FileResult<T> = Promise<Result<T, FileError>>;

export type FileKind = "file" | "directory" | "symlink" | "other";

export interface FileStat {
  readonly kind: FileKind;
  readonly size: number;
  /** Any execute bit of the owner. */
  readonly executable: boolean;
  /** Last change of content or inode (ctime): a program cannot set it back. Fractional milliseconds. */
  readonly changedMs: number;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileKind;
}

export interface FileHandle {
  /** Up to `length` bytes from `offset`; fewer only at the end of the file. */
  read(offset: number, length: number): FileResult<Uint8Array>;
  /** Appends all chunks in order; on the disk when it answers if opened as `durable`. After an error any part may have been written. */
  append(chunks: readonly Uint8Array[]): FileResult<void>;
  /** fdatasync: returns when all appended bytes are on the disk. */
  sync(): FileResult<void>;
  truncate(size: number): FileResult<void>;
  size(): FileResult<number>;
  close(): FileResult<void>;
}

/** Of what is made: `private` is for the owner alone, else the system's usual rights. What is there already keeps its own. */
export interface MakeOptions {
  readonly private?: boolean;
  /** Nobody may write it once it is made. Of files only. */
  readonly readOnly?: boolean;
}

export interface OpenOptions extends MakeOptions {
  /** Each append is as good as one that is followed by `sync`, which is then not needed for it. */
  readonly durable?: boolean;
}

export type SeenFile = { -readonly [Field in "kind" | "size" | "changedMs"]: FileStat[Field] };

/** For who asks about thousands of files at once, where a promise or an object for each costs as much as the question. */
export interface LookNow {
  /** As `Files.stat`, and the process does nothing else meanwhile: puts what it finds into `seen`. */
  seeNow(path: string, seen: SeenFile): FileError | null;
  /** The names of the directories in a directory, as `Files.list` has them, and the process does nothing else meanwhile. */
  directoriesNow(path: string, limit: number): Result<readonly string[], FileError>;
}

export interface Files {
  /** `append` creates the file where it is missing; `create` refuses an existing one. Only regular files are opened. */
  open(path: string, mode: "read" | "append" | "create", options?: OpenOptions): FileResult<FileHandle>;
  /** The whole file, following symlinks; `too-large` beyond `bytesMax`. */
  read(path: string, bytesMax: number): FileResult<Uint8Array>;
  /** Replaces or creates (parents must exist). Not atomic; follows a symlink at `path`. */
  write(path: string, bytes: Uint8Array, options?: MakeOptions & { readonly executable?: boolean }): FileResult<void>;
  /**
   * Never follows a symlink at `to`; shares blocks where the file system can (reflink). The copy has the source's rights; with
   * `executable` it has the system's usual ones, as a file that is made new.
   */
  copy(from: string, to: string, options?: { readonly executable?: boolean }): FileResult<void>;
  /** Regular files only: a symlink is refused, not followed. */
  setExecutable(path: string, executable: boolean): FileResult<void>;
  /** Replaces `to`. */
  rename(from: string, to: string): FileResult<void>;
  /** Removes a file, symlink or whole tree without following symlinks; a missing path is not an error. */
  remove(path: string): FileResult<void>;
  /** Removes a directory with nothing in it, in one step: `not-empty` otherwise. A symlink is `not-directory`. */
  removeEmptyDirectory(path: string): FileResult<void>;
  /** Takes the rights of everybody but the owner from a directory or regular file that is there; a symlink is refused. */
  makePrivate(path: string): FileResult<void>;
  /** Creates parents too; an existing directory is not an error. */
  makeDirectory(path: string, options?: MakeOptions): FileResult<void>;
  /** Creates one directory; `exists` if anything is there: the way to claim a name. */
  claimDirectory(path: string, options?: MakeOptions): FileResult<void>;
  /** Entries sorted by name (UTF-16 order). `limit` caps the count; more gives `too-large`. */
  list(path: string, limit: number): FileResult<readonly DirectoryEntry[]>;
  /** Does not follow symlinks. */
  stat(path: string): FileResult<FileStat>;
  readLink(path: string): FileResult<string>;
  makeLink(target: string, path: string): FileResult<void>;
  /** Every symlink resolved; `not-found` if any part is missing. */
  realPath(path: string): FileResult<string>;
  /** Of what stands at the path, links followed: one text by every name of it, another for a copy (device and inode). */
  identity(path: string): FileResult<string>;
  /** Makes created, renamed and removed names in this directory durable. */
  syncDirectory(path: string): FileResult<void>;
}
