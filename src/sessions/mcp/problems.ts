// What could not be written, in words for whoever asked: what happened, what was kept, what to do next.

import { unreachable } from "../../base/assert.ts";
import type { TaskError } from "../memory/current-task.ts";
import type { NoteError } from "../memory/write-note.ts";

export function noteProblem(error: NoteError): string {
  switch (error.kind) {
    case "empty-note":
      return "The note is empty: nothing was written. Give its text.";
    case "long-note":
      return `The note has ${error.chars} characters and ${error.charsMax} are allowed: nothing was written. Shorten it, or write several.`;
    case "no-question":
      return `An answer names its question by the 8 letters of its id, as in the merged notes, and not by ${JSON.stringify(error.id)}: nothing was written.`;
    case "file":
      return `The note could not be written (${error.path}: ${error.message}). What was noted before is kept. Try again later.`;
    default:
      return unreachable(error);
  }
}

export function taskProblem(error: TaskError): string {
  switch (error.kind) {
    case "empty-task-text":
      return "The task is empty: the one before stays. Leave the text out to read it.";
    case "long-task-text":
      return `The task has ${error.chars} characters and ${error.charsMax} are allowed: the one before stays. Shorten it.`;
    case "file":
      return `The task could not be written (${error.path}: ${error.message}): the one before stays. Try again later.`;
    default:
      return unreachable(error);
  }
}
