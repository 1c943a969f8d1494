// A whole disk as lines of text, so that two runs are compared at once.

import { createHash } from "node:crypto";
import type { Disk } from "./disk.ts";
import type { Inode } from "./inode.ts";

export function dumpDisk(disk: Disk): readonly string[] {
  return linesOf("", disk.root).sort();
}

function linesOf(path: string, inode: Inode): string[] {
  if (inode.kind !== "directory") return [`${path} ${describe(inode)}`];
  return [`${path}/`, ...[...inode.live].flatMap(([name, child]) => linesOf(`${path}/${name}`, child))];
}

function describe(inode: Exclude<Inode, { kind: "directory" }>): string {
  switch (inode.kind) {
    case "symlink":
      return `-> ${inode.target}`;
    case "socket":
      return "socket";
    case "file": {
      const hash = createHash("sha256").update(inode.live.slice(0, inode.live.size)).digest("hex").slice(0, 16);
      return `${inode.executable ? "executable" : "file"} ${inode.live.size} ${hash}`;
    }
  }
}
