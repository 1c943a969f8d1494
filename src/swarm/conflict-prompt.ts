// What an arbiter is shown: the whole conflict object and nothing else. However large it is, every hunk and every file is
// named; what is cut short says so, and `read_conflict` shows the rest. Contents are fenced, instructions quoted.

import { unreachable } from "../base/assert.ts";
import type { BlobId } from "../base/ids.ts";
import { cleanLine, cleanText } from "../base/text.ts";
import { headOf, renderConflict, shownText } from "../vcs/merge/hunks.ts";
import { lineDiff } from "../vcs/merge/line-diff.ts";
import { isBinary } from "../vcs/merge/lines.ts";
import { sameEntry } from "../vcs/snapshot.ts";
import type { Change, Entry } from "../vcs/types.ts";
import { type ConflictSide, type OpenConflict, type TextFile, taskOf, type WholeFile } from "./open-conflict.ts";
import { fence, quote, showPath, titleOf } from "./prompts.ts";
import { commandCharsMax, instructionsCharsMax } from "./records.ts";

type Contents = ReadonlyMap<BlobId, Uint8Array>;

/** UTF-16 units of a first message, of which most are contents. Many small parts may pass it by their headings. */
export const conflictPromptCharsMax = 150_000;
/** Of one content, however much room there is. */
const contentCharsMax = 20_000;
/** Of one content, however little. */
const contentCharsMin = 200;
/** Files without hunks that are shown one by one; more are named in groups. */
const filesSingleMax = 20;
const changesNamedMax = 50;
const sidesNamedMax = 20;
const messageLineCharsMax = 200;

export function conflictPrompt(conflict: OpenConflict, contents: Contents, charsMax: number): string {
  const { paths } = conflict;
  const texts = paths.filter((file) => file.kind === "text");
  const whole = paths.filter((file) => file.kind === "whole");
  const hunks = texts.flatMap(({ regions }) => regions.filter(({ kind }) => kind === "conflict")).length;
  const single = whole.length <= filesSingleMax ? whole : [];
  const instructions = charsMax / 4;
  const parts = Math.max(1, 3 * hunks + 2 * single.length);
  const room = Math.max(contentCharsMin, Math.min(contentCharsMax, Math.floor((charsMax - instructions) / parts)));
  return [
    ...sideParts(conflict, instructions),
    ...besidesParts(conflict),
    ...texts.map((file) => textPart(file, room)),
    ...single.map((file) => wholePart({ conflict, contents, room }, file)),
    ...(single.length < whole.length ? [groupsPart(conflict, whole)] : []),
  ].join("\n\n");
}

function sideParts({ sides }: OpenConflict, charsMax: number): readonly string[] {
  const named = sides.slice(0, sidesNamedMax);
  const share = Math.min(instructionsCharsMax, Math.floor(charsMax / Math.max(1, named.length)));
  const parts = named.map((side) => {
    const check = side.check === null ? "none" : `\n${quote(side.check, commandCharsMax)}`;
    return `Side "${side.side}" comes from task ${side.task}: ${titleOf(side)}\n${quote(side.instructions, share)}\nIts check: ${check}`;
  });
  const left = sides.length - named.length;
  return left > 0 ? [...parts, `${left} more tasks have a part in side "ours".`] : parts;
}

/** What else the commits on both sides did: a rename shows as a path that went and one that came. */
function besidesParts({ besides, others }: OpenConflict): readonly string[] {
  const parts = besides.map(({ task, message, changes, left }) => {
    const subject = cleanLine(message.split("\n")[0] ?? "", messageLineCharsMax);
    return `On the head, task ${task} ("${subject}") also changed: ${listChanges(changes, left)}`;
  });
  const own = `With your answer, the commits in conflict also land: ${listChanges(others.changes, 0)}`;
  return others.changes.length > 0 ? [...parts, own] : parts;
}

function listChanges(changes: readonly Change[], unsent: number): string {
  const named = changes.slice(0, changesNamedMax);
  const left = changes.length - named.length + unsent;
  const lines = named.map(({ kind, path }) => `- ${kind === "delete" ? "deleted" : "wrote"} ${showPath(path)}`);
  if (lines.length === 0) return "nothing";
  return `\n${[...lines, ...(left > 0 ? [`- and ${left} more`] : [])].join("\n")}`;
}

function textPart({ path, regions }: TextFile, room: number): string {
  return `File ${showPath(path)}, numbered conflict hunks:\n${fence(renderConflict(regions, room))}`;
}

interface Shown {
  readonly conflict: OpenConflict;
  readonly contents: Contents;
  readonly room: number;
}

function wholePart(shown: Shown, file: WholeFile): string {
  const { conflict } = shown;
  const heading = `File ${showPath(file.path)} cannot be merged by hunks: ${because(file)}.`;
  const sides = (["base", "ours", "theirs"] as const).map((side) => {
    const task = side === "base" ? null : taskOf(conflict, file, side);
    const entry = file[side];
    return `${side}${task === null ? "" : ` (task ${task})`}: ${entry === null ? "no file" : describe(shown, entry)}`;
  });
  const edits = (["ours", "theirs"] as const)
    .map((side) => editPart(shown, file, side))
    .filter((part) => part !== null);
  const lists = [heading, ...sides, ...edits, ...movePart(conflict, file)];
  return [...lists, "Answer it in `files`: take, content or delete, with the reason."].join("\n");
}

function because({ because: reason }: WholeFile): string {
  switch (reason) {
    case "deleted":
      return "one side deleted what the other changed";
    case "binary":
      return "it is binary";
    case "too-large":
      return "it is too large, or the sides differ too much";
    case "absent":
      return "no side has a file there by now";
    case "type":
      return "the sides are of different kinds or modes";
    case "place":
      return "one side has a file where the other has none, or a directory";
    case "unreadable":
      return "a content cannot be read from the store";
    default:
      return unreachable(reason);
  }
}

/** Kind and size; a link's target and a submodule's commit are short enough to be said here. */
function describe({ contents }: Shown, { blob, mode }: Entry): string {
  if (mode === "160000") return `a submodule at commit ${blob}`;
  const bytes = contents.get(blob);
  if (bytes === undefined) return `content ${blob}, which cannot be read here`;
  if (mode === "120000") return `a symbolic link to ${JSON.stringify(cleanLine(Buffer.from(bytes).toString(), 1_000))}`;
  const kind = isBinary(bytes) ? "a binary file" : "a text file";
  return `${kind}${mode === "100755" ? ", executable" : ""}, ${bytes.byteLength} bytes, blob ${blob}`;
}

/** What the side changed: against the base where there is a text to compare with, else its whole content. */
function editPart({ contents, room }: Shown, file: WholeFile, side: ConflictSide): string | null {
  const entry = file[side];
  if (entry === null || sameEntry(entry, file.base) || entry.mode === "120000") return null;
  const bytes = contents.get(entry.blob);
  if (bytes === undefined || isBinary(bytes)) return null;
  const base = file.base === null ? undefined : contents.get(file.base.blob);
  const diff = base === undefined || file.base?.mode === "120000" ? null : lineDiff(base, bytes);
  if (diff !== null && diff !== "") {
    // A cut diff cannot be read on in, its side's content can.
    const cut =
      diff.length > room
        ? `\n(cut after ${room} of ${diff.length} characters: read_conflict shows the whole content)`
        : "";
    return `What ${side} changed:\n${fence(cleanCut(diff, room))}${cut}`;
  }
  return `Content of ${side}:\n${fence(headOf(shownText(bytes), room))}`;
}

function cleanCut(text: string, charsMax: number): string {
  return text.slice(0, charsMax).replace(/[\ud800-\udbff]$/, "");
}

function movePart({ moves }: OpenConflict, { path }: WholeFile): readonly string[] {
  return moves
    .filter(({ from }) => from === path)
    .map(({ to, side }) => {
      const where = showPath(to);
      return `Side "${side}" seems to have moved it to ${where}: answer with \`carry_to\` ${where} to merge the edit there, or delete it here and give the whole content of ${where} in \`also\`.`;
    });
}

/** Many files without hunks, by directory and by what happened to them. */
function groupsPart(conflict: OpenConflict, files: readonly WholeFile[]): string {
  const groups = new Map<string, string[]>();
  for (const file of files) {
    const directory = file.path.slice(0, file.path.lastIndexOf("/") + 1);
    const sides = (["base", "ours", "theirs"] as const).map((side) => {
      const entry = file[side];
      const kind =
        entry === null ? "no file" : sameEntry(entry, file.base) && side !== "base" ? "as the base" : "a file";
      return `${side} ${kind}`;
    });
    const moved = conflict.moves.some(({ from }) => from === file.path) ? ", moved elsewhere" : "";
    const key = `${directory === "" ? "the root" : showPath(directory)}: ${sides.join(", ")}${moved} (${because(file)})`;
    groups.set(key, [...(groups.get(key) ?? []), showPath(file.path)]);
  }
  const lists = [...groups].map(([key, paths]) => `${key}\n${paths.map((path) => `- ${path}`).join("\n")}`);
  const moves = conflict.moves.map(({ from, to, side }) => `- ${showPath(from)} to ${showPath(to)} (${side})`);
  return [
    `${files.length} files without hunks, in groups. read_conflict shows a side of each.`,
    ...lists,
    ...(moves.length > 0 ? [`Seen to have been moved:\n${cleanText(moves.join("\n"), contentCharsMax)}`] : []),
    "Answer each in `files`, or a whole directory at once with a path that ends in /.",
  ].join("\n\n");
}
