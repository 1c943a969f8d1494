// `read_conflict`: a side of the conflict beyond what the arbiter was shown at first, a stretch at a time.

import { z } from "zod";
import { defineTool, type Tool, type ToolAnswer } from "../../../agent/tool.ts";
import { shownText } from "../../../vcs/merge/answer-bytes.ts";
import { isBinary } from "../../../vcs/merge/lines.ts";
import type { OpenConflict } from "../../open-conflict.ts";
import { fence } from "../../prompts.ts";
import type { ConflictContents } from "../conflict-contents.ts";

/** Below what a tool's result may hold, with room for its frame. */
export const readCharsMax = 20_000;

export interface ConflictReading {
  readonly path: string;
  readonly hunk?: number | undefined;
  readonly side: "base" | "ours" | "theirs";
  readonly offset: number;
  readonly limit: number;
}

export function readConflictTool(look: () => { conflict: OpenConflict; contents: ConflictContents }): Tool {
  return defineTool({
    name: "read_conflict",
    description:
      "Reads on in a side of the conflict where you were not shown all of it: of one hunk, or of a file without hunks. offset and limit count characters.",
    input: z.object({
      path: z.string().min(1).max(5_000),
      hunk: z.int().min(1).optional().describe("Of a file with hunks"),
      side: z.enum(["base", "ours", "theirs"]),
      offset: z.int().min(0).default(0),
      limit: z.int().min(1).max(readCharsMax).default(readCharsMax),
    }),
    effect: "read",
    async run(input) {
      const { conflict, contents } = look();
      return readConflict(conflict, contents, input);
    },
  });
}

export function readConflict(conflict: OpenConflict, contents: ConflictContents, input: ConflictReading): ToolAnswer {
  const bytes = sideBytes(conflict, contents, input);
  if (typeof bytes === "string") return { kind: "error", text: bytes };
  if (isBinary(bytes)) return { kind: "error", text: `${input.side} of it is binary (${bytes.byteLength} bytes)` };
  const all = shownText(bytes);
  const { offset, limit } = input;
  if (offset > 0 && offset >= all.length) return { kind: "error", text: `it has ${all.length} characters` };
  const end = offset + limit;
  // A pair of surrogates is one character: it is not cut.
  const cut = end < all.length && /[\ud800-\udbff]/.test(all.charAt(end - 1)) ? end - 1 : end;
  const part = all.slice(offset, Math.max(cut, offset + 1));
  const left = all.length - offset - part.length;
  const more = left > 0 ? `\n${left} more characters: read on from offset ${offset + part.length}` : "";
  return {
    kind: "text",
    text: `characters ${offset} to ${offset + part.length} of ${all.length}:\n${fence(part)}${more}`,
  };
}

function sideBytes(
  conflict: OpenConflict,
  contents: ConflictContents,
  { path, hunk, side }: ConflictReading,
): Uint8Array | string {
  const file = conflict.paths.find((each) => each.path === path);
  if (file === undefined) {
    const move = conflict.moves.find(({ to }) => to === path);
    return (move && contents.get(move.blob)) ?? "that path is not part of this conflict";
  }
  if (file.kind === "text") {
    const region = file.regions.find((each) => each.kind === "conflict" && each.hunk === hunk);
    if (region?.kind === "conflict") return region[side];
    const hunks = file.regions.flatMap((each) => (each.kind === "conflict" ? [each.hunk] : []));
    return `name one of its hunks: ${hunks.join(", ")}`;
  }
  const entry = file[side];
  if (entry === null) return `${side} has no file there`;
  if (entry.mode === "160000") return `${side} is the submodule commit ${entry.blob}`;
  return contents.get(entry.blob) ?? `the content ${entry.blob} cannot be read`;
}
