// The part of the Files port that a hook needs, on Node's synchronous calls: a process that lives for milliseconds has nothing else
// to do meanwhile, and the way through the thread pool costs more than the call. Only for small files.

import {
  closeSync,
  constants,
  fchmodSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { ok, type Result } from "../../base/result.ts";
import type {
  DirectoryEntry,
  FileError,
  FileHandle,
  FileKind,
  FileResult,
  FileStat,
  Files,
  LookNow,
  MakeOptions,
  SeenFile,
} from "../../host/files.ts";
import { fileError, fileFault, systemError } from "./errors.ts";
import { directoryMode, executableMode, fileMode } from "./mode.ts";

const { O_RDONLY, O_RDWR, O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_TRUNC } = constants;

const OPEN_FLAGS = {
  read: O_RDONLY | O_NONBLOCK,
  append: O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK,
  create: O_RDWR | O_APPEND | O_CREAT | O_EXCL,
} as const;

export type SmallFiles = Pick<
  Files,
  | "open"
  | "read"
  | "write"
  | "rename"
  | "remove"
  | "makePrivate"
  | "makeDirectory"
  | "list"
  | "stat"
  | "readLink"
  | "realPath"
> &
  LookNow;

export const syncFiles: SmallFiles = {
  open: async (path, mode, options) => open(path, mode, options),
  read: async (path, bytesMax) => read(path, bytesMax),
  write: async (path, bytes, options) => write(path, bytes, options),
  rename: async (from, to) => attemptSync(from, () => renameSync(from, to)),
  remove,
  makePrivate: async (path) => attemptSync(path, () => makePrivate(path)),
  makeDirectory: async (path, options) => attemptSync(path, () => makeDirectory(path, directoryMode(options))),
  list: async (path, limit) => list(path, limit),
  stat: async (path) => statOf(path),
  seeNow,
  directoriesNow,
  readLink: async (path) => attemptSync(path, () => readlinkSync(path)),
  realPath: async (path) => attemptSync(path, () => realpathSync.native(path)),
};

/** A tree's removal is loaded when it is needed: most hooks remove a file at the most, and it brings much of Node with it. */
async function remove(path: string): FileResult<void> {
  const unlinked = attemptSync(path, () => unlinkSync(path));
  if (unlinked.ok || unlinked.error.code === "not-found" || unlinked.error.code === "not-directory")
    return ok(undefined);
  const { removeTree } = await import("./remove-tree.ts");
  return removeTree(path);
}

function attemptSync<T>(path: string, work: () => T): Result<T, FileError> {
  try {
    return ok(work());
  } catch (cause) {
    return { ok: false, error: fileError(path, cause) };
  }
}

function open(path: string, mode: keyof typeof OPEN_FLAGS, options?: MakeOptions): Result<FileHandle, FileError> {
  const opened = openRegular(path, OPEN_FLAGS[mode], options);
  return opened.ok ? ok(handle(path, opened.value.fd)) : opened;
}

function openRegular(
  path: string,
  flags: number,
  options?: MakeOptions,
): Result<{ readonly fd: number; readonly size: number }, FileError> {
  const opened = attemptSync(path, () => openSync(path, flags, fileMode(options)));
  if (!opened.ok) return opened;
  const stats = attemptSync(path, () => fstatSync(opened.value));
  if (stats.ok && stats.value.isFile()) return ok({ fd: opened.value, size: stats.value.size });
  closeSync(opened.value);
  if (!stats.ok) return stats;
  if (stats.value.isDirectory()) return fileFault(path, "is-directory", "EISDIR: is a directory");
  return fileFault(path, "other", "not a regular file");
}

function handle(path: string, fd: number): FileHandle {
  let closed = false;
  // The number of a closed file soon names another one.
  const whileOpen = <T>(work: () => T): Result<T, FileError> =>
    closed ? fileFault(path, "other", "EBADF: the file is closed") : attemptSync(path, work);
  return {
    read: async (offset, length) => whileOpen(() => readAt(fd, offset, length)),
    append: async (chunks) => whileOpen(() => appendAll(fd, chunks)),
    sync: async () => whileOpen(() => fdatasyncSync(fd)),
    truncate: async (size) => whileOpen(() => ftruncateSync(fd, size)),
    size: async () => whileOpen(() => fstatSync(fd).size),
    close: async () => {
      if (closed) return ok(undefined);
      closed = true;
      return attemptSync(path, () => closeSync(fd));
    },
  };
}

function readAt(fd: number, offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(fd, bytes, filled, length - filled, offset + filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

/** One write where there is one chunk, as a record that must not be torn needs it. */
function appendAll(fd: number, chunks: readonly Uint8Array[]): void {
  for (const chunk of chunks) for (let done = 0; done < chunk.length; ) done += writeSync(fd, chunk, done);
}

function read(path: string, bytesMax: number): Result<Uint8Array, FileError> {
  const opened = openRegular(path, O_RDONLY | O_NONBLOCK);
  if (!opened.ok) return opened;
  const { fd, size } = opened.value;
  const result = attemptSync(path, () => {
    let bytes = readAt(fd, 0, Math.min(Math.max(size, emptyLookingBytes), bytesMax) + 1);
    // It grew meanwhile, or it is one of those whose size says 0.
    while (bytes.length > size && bytes.length <= bytesMax) {
      const longer = readAt(fd, 0, Math.min(bytes.length * 2, bytesMax + 1));
      if (longer.length === bytes.length) break;
      bytes = longer;
    }
    return bytes;
  });
  closeSync(fd);
  if (result.ok && result.value.length > bytesMax) return fileFault(path, "too-large", `larger than ${bytesMax} bytes`);
  return result.ok ? ok(withoutSpare(result.value)) : result;
}

const emptyLookingBytes = 4096;

/** A copy where it would keep much more memory than it holds. */
function withoutSpare(bytes: Uint8Array): Uint8Array {
  return bytes.length * 2 < bytes.buffer.byteLength ? bytes.slice() : bytes;
}

function write(
  path: string,
  bytes: Uint8Array,
  options?: MakeOptions & { readonly executable?: boolean },
): Result<void, FileError> {
  const executable = options?.executable;
  const opened = openRegular(path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, options);
  if (!opened.ok) return opened;
  const { fd } = opened.value;
  const written = attemptSync(path, () => {
    appendAll(fd, [bytes]);
    if (executable !== undefined) fchmodSync(fd, executableMode(fstatSync(fd).mode, executable));
  });
  closeSync(fd);
  return written;
}

function makeDirectory(path: string, mode: number): void {
  // It is there nearly always, and then no exception is made.
  if (isDirectory(path)) return;
  if (makeOne(path, mode) !== "no-parent") return;
  const parent = dirname(path);
  if (parent !== path) makeDirectory(parent, mode);
  if (makeOne(path, mode) === "no-parent") mkdirSync(path);
}

function makePrivate(path: string): void {
  const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const { mode } = fstatSync(file);
    if ((mode & 0o077) !== 0) fchmodSync(file, mode & 0o700);
  } finally {
    closeSync(file);
  }
}

function makeOne(path: string, mode: number): "made" | "there" | "no-parent" {
  try {
    mkdirSync(path, { mode });
    return "made";
  } catch (cause) {
    if (systemError(cause).code === "ENOENT") return "no-parent";
    if (isDirectory(path)) return "there";
    throw cause;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function list(path: string, limit: number): Result<readonly DirectoryEntry[], FileError> {
  const read = attemptSync(path, () => readdirSync(path, { withFileTypes: true }));
  if (!read.ok) return read;
  if (read.value.length > limit) return fileFault(path, "too-large", `more than ${limit} entries`);
  const entries = read.value.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
  return ok(entries.sort((a, b) => (a.name < b.name ? -1 : 1)));
}

function directoriesNow(path: string, limit: number): Result<readonly string[], FileError> {
  const read = attemptSync(path, () => readdirSync(path, { withFileTypes: true }));
  if (!read.ok) return read;
  if (read.value.length > limit) return fileFault(path, "too-large", `more than ${limit} entries`);
  const names: string[] = [];
  for (const entry of read.value) if (entry.isDirectory()) names.push(entry.name);
  return ok(names.sort());
}

function seeNow(path: string, seen: SeenFile): FileError | null {
  try {
    const stats = lstatSync(path, quietly);
    if (stats === undefined) return { kind: "file", code: "not-found", path, message: missing };
    seen.kind = kindOf(stats);
    seen.size = stats.size;
    seen.changedMs = stats.ctimeMs;
    return null;
  } catch (cause) {
    return fileError(path, cause);
  }
}

/** Most questions are about what may be missing, and an exception costs several times the call. */
function statOf(path: string): Result<FileStat, FileError> {
  try {
    const stats = lstatSync(path, quietly);
    if (stats === undefined) return fileFault(path, "not-found", missing);
    const { mode, size, ctimeMs: changedMs } = stats;
    return ok({ kind: kindOf(stats), size, executable: (mode & 0o100) !== 0, changedMs });
  } catch (cause) {
    return { ok: false, error: fileError(path, cause) };
  }
}

const quietly = { throwIfNoEntry: false };
const missing = "ENOENT: no such file or directory";

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): FileKind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "symlink" : "other";
}
