// Path resolution as POSIX has it (path_resolution(7)): `..` after links, at most 40 links, names of at most 255 bytes.

import { err, ok, type Result } from "../../../base/result.ts";
import type { FileError } from "../../../host/files.ts";
import type { DirectoryInode, Inode } from "./inode.ts";

const linksMax = 40;
const nameBytesMax = 255;
const pathBytesMax = 4095;

export interface Place {
  /** Holds the last name; for the root, the root itself with an empty name. */
  readonly parent: DirectoryInode;
  readonly name: string;
  readonly inode: Inode | null;
  /** Without links, `.` and `..`. */
  readonly realPath: string;
}

export interface Fault {
  readonly code: FileError["code"];
  readonly message: string;
}

interface Step {
  readonly name: string;
  readonly directory: DirectoryInode;
}

export function fault(code: FileError["code"], message: string): Result<never, Fault> {
  return err({ code, message });
}

/** Where `path` leads. The last name may be missing (`inode` null); every one before it must be a directory. */
export function walk(root: DirectoryInode, path: string, followLast: boolean): Result<Place, Fault> {
  if (!path.startsWith("/") || path.includes("\0")) return fault("other", "EINVAL: not an absolute path");
  if (Buffer.byteLength(path) > pathBytesMax) return fault("other", "ENAMETOOLONG: path too long");
  const rest = partsOf(path);
  let steps: Step[] = [];
  let links = 0;
  while (true) {
    const name = rest.shift();
    const directory = steps.at(-1)?.directory ?? root;
    if (name === undefined) return ok(placeOf(root, steps));
    if (name === "..") {
      steps = steps.slice(0, -1);
      continue;
    }
    if (Buffer.byteLength(name) > nameBytesMax) return fault("other", "ENAMETOOLONG: name too long");
    const inode = directory.live.get(name) ?? null;
    const last = rest.length === 0;
    if (inode?.kind === "symlink" && (!last || followLast)) {
      if (++links > linksMax) return fault("other", "ELOOP: too many symbolic links");
      if (inode.target.startsWith("/")) steps = [];
      rest.unshift(...partsOf(inode.target));
      continue;
    }
    if (inode?.kind === "directory") {
      steps.push({ name, directory: inode });
      continue;
    }
    if (last) return ok({ parent: directory, name, inode, realPath: join(steps, name) });
    return inode === null
      ? fault("not-found", "ENOENT: no such directory")
      : fault("not-directory", "ENOTDIR: not a directory");
  }
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

function placeOf(root: DirectoryInode, steps: readonly Step[]): Place {
  const last = steps.at(-1);
  if (last === undefined) return { parent: root, name: "", inode: root, realPath: "/" };
  const before = steps.slice(0, -1);
  return {
    parent: before.at(-1)?.directory ?? root,
    name: last.name,
    inode: last.directory,
    realPath: join(before, last.name),
  };
}

function join(steps: readonly Step[], name: string): string {
  return `/${[...steps.map((step) => step.name), name].join("/")}`;
}
