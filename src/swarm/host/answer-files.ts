// Answers to files that have no hunks, and to paths beside the conflict: what stands there, and what was left out.

import { err, ok, type Result } from "../../base/result.ts";
import { capLine } from "../../base/text.ts";
import type { NewBlob } from "../../log/log.ts";
import { blobId } from "../../vcs/blob-id.ts";
import { answerBytes, droppedSide } from "../../vcs/merge/hunks.ts";
import { isBinary } from "../../vcs/merge/lines.ts";
import { mergeText } from "../../vcs/merge/merge.ts";
import { isRegular } from "../../vcs/three-way.ts";
import type { Change, Entry, Mode } from "../../vcs/types.ts";
import type { ConflictSide, OpenConflict, WholeFile } from "../open-conflict.ts";
import { describeUnknownBytes, reasonCharsMax, shown } from "./answer-words.ts";
import type { ConflictContents } from "./conflict-contents.ts";
import { discardedSides } from "./discarded-sides.ts";
import type { FileWish, ResolveInput } from "./tools/resolve.ts";

export interface FileAnswer {
  readonly change: Change;
  readonly blobs: readonly NewBlob[];
  /** One sentence for the commit's message. */
  readonly note: string;
  readonly discarded: readonly { readonly side: ConflictSide; readonly reason: string }[];
}

/** A content that the answer puts on a path beside the conflict. */
export interface Beside {
  readonly change: Extract<Change, { kind: "put" }>;
  readonly bytes: Uint8Array;
  /** What stood there. */
  readonly before: Uint8Array;
  readonly note: string;
}

const nothing = new Uint8Array(0);

export function answerFile(
  { conflict, contents, input, beside }: FileQuestion,
  file: WholeFile,
): Result<FileAnswer, string> {
  const wish = wishFor(input, file);
  if (!wish.ok) return wish;
  const { value } = wish;
  const reason = capLine(value.reason, reasonCharsMax);
  const final = finalOf(conflict, contents, file, value);
  if (!final.ok) return final;
  const { entry, bytes, note } = final.value;
  const elsewhere = beside.map(({ bytes: own, before }) => ({ bytes: own, other: before }));
  const discarded = discardedSides(file, { entry, bytes, elsewhere }, contents).map((side) => ({ side, reason }));
  const { path } = file;
  return ok({
    change: entry === null ? { kind: "delete", path } : { kind: "put", path, ...entry },
    blobs: bytes !== null && entry !== null && "content" in value ? [{ id: entry.blob, bytes }] : [],
    note: `${note}: ${reason}`,
    discarded,
  });
}

export interface FileQuestion {
  readonly conflict: OpenConflict;
  readonly contents: ConflictContents;
  readonly input: ResolveInput;
  readonly beside: readonly Beside[];
}

/** The file's own answer, or that of the nearest directory that has one. */
function wishFor({ hunks, files }: ResolveInput, { path }: WholeFile): Result<FileWish, string> {
  if (hunks.some((answer) => answer.path === path)) return err("it has no hunks: answer it in `files`");
  const own = files.filter((answer) => answer.path === path);
  if (own.length > 1) return err(`it has ${own.length} answers in \`files\`: give one`);
  const [first] = own;
  if (first !== undefined) return ok(first);
  const above = files.filter((answer) => answer.path.endsWith("/") && path.startsWith(answer.path));
  const [nearest, next] = above.sort((a, b) => b.path.length - a.path.length);
  if (nearest === undefined) return err("say in `files` which side to take, or what stands there");
  if (nearest.path === next?.path) return err(`${nearest.path} has more than one answer in \`files\`: give one`);
  return "take" in nearest || "delete" in nearest ? ok(nearest) : err(`${nearest.path} can only be taken or deleted`);
}

interface Final {
  readonly entry: Entry | null;
  readonly bytes: Uint8Array | null;
  readonly note: string;
}

function finalOf(
  conflict: OpenConflict,
  contents: ConflictContents,
  file: WholeFile,
  wish: FileWish,
): Result<Final, string> {
  if ("take" in wish) {
    const entry = file[wish.take];
    const move = conflict.moves.find(({ from, side }) => from === file.path && side !== wish.take);
    if (move !== undefined) return err(movedAway(move));
    const bytes = entry === null ? null : (contents.get(entry.blob) ?? null);
    return ok({ entry, bytes, note: `Took ${wish.take} of ${shown(file)}` });
  }
  if ("delete" in wish) return ok({ entry: null, bytes: null, note: `Deleted ${shown(file)}` });
  // The edit is put at the new path by `carried`; the old one stays deleted, as its mover left it.
  if ("carry_to" in wish) {
    return ok({
      entry: null,
      bytes: null,
      note: `Carried the edit of ${shown(file)} to ${shown({ path: wish.carry_to })}`,
    });
  }
  return written(conflict, contents, file, wish.content);
}

/** S3: what was renamed is not brought back under its old name by taking the edit of it. */
function movedAway({ to, side }: MovedFile): string {
  const where = shown({ path: to });
  return `${side} moved it to ${where}, and the edit belongs there: answer with \`carry_to\` ${where}, or delete it here and give ${where} in \`also\`. If it was not moved, write it here with \`content\``;
}

function written(
  { objectFormat }: OpenConflict,
  contents: ConflictContents,
  file: WholeFile,
  content: string,
): Result<Final, string> {
  const mode = modeFor(file);
  if (mode === null)
    return err("neither side has a file there whose content could be written: take a side or delete it");
  if (mode === "120000" && /[\n\0]|^$/.test(content))
    return err("it is a symbolic link: its content is the target alone");
  const text = (entry: Entry | null): Uint8Array => {
    const bytes = entry === null ? undefined : contents.get(entry.blob);
    return bytes === undefined || isBinary(bytes) ? nothing : bytes;
  };
  const bytes = answerBytes({ base: text(file.base), ours: text(file.ours), theirs: text(file.theirs) }, content);
  if (!bytes.ok) return err(describeUnknownBytes(bytes.error));
  const entry = { blob: blobId(bytes.value, objectFormat), mode };
  return ok({ entry, bytes: bytes.value, note: `Wrote ${shown(file)} anew` });
}

/** Of the sides, a regular file's first; a mode that one side changed wins. Null where both have submodules or nothing. */
function modeFor({ base, ours, theirs }: WholeFile): Mode | null {
  const sides = [ours, theirs].filter((entry) => entry !== null);
  const regular = sides.filter(isRegular);
  const [first] = regular;
  if (first !== undefined) return regular.find(({ mode }) => mode !== base?.mode)?.mode ?? first.mode;
  return sides.find(({ mode }) => mode === "120000")?.mode ?? null;
}

/** The contents that `also` and `carry_to` put beside the conflict. Nothing that stands there may be lost by them. */
export function besideAnswers(
  conflict: OpenConflict,
  contents: ConflictContents,
  input: ResolveInput,
): Result<readonly Beside[], string> {
  const found: Beside[] = [];
  for (const { path, content } of input.also) {
    const beside = writtenBeside(conflict, contents, path, content);
    if (!beside.ok) return err(`${shown({ path })}: ${beside.error}`);
    found.push(beside.value);
  }
  for (const wish of input.files) {
    if (!("carry_to" in wish)) continue;
    const beside = carried(conflict, contents, wish.path, wish.carry_to);
    if (!beside.ok) return err(`${shown(wish)}: ${beside.error}`);
    found.push(beside.value);
  }
  const paths = found.map(({ change }) => change.path);
  const twice = paths.find((path, index) => paths.indexOf(path) !== index);
  return twice === undefined ? ok(found) : err(`${shown({ path: twice })} is written twice`);
}

function writtenBeside(
  conflict: OpenConflict,
  contents: ConflictContents,
  path: string,
  content: string,
): Result<Beside, string> {
  const move = conflict.moves.find(({ to }) => to === path);
  if (move === undefined)
    return err(`only where the conflict shows that a file was moved to: ${listed(conflict.moves.map(({ to }) => to))}`);
  const sides = movedSides(conflict, contents, move);
  if (sides === null) return err("what stands there is not text that can be read");
  const { base, moved, edited } = sides;
  const bytes = answerBytes({ base, ours: moved, theirs: edited }, content);
  if (!bytes.ok) return err(describeUnknownBytes(bytes.error));
  const dropped = droppedSide({ base, ours: moved, theirs: edited }, bytes.value);
  // The edit's loss is named as discarded; what its mover wrote is not this answer's to discard.
  if (dropped !== null && dropped.side !== "theirs")
    return err(`the change that stands there is lost. ${dropped.reason}`);
  return ok(putBeside(conflict, move, { bytes: bytes.value, before: moved, mode: move.mode, note: "Wrote" }));
}

function carried(conflict: OpenConflict, contents: ConflictContents, from: string, to: string): Result<Beside, string> {
  const move = conflict.moves.find((each) => each.from === from && each.to === to);
  if (move === undefined) return err(`its content was not seen to move to ${shown({ path: to })}`);
  const sides = movedSides(conflict, contents, move);
  if (sides === null) return err("the edit and the moved file are not text that can be read: write it in `also`");
  const { base, moved, edited, editedMode, baseMode } = sides;
  const merged = mergeText(base, moved, edited);
  if (merged.kind !== "clean")
    return err(
      `the edit does not merge with ${shown({ path: to })} (${merged.kind}): give its content in \`also\`, and delete this path`,
    );
  const mode = editedMode === baseMode ? move.mode : editedMode;
  return ok(putBeside(conflict, move, { bytes: merged.bytes, before: moved, mode, note: "Merged the edit into" }));
}

type MovedFile = OpenConflict["moves"][number];

function putBeside(
  { objectFormat }: OpenConflict,
  { to: path }: MovedFile,
  { bytes, before, mode, note }: { bytes: Uint8Array; before: Uint8Array; mode: Mode; note: string },
): Beside {
  const change = { kind: "put" as const, path, blob: blobId(bytes, objectFormat), mode };
  return { change, bytes, before, note: `${note} ${shown({ path })}.` };
}

/** The three contents of a moved file; null where one of them is no text or cannot be read. */
function movedSides(conflict: OpenConflict, contents: ConflictContents, move: MovedFile) {
  const file = conflict.paths.find((each) => each.path === move.from);
  const edit = file?.[move.side === "ours" ? "theirs" : "ours"] ?? null;
  if (!file?.base || edit === null || ![file.base, edit, move].every(isRegular)) return null;
  const [base, moved, edited] = [file.base, move, edit].map(({ blob }) => contents.get(blob));
  if (base === undefined || moved === undefined || edited === undefined) return null;
  if ([base, moved, edited].some(isBinary)) return null;
  return { base, moved, edited, editedMode: edit.mode, baseMode: file.base.mode };
}

function listed(paths: readonly string[]): string {
  return paths.length === 0 ? "none was" : paths.map((path) => shown({ path })).join(", ");
}
