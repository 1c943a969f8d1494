// Which sides of a file an answer leaves out. Whatever cannot be shown to be kept counts as left out: it is then named
// in the history, from where the store gives it back.

import { droppedSide } from "../../vcs/merge/hunks.ts";
import { isBinary } from "../../vcs/merge/lines.ts";
import { sameEntry } from "../../vcs/snapshot.ts";
import { isRegular } from "../../vcs/three-way.ts";
import type { Entry } from "../../vcs/types.ts";
import type { ConflictSide, WholeFile } from "../open-conflict.ts";
import type { ConflictContents } from "./conflict-contents.ts";

export interface FinalFile {
  /** What the answer leaves at the path; null deletes. */
  readonly entry: Entry | null;
  /** Its bytes, where they are at hand. */
  readonly bytes: Uint8Array | null;
  /** Contents that the answer puts elsewhere: the file's new place among them. */
  readonly elsewhere: readonly { readonly bytes: Uint8Array; readonly other: Uint8Array }[];
}

const nothing = new Uint8Array(0);

export function discardedSides(file: WholeFile, final: FinalFile, contents: ConflictContents): readonly ConflictSide[] {
  return (["ours", "theirs"] as const).filter((side) => !isKept(file, side, final, contents));
}

function isKept(file: WholeFile, side: ConflictSide, final: FinalFile, contents: ConflictContents): boolean {
  const { base } = file;
  const [own, other] = side === "ours" ? [file.ours, file.theirs] : [file.theirs, file.ours];
  if (sameEntry(own, base) || sameEntry(own, final.entry)) return true;
  if (own === null) return false;
  const ownBytes = textOf(own, contents);
  const baseBytes = base === null ? nothing : textOf(base, contents);
  if (ownBytes === null || baseBytes === null) return false;
  if (final.entry === null) {
    const moved = final.elsewhere.some(({ bytes, other: beside }) => keeps(baseBytes, ownBytes, beside, bytes));
    return moved && (base === null || own.mode === base.mode);
  }
  const modeIsKept = own.mode === base?.mode || own.mode === final.entry.mode;
  const otherBytes = other === null ? baseBytes : textOf(other, contents);
  if (!modeIsKept || !isRegular(final.entry) || final.bytes === null || otherBytes === null) return false;
  return keeps(baseBytes, ownBytes, otherBytes, final.bytes);
}

/** True if the answer holds the side's change of the base, as far as words tell. */
function keeps(base: Uint8Array, side: Uint8Array, other: Uint8Array, answer: Uint8Array): boolean {
  const dropped = droppedSide({ base, ours: side, theirs: other }, answer);
  return dropped === null || dropped.side === "theirs";
}

function textOf(entry: Entry, contents: ConflictContents): Uint8Array | null {
  const bytes = isRegular(entry) ? contents.get(entry.blob) : undefined;
  return bytes === undefined || isBinary(bytes) ? null : bytes;
}
