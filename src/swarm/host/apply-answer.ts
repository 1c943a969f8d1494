// An arbiter's answer as the files it stands for. Every hunk is answered once and keeps both sides; nothing of the answer
// is passed over, and what a file's answer leaves out is named.

import type { RepoPath, TaskId } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { NewBlob } from "../../log/log.ts";
import type { WireDiscarded } from "../../protocol/messages.ts";
import { blobId } from "../../vcs/blob-id.ts";
import { answerBytes, applyHunks, droppedSide } from "../../vcs/merge/hunks.ts";
import type { ConflictRegion } from "../../vcs/merge/merge.ts";
import { contradictions } from "../../vcs/tree-shape.ts";
import type { Change } from "../../vcs/types.ts";
import { type ConflictFile, type OpenConflict, type TextFile, taskOf } from "../open-conflict.ts";
import { answerFile, type Beside, besideAnswers, type FileAnswer } from "./answer-files.ts";
import { describeUnknownBytes, shown } from "./answer-words.ts";
import type { ConflictContents } from "./conflict-contents.ts";
import { takenBytes } from "./taken-bytes.ts";
import type { HunkAnswer, ResolveInput } from "./tools/resolve.ts";

export interface Resolution {
  readonly changes: readonly Change[];
  readonly blobs: readonly NewBlob[];
  /** What was done, one sentence a file, for the commit's message. */
  readonly notes: readonly string[];
  readonly discarded: readonly WireDiscarded[];
}

/** The files as answered, or why the answer cannot stand, for the arbiter to act on. */
export function applyAnswer(
  conflict: OpenConflict,
  contents: ConflictContents,
  input: ResolveInput,
): Result<Resolution, string> {
  const stranger = strangerIn(conflict, input);
  if (stranger !== null) return err(stranger);
  const written = besideAnswers(conflict, contents, input);
  if (!written.ok) return written;
  const beside = written.value;
  const changes: Change[] = beside.map(({ change }) => change);
  const blobs: NewBlob[] = beside.map(({ change, bytes }) => ({ id: change.blob, bytes }));
  const notes: string[] = beside.map(({ note }) => note);
  const discarded: WireDiscarded[] = [];
  for (const file of conflict.paths) {
    const answered = answerOf({ conflict, contents, input, beside }, file);
    if (!answered.ok) return err(`${shown(file)}: ${answered.error}`);
    changes.push(answered.value.change);
    blobs.push(...answered.value.blobs);
    notes.push(answered.value.note);
    for (const { side, reason } of answered.value.discarded) {
      const task = taskOf(conflict, file, side) as TaskId | null;
      discarded.push({ path: file.path, side, task, entry: file[side], reason });
    }
  }
  const clash = clashIn(conflict, changes);
  if (clash !== null) return err(clash);
  return ok({ changes, blobs, notes: [...discarded.map(describeDiscarded), ...notes], discarded });
}

export function describeDiscarded({ path, side, task, entry, reason }: WireDiscarded): string {
  const what =
    entry === null ? "its deletion" : `${entry.mode === "160000" ? "submodule commit" : "blob"} ${entry.blob}`;
  return `Discarded in ${shown({ path })}: ${side} of ${task ?? "the imported tree"} (${what}): ${reason}`;
}

interface Question {
  readonly conflict: OpenConflict;
  readonly contents: ConflictContents;
  readonly input: ResolveInput;
  readonly beside: readonly Beside[];
}

function answerOf(question: Question, file: ConflictFile): Result<FileAnswer, string> {
  return file.kind === "whole" ? answerFile(question, file) : answerHunks(question, file);
}

function strangerIn({ paths }: OpenConflict, { hunks, files }: ResolveInput): string | null {
  const known = new Set<string>(paths.map((file) => file.path));
  const isAbove = (path: string): boolean =>
    path.endsWith("/") && paths.some((file) => file.kind === "whole" && file.path.startsWith(path));
  const stranger =
    hunks.find(({ path }) => !known.has(path)) ?? files.find(({ path }) => !known.has(path) && !isAbove(path));
  const listed = paths.slice(0, pathsNamedMax).map(shown).join(", ");
  const more = paths.length > pathsNamedMax ? ` and ${paths.length - pathsNamedMax} more` : "";
  return stranger === undefined ? null : `${shown(stranger)} is not part of this conflict: ${listed}${more}`;
}

const pathsNamedMax = 20;

/** A file where another one needs a directory, among what would land. */
function clashIn({ others }: OpenConflict, changes: readonly Change[]): string | null {
  const paths = new Map<RepoPath, boolean>();
  for (const { kind, path } of [...others.changes, ...changes]) paths.set(path, kind === "put");
  const [clash] = contradictions([...paths].flatMap(([path, stands]) => (stands ? [path] : [])));
  return clash === undefined
    ? null
    : `${shown(clash)} cannot be a file beside ${shown({ path: clash.by })}: delete one of the two`;
}

function answerHunks({ conflict, input }: Question, file: TextFile): Result<FileAnswer, string> {
  const { path, mode, regions } = file;
  if (input.files.some((answer) => answer.path === path)) return err("it is answered hunk by hunk, not in `files`");
  const answers = new Map<number, Uint8Array>();
  for (const region of regions) {
    if (region.kind === "clean") continue;
    const given = input.hunks.filter((answer) => answer.path === path && answer.hunk === region.hunk);
    const [answer] = given;
    if (answer === undefined) return err(`hunk ${region.hunk} has no answer`);
    if (given.length > 1) return err(`hunk ${region.hunk} has ${given.length} answers`);
    const bytes = hunkBytes(region, answer);
    if (!bytes.ok) return err(`hunk ${region.hunk}: ${bytes.error}`);
    const dropped = droppedSide(region, bytes.value);
    if (dropped !== null) return err(`the answer to hunk ${region.hunk} drops a side. ${dropped.reason}`);
    answers.set(region.hunk, bytes.value);
  }
  const unknown = input.hunks.find((answer) => answer.path === path && !answers.has(answer.hunk));
  if (unknown !== undefined) return err(`it has no hunk ${unknown.hunk}`);
  const applied = applyHunks(regions, answers);
  if (!applied.ok)
    return err(`${applied.error.kind} ${applied.error.hunk}: answer with whole lines, each with its line end`);
  const blob = blobId(applied.value, conflict.objectFormat);
  return ok({
    change: { kind: "put", path, blob, mode },
    blobs: [{ id: blob, bytes: applied.value }],
    note: `Answered ${answers.size === 1 ? "one hunk" : `${answers.size} hunks`} of ${shown(file)}; checked: tokens of both sides.`,
    discarded: [],
  });
}

function hunkBytes(region: ConflictRegion, answer: HunkAnswer): Result<Uint8Array, string> {
  if ("take" in answer) return ok(takenBytes(region, answer.take));
  const bytes = answerBytes(region, answer.text);
  return bytes.ok ? bytes : err(describeUnknownBytes(bytes.error));
}
