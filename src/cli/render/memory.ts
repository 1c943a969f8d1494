// Notes as people and programs get them. Sessions wrote them: cleaned, redacted and quoted.

import type { FoundMemory, ShownMemory } from "../../app/memory.ts";
import { capText } from "../../base/text.ts";
import type { CurrentTask } from "../../sessions/memory/current-task.ts";
import { branchLabel, type FoundNote, noteLines } from "../../sessions/memory/merged-view.ts";
import { quotedLines } from "../../sessions/memory/note.ts";
import { limits } from "../../sessions/memory/places.ts";
import { timeWord } from "../../sessions/presence/words.ts";
import { redact } from "../../sessions/redact.ts";
import type { Colors } from "../io.ts";

export function shownLines({ branch, view, task }: ShownMemory, colors: Colors): readonly string[] {
  if (task === null) return [view.text.trimEnd()];
  const by = task.at === 0 ? "written by hand" : `${timeWord(task.at)}, ${task.who ?? "somebody"}`;
  const head = colors.bold(`Current task of ${branchLabel(branch)} (${by}):`);
  return [head, quotedLines(capText(redact(task.text), limits.taskChars)), "", view.text.trimEnd()];
}

export function foundLines({ hits, more }: FoundMemory, colors: Colors): readonly string[] {
  if (hits.length === 0) return ["no note holds all these words"];
  const lines = hits.flatMap((hit) => {
    const [first = "", ...rest] = noteLines(hit, limits.noteChars);
    const where = hit.loose ? "" : ` on ${branchLabel(hit.branch)}`;
    return [`${colors.bold(first.slice(2, -1))}${where}`, ...rest, colors.dim(`  ${hit.path}`)];
  });
  return more > 0 ? [...lines, `… and ${more} older: add words`] : lines;
}

export function noteJson(note: FoundNote): object {
  const { at, branch, who, kind, mark, open, loose, text, path } = note;
  return {
    at: loose ? null : new Date(at).toISOString(),
    branch,
    who,
    file: kind,
    question: mark.kind === "question" ? mark.id : null,
    answers: mark.kind === "answer" ? mark.to : null,
    open,
    text: redact(text),
    path,
  };
}

export function taskJson(task: CurrentTask | null): object | null {
  if (task === null) return null;
  const { at, who, text, path } = task;
  return { at: at === 0 ? null : new Date(at).toISOString(), who, text: redact(text), path };
}
