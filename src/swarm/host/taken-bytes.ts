// A hunk's sides taken as they are, byte for byte, alone or one after the other.

import { unreachable } from "../../base/assert.ts";
import type { ConflictRegion } from "../../vcs/merge/merge.ts";
import type { HunkTake } from "./tools/resolve.ts";

type Sides = Pick<ConflictRegion, "ours" | "theirs">;

const LF = 0x0a;

export function takenBytes({ ours, theirs }: Sides, take: HunkTake): Uint8Array {
  switch (take) {
    case "ours":
      return ours;
    case "theirs":
      return theirs;
    case "ours-then-theirs":
      return joined(ours, theirs);
    case "theirs-then-ours":
      return joined(theirs, ours);
    default:
      return unreachable(take);
  }
}

/** The first one's last line is ended where another follows. */
function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const open = first.length > 0 && second.length > 0 && first.at(-1) !== LF;
  const ending = Buffer.from(first).includes("\r\n") ? "\r\n" : "\n";
  return Buffer.concat([first, Buffer.from(open ? ending : ""), second]);
}
