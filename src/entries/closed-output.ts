// Whether standard output leads nowhere: closed by whoever started this process (`>&-`), or thrown away by a program. Node has opened
// /dev/null in the place of a closed one before any of our code runs, for reading and writing, as programs do that throw output away; a
// shell's `> /dev/null` is for writing only. So the two cannot be told apart, and nothing more than a note can come of it.

import { readFileSync, readlinkSync } from "node:fs";

const accessMode = 0o3;
const readWrite = 0o2;

/** False where the system does not say (elsewhere than on Linux). */
export function leadsNowhere(descriptor: number): boolean {
  try {
    if (readlinkSync(`/proc/self/fd/${descriptor}`) !== "/dev/null") return false;
    const [, flags = "0"] =
      /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1")) ?? [];
    return (Number.parseInt(flags, 8) & accessMode) === readWrite;
  } catch {
    return false;
  }
}
