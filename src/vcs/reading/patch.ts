// A difference as text, in the form of `git diff`: for people, with control characters as they come, which the terminal's gate replaces.

import type { Entry } from "../types.ts";
import type { FileDifference } from "./compare.ts";

/** Of one file. Names are quoted as git quotes them. The ids are whole. */
export function patchOf({ kind, path, from, before, after, content }: FileDifference): string {
  const [a, b] = [`a/${from ?? path}`, `b/${path}`];
  const lines = [`diff --git ${quoted(a)} ${quoted(b)}`, ...modeLines(before, after)];
  if (kind === "renamed") lines.push(`rename from ${quoted(from ?? path)}`, `rename to ${quoted(path)}`);
  if (before?.blob !== after?.blob) {
    const mode = before?.mode === after?.mode && before !== null ? ` ${before.mode}` : "";
    lines.push(`index ${idOf(before, after)}..${idOf(after, before)}${mode}`);
  }
  const sides = [before === null ? "/dev/null" : quoted(a), after === null ? "/dev/null" : quoted(b)];
  switch (content.kind) {
    case "same":
      break;
    case "binary":
      lines.push(`Binary files ${sides[0]} and ${sides[1]} differ`);
      break;
    case "too-large":
      lines.push(`(${quoted(path)}: too large to be compared line by line)`);
      break;
    case "not-kept":
      lines.push(`(${quoted(path)}: a content of it is not kept any more)`);
      break;
    case "submodule":
      lines.push(`--- ${sides[0]}`, `+++ ${sides[1]}`, ...submoduleLines(before, after));
      break;
    case "lines":
      if (content.hunks.length > 0) lines.push(`--- ${sides[0]}`, `+++ ${sides[1]}`);
      for (const { heading, lines: hunk } of content.hunks) {
        lines.push(heading);
        for (const { mark, text, isOpen } of hunk) {
          lines.push(`${mark}${text}`);
          if (isOpen) lines.push("\\ No newline at end of file");
        }
      }
      break;
  }
  return `${lines.join("\n")}\n`;
}

function modeLines(before: Entry | null, after: Entry | null): readonly string[] {
  if (before === null) return after === null ? [] : [`new file mode ${after.mode}`];
  if (after === null) return [`deleted file mode ${before.mode}`];
  return before.mode === after.mode ? [] : [`old mode ${before.mode}`, `new mode ${after.mode}`];
}

function idOf(entry: Entry | null, other: Entry | null): string {
  return entry?.blob ?? "0".repeat(other?.blob.length ?? 40);
}

function submoduleLines(before: Entry | null, after: Entry | null): readonly string[] {
  const line = (mark: string, entry: Entry | null) =>
    entry === null ? [] : [`${mark}Subproject commit ${entry.blob}`];
  const [a, b] = [before === null ? "-0,0" : "-1", after === null ? "+0,0" : "+1"];
  return [`@@ ${a} ${b} @@`, ...line("-", before), ...line("+", after)];
}

/** `quote_c_style` in git's quote.c, with `core.quotePath` off: what is no control character stands as it is. */
function quoted(name: string): string {
  if (!/[\u0000-\u001f"\\\u007f]/.test(name)) return name;
  const escaped = name.replace(/[\u0000-\u001f"\\\u007f]/g, (char) => {
    const known = ESCAPES[char];
    return known ?? `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`;
  });
  return `"${escaped}"`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  '"': '\\"',
  "\\": "\\\\",
};
