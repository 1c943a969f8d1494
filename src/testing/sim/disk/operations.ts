// The bodies of the Files port on the simulated disk: each happens at one instant and answers a value or a fault.

import { ok, type Result } from "../../../base/result.ts";
import type { DirectoryEntry, FileStat } from "../../../host/files.ts";
import type { Disk } from "./disk.ts";
import { DirectoryInode, FileInode, fileKindOf, type Inode, SymlinkInode } from "./inode.ts";
import { type Fault, fault, type Place, walk } from "./walk.ts";

type Outcome<T> = Result<T, Fault>;

const NOT_FOUND = "ENOENT: no such file or directory";

export function existing(disk: Disk, path: string, followLast: boolean): Outcome<Place & { readonly inode: Inode }> {
  const found = walk(disk.root, path, followLast);
  if (!found.ok) return found;
  const { inode } = found.value;
  return inode === null ? fault("not-found", NOT_FOUND) : ok({ ...found.value, inode });
}

export function fileAt(disk: Disk, path: string): Outcome<FileInode> {
  const found = existing(disk, path, true);
  return found.ok ? asFile(found.value.inode) : found;
}

/** The file at `path` through links, created where nothing is; `fresh` says which. */
export function fileToWrite(disk: Disk, path: string): Outcome<{ readonly file: FileInode; readonly fresh: boolean }> {
  const found = walk(disk.root, path, true);
  if (!found.ok) return found;
  const { parent, name, inode } = found.value;
  if (inode === null) return ok({ file: createFile(disk, parent, name), fresh: true });
  const file = asFile(inode);
  return file.ok ? ok({ file: file.value, fresh: false }) : file;
}

/** As O_EXCL: whatever is at `path`, a dangling link too, is `exists`. */
export function createAt(disk: Disk, path: string): Outcome<FileInode> {
  const found = walk(disk.root, path, false);
  if (!found.ok) return found;
  if (found.value.inode !== null) return fault("exists", "EEXIST: file exists");
  return ok(createFile(disk, found.value.parent, found.value.name));
}

export function copy(disk: Disk, from: string, to: string, executable: boolean | undefined): Outcome<void> {
  const source = fileAt(disk, from);
  if (!source.ok) return source;
  const target = walk(disk.root, to, false);
  if (!target.ok) return target;
  const { parent, name, inode } = target.value;
  if (inode?.kind === "directory") return fault("is-directory", "EISDIR: is a directory");
  const file = new FileInode(disk.stamp());
  file.append(source.value.live.slice(0, source.value.live.size));
  file.executable = executable ?? source.value.executable;
  disk.changeNames({ directory: parent, name, inode: file });
  return ok(undefined);
}

export function setExecutable(disk: Disk, path: string, executable: boolean): Outcome<void> {
  const found = existing(disk, path, false);
  if (!found.ok) return found;
  const { inode } = found.value;
  if (inode.kind !== "file") return fault("other", "not a regular file");
  inode.executable = executable;
  inode.changedMs = disk.stamp();
  return ok(undefined);
}

/** The simulated machine has one user: only what can be refused is. */
export function makePrivate(disk: Disk, path: string): Outcome<void> {
  const found = existing(disk, path, false);
  if (!found.ok) return found;
  return found.value.inode.kind === "symlink" ? fault("other", "ELOOP: a symbolic link") : ok(undefined);
}

export function rename(disk: Disk, from: string, to: string): Outcome<void> {
  // As the kernel: both parents first, then the names in them.
  const source = walk(disk.root, from, false);
  if (!source.ok) return source;
  const target = walk(disk.root, to, false);
  if (!target.ok) return target;
  const moved = source.value.inode;
  if (moved === null) return fault("not-found", NOT_FOUND);
  const replaced = target.value.inode;
  if (moved === disk.root || replaced === disk.root) return fault("other", "EBUSY: the root");
  if (moved === replaced) return ok(undefined);
  if (moved.kind === "directory" && holds(moved, target.value.parent)) return fault("other", "EINVAL: into itself");
  if (replaced?.kind === "directory" && holds(replaced, source.value.parent)) {
    return fault("not-empty", "ENOTEMPTY: directory not empty");
  }
  if (replaced?.kind === "directory") {
    if (moved.kind !== "directory") return fault("is-directory", "EISDIR: is a directory");
    if (replaced.live.size > 0) return fault("not-empty", "ENOTEMPTY: directory not empty");
  } else if (replaced !== null && moved.kind === "directory") {
    return fault("not-directory", "ENOTDIR: not a directory");
  }
  moved.changedMs = disk.stamp();
  disk.changeNames(
    { directory: source.value.parent, name: source.value.name, inode: null },
    { directory: target.value.parent, name: target.value.name, inode: moved },
  );
  return ok(undefined);
}

export function remove(disk: Disk, path: string): Outcome<void> {
  const found = walk(disk.root, path, false);
  if (!found.ok)
    return found.error.code === "not-found" || found.error.code === "not-directory" ? ok(undefined) : found;
  const { parent, name, inode } = found.value;
  if (inode === disk.root) return fault("other", "EBUSY: the root");
  if (inode !== null) removeTree(disk, parent, name, inode);
  return ok(undefined);
}

export function removeEmptyDirectory(disk: Disk, path: string): Outcome<void> {
  const found = existing(disk, path, false);
  if (!found.ok) return found;
  const { parent, name, inode } = found.value;
  if (inode.kind !== "directory") return fault("not-directory", "ENOTDIR: not a directory");
  if (inode === disk.root) return fault("other", "EBUSY: the root");
  if (inode.live.size > 0) return fault("not-empty", "ENOTEMPTY: directory not empty");
  disk.changeNames({ directory: parent, name, inode: null });
  return ok(undefined);
}

export function makeDirectory(disk: Disk, path: string): Outcome<void> {
  const parts = path.split("/").filter((part) => part !== "");
  for (let count = 0; count <= parts.length; count++) {
    const prefix = `/${parts.slice(0, count).join("/")}`;
    const found = walk(disk.root, prefix, true);
    if (!found.ok) return found;
    const { parent, name, inode } = found.value;
    if (inode === null) {
      // A dangling link is in the way: nothing creates a directory through it. The codes are those Node gives.
      const itself = walk(disk.root, prefix, false);
      if (!itself.ok || itself.value.inode !== null) {
        return count === parts.length
          ? fault("not-found", NOT_FOUND)
          : fault("not-directory", "ENOTDIR: a dangling link");
      }
      disk.changeNames({ directory: parent, name, inode: new DirectoryInode(disk.stamp()) });
    } else if (inode.kind !== "directory") {
      return count === parts.length
        ? fault("exists", "EEXIST: file exists")
        : fault("not-directory", "ENOTDIR: not a directory");
    }
  }
  return ok(undefined);
}

export function claimDirectory(disk: Disk, path: string): Outcome<void> {
  return createNamed(disk, path, new DirectoryInode(disk.stamp()));
}

export function makeLink(disk: Disk, target: string, path: string): Outcome<void> {
  if (target === "") return fault("not-found", NOT_FOUND);
  return createNamed(disk, path, new SymlinkInode(target, disk.stamp()));
}

export function readLink(disk: Disk, path: string): Outcome<string> {
  const found = existing(disk, path, false);
  if (!found.ok) return found;
  const { inode } = found.value;
  return inode.kind === "symlink" ? ok(inode.target) : fault("other", "EINVAL: not a symbolic link");
}

export function list(disk: Disk, path: string, limit: number): Outcome<readonly DirectoryEntry[]> {
  const directory = directoryAt(disk, path);
  if (!directory.ok) return directory;
  const { live } = directory.value;
  if (live.size > limit) return fault("too-large", `more than ${limit} entries`);
  const entries = [...live].map(([name, inode]) => ({ name, kind: fileKindOf(inode) }));
  return ok(entries.sort((a, b) => (a.name < b.name ? -1 : 1)));
}

export function directoryAt(disk: Disk, path: string): Outcome<DirectoryInode> {
  const found = existing(disk, path, true);
  if (!found.ok) return found;
  const { inode } = found.value;
  return inode.kind === "directory" ? ok(inode) : fault("not-directory", "ENOTDIR: not a directory");
}

export function stat(disk: Disk, path: string): Outcome<FileStat> {
  const found = existing(disk, path, false);
  if (!found.ok) return found;
  const { inode } = found.value;
  const size = inode.kind === "file" ? inode.live.size : inode.kind === "symlink" ? Buffer.byteLength(inode.target) : 0;
  const executable = inode.kind === "file" ? inode.executable : inode.kind !== "socket";
  return ok({ kind: fileKindOf(inode), size, executable, changedMs: inode.changedMs });
}

export function createNamed(disk: Disk, path: string, inode: Inode): Outcome<void> {
  const found = walk(disk.root, path, false);
  if (!found.ok) return found;
  if (found.value.inode !== null) return fault("exists", "EEXIST: file exists");
  disk.changeNames({ directory: found.value.parent, name: found.value.name, inode });
  return ok(undefined);
}

export function asFile(inode: Inode): Outcome<FileInode> {
  if (inode.kind === "file") return ok(inode);
  return inode.kind === "directory"
    ? fault("is-directory", "EISDIR: is a directory")
    : fault("other", "not a regular file");
}

function createFile(disk: Disk, directory: DirectoryInode, name: string): FileInode {
  const file = new FileInode(disk.stamp());
  disk.changeNames({ directory, name, inode: file });
  return file;
}

/** Name by name and from the leaves, as a real removal goes, so that a power loss can leave a part of the tree. */
function removeTree(disk: Disk, parent: DirectoryInode, name: string, inode: Inode): void {
  if (inode.kind === "directory") {
    for (const [childName, child] of [...inode.live]) removeTree(disk, inode, childName, child);
  }
  disk.changeNames({ directory: parent, name, inode: null });
}

function holds(directory: DirectoryInode, sought: DirectoryInode): boolean {
  if (directory === sought) return true;
  return [...directory.live.values()].some((child) => child.kind === "directory" && holds(child, sought));
}
