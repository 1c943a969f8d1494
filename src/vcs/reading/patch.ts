// A difference in the form of `git diff`: as bytes, which `git apply` takes, and as text for people, with control characters as they
// come, which the terminal's gate replaces.

import type { HunkLine } from "../merge/line-diff.ts";
import type { Entry } from "../types.ts";
import type { FileDifference } from "./compare.ts";

/** Of one file. Names are quoted as git quotes them. The ids are whole. */
export function patchOf(file: FileDifference): string {
  return `${linesOf(file)
    .map(({ text }) => text)
    .join("\n")}\n`;
}

/** The same with each line's own bytes. */
export function patchBytes(file: FileDifference): Uint8Array {
  const end = Buffer.from("\n");
  return Buffer.concat(
    linesOf(file).flatMap(({ text, raw }) => [
      raw === undefined
        ? Buffer.from(text)
        : Buffer.concat([Buffer.from(text.slice(0, 1)), Buffer.from(raw, "base64")]),
      end,
    ]),
  );
}

type PatchLine = Pick<HunkLine, "text" | "raw">;

function linesOf(file: FileDifference): readonly PatchLine[] {
  const { content, before, after } = file;
  if (content.kind !== "retyped") return linesOfOne(file);
  return [
    ...linesOfOne({ ...file, kind: "deleted", before, after: null, content: content.gone }),
    ...linesOfOne({ ...file, kind: "added", before: null, after, content: content.come }),
  ];
}

function linesOfOne({ kind, path, from, before, after, content }: FileDifference): readonly PatchLine[] {
  const [a, b] = [`a/${from ?? path}`, `b/${path}`];
  const lines: string[] = [`diff --git ${quoted(a)} ${quoted(b)}`, ...modeLines(before, after)];
  const hunkLines: PatchLine[] = [];
  if (kind === "renamed") lines.push(`rename from ${quoted(from ?? path)}`, `rename to ${quoted(path)}`);
  if (before?.blob !== after?.blob) {
    const mode = before?.mode === after?.mode && before !== null ? ` ${before.mode}` : "";
    lines.push(`index ${idOf(before, after)}..${idOf(after, before)}${mode}`);
  }
  const sides = [before === null ? "/dev/null" : quoted(a), after === null ? "/dev/null" : quoted(b)] as const;
  // `name_a_tab` in git's diff.c: so that a name with blanks has an end.
  const headers = sides.map((side, at) => `${at === 0 ? "---" : "+++"} ${side}${side.includes(" ") ? "\t" : ""}`);
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
      lines.push(...headers, ...submoduleLines(before, after));
      break;
    case "lines":
      if (content.hunks.length > 0) lines.push(...headers);
      for (const { heading, lines: hunk } of content.hunks) {
        hunkLines.push({ text: heading });
        for (const { mark, text, raw, isOpen } of hunk) {
          hunkLines.push({ text: `${mark}${text}`, ...(raw === undefined ? {} : { raw }) });
          if (isOpen) hunkLines.push({ text: "\\ No newline at end of file" });
        }
      }
      break;
    case "retyped":
      break;
  }
  return [...lines.map((text) => ({ text })), ...hunkLines];
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
