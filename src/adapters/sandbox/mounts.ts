// The file system that a command sees, as arguments of bubblewrap (bwrap(1)): the machine, read-only, with places covered and others
// laid open in it. Pure. Invariant: what lies deeper is mounted later, so that the narrower word holds.

import { dirname, join } from "node:path";
import { isWithin, type Masked, type Survey } from "./survey.ts";

export interface Box {
  readonly root: string;
  readonly writable: boolean;
  readonly temporary: string;
  readonly shown: readonly string[];
  /** Places in it that may not be written all the same. */
  readonly guarded: readonly string[];
  /** More places that may be written, whatever is said of them elsewhere. */
  readonly open: readonly string[];
}

type Mount =
  | { readonly at: string; readonly how: "read" | "write"; readonly from: string }
  | { readonly at: string; readonly how: "empty-directory" | "empty-file" };

/**
 * Settings of the kernel, which root may write as their owner, without any capability (proc(5), sysctl(8)): `core_pattern` names a program
 * that runs outside. bubblewrap covers a directory of them only where the directory itself may be written, which none may.
 */
const KERNEL_SETTINGS: readonly string[] = [
  "acpi",
  "asound",
  "bus",
  "driver",
  "dynamic_debug",
  "fs",
  "irq",
  "latency_stats",
  "mtrr",
  "pressure",
  "scsi",
  "sys",
  "sysrq-trigger",
  "timer_stats",
  "tty",
].map((name) => join("/proc", name));

export function mountArguments(survey: Survey, box: Box): readonly string[] {
  const mounts = inOrder([...open(box), ...covered(survey, box)]);
  const empty = mounts.filter(({ how }) => how === "empty-directory").map(({ at }) => at);
  return [
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...KERNEL_SETTINGS.flatMap((at) => ["--ro-bind-try", at, at]),
    ...mounts.flatMap(argumentsOf),
    // Whoever writes there is told, where the file would only vanish.
    ...empty.flatMap((at) => ["--remount-ro", at]),
  ];
}

/** First in the list wins over what is said of the same place later. */
function open({ root, writable, temporary, guarded, shown, open: more }: Box): readonly Mount[] {
  const read = (at: string): Mount => ({ at, how: "read", from: at });
  const write = (at: string): Mount => (writable ? { at, how: "write", from: at } : read(at));
  return [
    ...more.map(write),
    ...guarded.map(read),
    // A place whose directory could be moved away would be free again: what is mounted cannot be moved.
    ...guarded.flatMap((at) => between(root, at)).map(write),
    write(root),
    ...shown.map(read),
    { at: "/tmp", how: "write", from: temporary },
  ];
}

/** Directories below `root` that lead to `path`. */
function between(root: string, path: string): readonly string[] {
  const above = dirname(path);
  return above !== root && isWithin(above, root) ? [...between(root, above), above] : [];
}

function covered({ hidden, shown, masked, home, homeSecrets }: Survey, { root }: Box): readonly Mount[] {
  const isHome = home !== null && root === home;
  const cover = ({ path, kind }: Masked): Mount => ({
    at: path,
    how: kind === "directory" ? "empty-directory" : "empty-file",
  });
  return [
    ...hidden.map((at): Mount => ({ at, how: "empty-directory" })),
    ...shown.filter((at) => !isWithin(at, root)).map((at): Mount => ({ at, how: "read", from: at })),
    ...masked.map(cover),
    ...(isHome ? homeSecrets.map(cover) : []),
  ];
}

function inOrder(mounts: readonly Mount[]): readonly Mount[] {
  const byPlace = new Map<string, Mount>();
  for (const mount of mounts) if (!byPlace.has(mount.at)) byPlace.set(mount.at, mount);
  return [...byPlace.values()].sort((a, b) => depth(a.at) - depth(b.at));
}

function depth(path: string): number {
  return path === "/" ? 0 : join(path, ".").split("/").length;
}

function argumentsOf(mount: Mount): readonly string[] {
  switch (mount.how) {
    case "read":
      return ["--ro-bind-try", mount.from, mount.at];
    case "write":
      return ["--bind", mount.from, mount.at];
    case "empty-directory":
      return ["--tmpfs", mount.at];
    case "empty-file":
      return ["--ro-bind", "/dev/null", mount.at];
  }
}
