// The Files port on node:fs. Opening never blocks on a pipe or device, and nothing but `write` and `read` follows a symlink at its path.

import { constants } from "node:fs";
import {
  chmod,
  stat as lookAt,
  lstat,
  mkdir,
  opendir,
  open as openFile,
  readlink,
  realpath,
  rename,
  rmdir,
  symlink,
} from "node:fs/promises";
import { dirname } from "node:path";
import { ok } from "../../base/result.ts";
import type {
  DirectoryEntry,
  FileHandle,
  FileKind,
  FileResult,
  FileStat,
  Files,
  OpenOptions,
} from "../../host/files.ts";
import { copyFileTo } from "./copy-file.ts";
import { attempt, fileFault, systemError } from "./errors.ts";
import { nodeFileHandle } from "./file-handle.ts";
import { directoryMode, executableMode, fileMode } from "./mode.ts";
import { removeTree } from "./remove-tree.ts";
import { readWhole, writeWhole } from "./whole-file.ts";

const { O_RDONLY, O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_NONBLOCK, O_NOFOLLOW, O_DIRECTORY, O_DSYNC } = constants;

/** On macOS the flag leaves the bytes in the disk's own cache, which Node's fdatasync does not. */
const syncsByFlag = process.platform === "linux";

const OPEN_FLAGS = {
  // Without O_NONBLOCK opening a named pipe would hold one of the few pool threads until somebody writes to it.
  read: O_RDONLY | O_NONBLOCK,
  append: O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK,
  create: O_RDWR | O_APPEND | O_CREAT | O_EXCL,
} as const;

export const nodeFiles: Files = {
  open,
  read: readWhole,
  write: writeWhole,
  copy: copyFileTo,
  setExecutable,
  rename: (from, to) => attempt(from, () => rename(from, to)),
  remove: removeTree,
  removeEmptyDirectory: (path) => attempt(path, () => rmdir(path)),
  makePrivate,
  makeDirectory: (path, options) => attempt(path, () => makeWithParents(path, directoryMode(options))),
  claimDirectory: (path, options) => attempt(path, async () => void (await mkdir(path, directoryMode(options)))),
  list,
  stat,
  readLink: (path) => attempt(path, () => readlink(path)),
  makeLink: (target, path) => attempt(path, () => symlink(target, path)),
  realPath: (path) => attempt(path, () => realpath(path)),
  identity: (path) =>
    attempt(path, async () => {
      const { dev, ino } = await lookAt(path, { bigint: true });
      return `${dev}:${ino}`;
    }),
  syncDirectory,
};

async function open(path: string, mode: "read" | "append" | "create", options?: OpenOptions): FileResult<FileHandle> {
  const durable = options?.durable !== true ? "not" : syncsByFlag ? "by-flag" : "by-call";
  const flags = durable === "by-flag" ? OPEN_FLAGS[mode] | O_DSYNC : OPEN_FLAGS[mode];
  const opened = await attempt(path, () => openFile(path, flags, fileMode(options)));
  if (!opened.ok) return opened;
  const stats = await attempt(path, () => opened.value.stat());
  if (stats.ok && stats.value.isFile()) return ok(nodeFileHandle(path, opened.value, durable));
  await opened.value.close();
  if (!stats.ok) return stats;
  if (stats.value.isDirectory()) return fileFault(path, "is-directory", "EISDIR: is a directory");
  return fileFault(path, "other", "not a regular file");
}

/** Node's own recursive mkdir asks for ever where the system answers ENOENT below a directory that exists, as /proc does. */
async function makeWithParents(path: string, mode: number): Promise<void> {
  if ((await tryMake(path, mode)) !== "no-parent") return;
  const parent = dirname(path);
  if (parent !== path) await makeWithParents(parent, mode);
  await mkdir(path, mode).catch(async (cause: unknown) => {
    if (!(await isDirectory(path))) throw cause;
  });
}

async function tryMake(path: string, mode: number): Promise<"made" | "no-parent"> {
  try {
    await mkdir(path, mode);
    return "made";
  } catch (cause) {
    if (systemError(cause).code === "ENOENT") return "no-parent";
    if (await isDirectory(path)) return "made";
    throw cause;
  }
}

/** Follows a symlink, as mkdir's answer for one does. */
async function isDirectory(path: string): Promise<boolean> {
  return lookAt(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

async function setExecutable(path: string, executable: boolean): FileResult<void> {
  const stats = await attempt(path, () => lstat(path));
  if (!stats.ok) return stats;
  // chmod follows symlinks, and one left in a workspace may point anywhere.
  if (!stats.value.isFile()) return fileFault(path, "other", "not a regular file");
  const { mode } = stats.value;
  return attempt(path, () => chmod(path, executableMode(mode, executable)));
}

/** Through an open handle, so that nothing can be put in its place between the look and the change. */
function makePrivate(path: string): FileResult<void> {
  return attempt(path, async () => {
    const handle = await openFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const { mode } = await handle.stat();
      if ((mode & 0o077) !== 0) await handle.chmod(mode & 0o700);
    } finally {
      await handle.close();
    }
  });
}

async function list(path: string, limit: number): FileResult<readonly DirectoryEntry[]> {
  const entries: DirectoryEntry[] = [];
  const read = await attempt(path, async () => {
    // Leaving the loop closes the directory.
    for await (const entry of await opendir(path, { bufferSize: 256 })) {
      entries.push({ name: entry.name, kind: kindOf(entry) });
      if (entries.length > limit) return;
    }
  });
  if (!read.ok) return read;
  if (entries.length > limit) return fileFault(path, "too-large", `more than ${limit} entries`);
  return ok(entries.sort((a, b) => (a.name < b.name ? -1 : 1)));
}

function stat(path: string): FileResult<FileStat> {
  return attempt(path, async () => {
    const stats = await lstat(path);
    // Not rounded in any other way than by `seeNow`: times are kept, and compared with what another process says.
    const { mode, size, ctimeMs: changedMs } = stats;
    return { kind: kindOf(stats), size, executable: (mode & 0o100) !== 0, changedMs };
  });
}

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): FileKind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "symlink" : "other";
}

function syncDirectory(path: string): FileResult<void> {
  return attempt(path, async () => {
    const handle = await openFile(path, O_RDONLY | O_DIRECTORY);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  });
}
