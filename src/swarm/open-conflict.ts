// An open conflict as its arbiter has it: the names that prompt, tools and answer use for its parts.

import type { ConflictAnswer } from "../protocol/messages.ts";

export type OpenConflict = Extract<ConflictAnswer, { kind: "open" }>;
export type ConflictFile = OpenConflict["paths"][number];
export type TextFile = Extract<ConflictFile, { kind: "text" }>;
export type WholeFile = Extract<ConflictFile, { kind: "whole" }>;
export type ConflictSide = "ours" | "theirs";

/** The task whose change a side is; null where the head's side came with the import. */
export function taskOf(conflict: OpenConflict, file: ConflictFile, side: ConflictSide): string | null {
  return side === "ours" ? file.oursTask : (conflict.sides.find((each) => each.side === "theirs")?.task ?? null);
}
