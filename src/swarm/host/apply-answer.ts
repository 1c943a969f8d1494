// An arbiter's answer as the files it stands for. Every hunk is answered once and keeps both sides; nothing of the answer is passed over.

import { err, ok, type Result } from "../../base/result.ts";
import { cleanLine } from "../../base/text.ts";
import type { NewBlob } from "../../log/log.ts";
import type { ConflictAnswer } from "../../protocol/messages.ts";
import { blobId } from "../../vcs/blob-id.ts";
import { answerBytes, applyHunks, droppedSide } from "../../vcs/merge/hunks.ts";
import type { Change } from "../../vcs/types.ts";
import type { ResolveInput } from "./tools/resolve.ts";

export type OpenConflict = Extract<ConflictAnswer, { kind: "open" }>;

export interface Resolution {
  readonly changes: readonly Change[];
  readonly blobs: readonly NewBlob[];
  /** What was done, one sentence a file, for the commit's message. */
  readonly notes: readonly string[];
}

type File = OpenConflict["paths"][number];
type TextFile = Extract<File, { kind: "text" }>;
type WholeFile = Extract<File, { kind: "whole" }>;

interface FileAnswer {
  readonly change: Change;
  readonly blobs: readonly NewBlob[];
  readonly note: string;
}

const pathCharsMax = 200;
const reasonCharsMax = 500;

/** The files as answered, or why the answer cannot stand, for the arbiter to act on. */
export function applyAnswer(conflict: OpenConflict, input: ResolveInput): Result<Resolution, string> {
  const known = new Set<string>(conflict.paths.map((file) => file.path));
  const stranger = [...input.hunks, ...input.files].find((answer) => !known.has(answer.path));
  if (stranger !== undefined)
    return err(`${shown(stranger)} is not part of this conflict: ${conflict.paths.map(shown).join(", ")}`);
  const answers: FileAnswer[] = [];
  for (const file of conflict.paths) {
    const answered = file.kind === "whole" ? takeSide(file, input) : answerHunks(file, input, conflict.objectFormat);
    if (!answered.ok) return err(`${shown(file)}: ${answered.error}`);
    answers.push(answered.value);
  }
  return ok({
    changes: answers.map(({ change }) => change),
    blobs: answers.flatMap(({ blobs }) => blobs),
    notes: answers.map(({ note }) => note),
  });
}

function takeSide(file: WholeFile, { hunks, files }: ResolveInput): Result<FileAnswer, string> {
  const { path } = file;
  if (hunks.some((answer) => answer.path === path)) return err("it has no hunks: say in `files` which side to take");
  const given = files.filter((answer) => answer.path === path);
  const [answer] = given;
  if (answer === undefined) return err("say in `files` which side to take");
  if (given.length > 1) return err(`it has ${given.length} answers in \`files\`: give one`);
  const side = file[answer.take];
  const change: Change = side === null ? { kind: "delete", path } : { kind: "put", path, ...side };
  const reason = cleanLine(answer.reason, reasonCharsMax);
  return ok({ change, blobs: [], note: `Took ${answer.take} of ${shown(file)}: ${reason}` });
}

function answerHunks(
  file: TextFile,
  input: ResolveInput,
  format: OpenConflict["objectFormat"],
): Result<FileAnswer, string> {
  const { path, mode, regions } = file;
  if (input.files.some((answer) => answer.path === path)) return err("it is answered hunk by hunk, not in `files`");
  const answers = new Map<number, Uint8Array>();
  for (const region of regions) {
    if (region.kind === "clean") continue;
    const given = input.hunks.filter((answer) => answer.path === path && answer.hunk === region.hunk);
    const [answer] = given;
    if (answer === undefined) return err(`hunk ${region.hunk} has no answer`);
    if (given.length > 1) return err(`hunk ${region.hunk} has ${given.length} answers`);
    const bytes = answerBytes(region, answer.text);
    const dropped = droppedSide(region, bytes);
    if (dropped !== null) return err(`the answer to hunk ${region.hunk} drops a side. ${dropped.reason}`);
    answers.set(region.hunk, bytes);
  }
  const unknown = input.hunks.find((answer) => answer.path === path && !answers.has(answer.hunk));
  if (unknown !== undefined) return err(`it has no hunk ${unknown.hunk}`);
  const applied = applyHunks(regions, answers);
  if (!applied.ok)
    return err(`${applied.error.kind} ${applied.error.hunk}: answer with whole lines, each with its line end`);
  const blob = blobId(applied.value, format);
  return ok({
    change: { kind: "put", path, blob, mode },
    blobs: [{ id: blob, bytes: applied.value }],
    note: `Both sides kept in ${shown(file)}.`,
  });
}

function shown({ path }: { readonly path: string }): string {
  return cleanLine(path, pathCharsMax);
}
