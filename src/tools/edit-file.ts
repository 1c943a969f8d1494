// edit_file: exact replacements in one text file, all of them or none. Bytes outside the replaced passages never change.

import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import { unreachable } from "../base/assert.ts";
import { err, ok, type Result } from "../base/result.ts";
import { writesFile } from "./claims.ts";
import { notFoundHint } from "./edit-hint.ts";
import { applyEdit, bytesOf, contentOf, type Edit, type EditError } from "./edit-text.ts";
import type { ToolEnv } from "./env.ts";
import { resolvePath } from "./path.ts";
import { binaryKind, readBytesMax } from "./read-file.ts";
import { replaceFile } from "./replace.ts";
import { failure } from "./write-file.ts";

const editsMax = 100;
const linesNamedMax = 20;

const INPUT = z.object({
  path: z.string().describe("File to edit, relative to the root of the tree. It must exist."),
  edits: z
    .array(
      z.object({
        old_string: z
          .string()
          .describe(
            "The passage to replace, exactly as it stands in the file, white space included. It must occur once, unless replace_all is set.",
          ),
        new_string: z.string().describe("What to put in its place; empty to delete the passage."),
        replace_all: z.boolean().optional().describe("Replace every occurrence. Default false."),
      }),
    )
    .min(1)
    .max(editsMax)
    .describe("Applied in order, each to the outcome of those before it. If one cannot be applied, none is."),
});

export function editFileTool(env: ToolEnv): Tool {
  return defineTool({
    name: "edit_file",
    description: [
      "Replaces passages of an existing text file by exact match, all edits or none.",
      "Take old_string from what read_file shows, without the line numbers, and with as many lines around the change as make it unique.",
      "Line endings are kept: write \\n also for files with CRLF. Several changes to one file go into one call. Not for new files or complete rewrites (use write_file).",
    ].join("\n"),
    input: INPUT,
    effect: "write",
    claim: ({ path }) => writesFile(env, path),
    async preview({ path: given, edits }) {
      const path = await resolvePath(env, given, "write");
      const before = path.ok ? await env.files.read(path.value.absolute, readBytesMax) : path;
      if (!path.ok || !before.ok || binaryKind(before.value) !== null) return null;
      const edited = applyAll(contentOf(before.value), edits);
      if (!edited.ok) return null;
      return { path: path.value.shown, before: textOf(before.value), after: textOf(bytesOf(edited.value.content)) };
    },
    async run({ path: given, edits }) {
      const path = await resolvePath(env, given, "write");
      if (!path.ok) return { kind: "error", text: path.error };
      const { absolute, shown } = path.value;
      const before = await env.files.read(absolute, readBytesMax);
      if (!before.ok) return failure(shown, before.error);
      const binary = binaryKind(before.value);
      if (binary !== null) return { kind: "error", text: `${shown} is ${binary}: it cannot be edited as text` };
      const edited = applyAll(contentOf(before.value), edits);
      if (!edited.ok) return { kind: "error", text: `${shown} was not changed: ${edited.error}` };
      const written = await replaceFile(env.files, absolute, bytesOf(edited.value.content));
      if (!written.ok) return failure(shown, written.error);
      const count = edited.value.replacements;
      return { kind: "text", text: `edited ${shown}: ${count === 1 ? "1 replacement" : `${count} replacements`}` };
    },
  });
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}

function applyAll(before: string, edits: readonly Edit[]): Result<{ content: string; replacements: number }, string> {
  let content = before;
  let replacements = 0;
  for (const [index, edit] of edits.entries()) {
    const edited = applyEdit(content, edit);
    if (!edited.ok) {
      const which = edits.length === 1 ? "" : `edit ${index + 1} of ${edits.length} cannot be applied, so none was: `;
      return err(which + reason(edited.error, content, edit));
    }
    content = edited.value.content;
    replacements += edited.value.replacements;
  }
  if (content === before) return err("the edits undo each other");
  return ok({ content, replacements });
}

function reason(error: EditError, content: string, edit: Edit): string {
  switch (error.kind) {
    case "empty":
      return "old_string is empty. To add text, replace a passage next to it; to write a whole file use write_file.";
    case "no-change":
      return "old_string and new_string are the same.";
    case "not-text":
      return "a string has half of a surrogate pair and cannot be written as UTF-8.";
    case "ambiguous": {
      const { lines } = error;
      const more = lines.length > linesNamedMax ? ", …" : "";
      const named = `${lines.slice(0, linesNamedMax).join(", ")}${more}`;
      return `old_string occurs ${lines.length} times (at lines ${named}). Add lines around it to make it unique, or set replace_all.`;
    }
    case "not-found":
      return `old_string was not found; ${notFoundHint(Buffer.from(bytesOf(content)).toString("utf8"), edit.old_string)}`;
    default:
      return unreachable(error);
  }
}
