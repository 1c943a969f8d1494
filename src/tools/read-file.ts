// read_file: a part of a text file with line numbers, within a cap of lines and characters; never the bytes of a binary.

import { basename, dirname } from "node:path";
import { z } from "zod";
import { defineTool, type Tool, type ToolAnswer } from "../agent/tool.ts";
import { mostAlike } from "../base/similar.ts";
import type { FileError } from "../host/files.ts";
import { readsFile } from "./claims.ts";
import { answerCharsMax, type ToolEnv } from "./env.ts";
import { type ResolvedPath, relativeInside, resolvePath, sentence } from "./path.ts";

/** Larger files are searched, not read. */
export const readBytesMax = 10 * 1024 * 1024;
const linesMax = 2_000;
const lineCharsMax = 2_000;
/** Git's rule: a NUL among the first bytes makes a file binary. */
const sniffBytes = 8_000;
const entriesMax = 5_000;
const entriesShownMax = 50;

const INPUT = z.object({
  path: z.string().describe("File to read, relative to the root of the tree."),
  offset: z.number().int().min(1).optional().describe("First line to show, counted from 1. Default 1."),
  limit: z.number().int().min(1).max(linesMax).optional().describe(`Lines to show. Default and maximum ${linesMax}.`),
});

export function readFileTool(env: ToolEnv): Tool {
  return defineTool({
    name: "read_file",
    description: [
      "Reads a text file. Each line is shown as its number, a tab and its text; the number and the tab are not part of the file.",
      "Use it before you edit a file, and with offset and limit for parts of a long one. It also reads the files that full outputs were saved to.",
      "Several files can be read at once: ask for them in one answer. Not for directories (use glob) and not for finding something in many files (use grep).",
    ].join("\n"),
    input: INPUT,
    effect: "read",
    claim: ({ path }) => readsFile(env, path),
    async run(input) {
      const path = await resolvePath(env, input.path, "read");
      if (!path.ok) return { kind: "error", text: path.error };
      const bytes = await env.files.read(path.value.absolute, readBytesMax);
      if (!bytes.ok) return unreadable(env, path.value, bytes.error);
      const binary = binaryKind(bytes.value);
      if (binary !== null)
        return {
          kind: "error",
          text: `${path.value.shown} is ${binary} of ${bytes.value.length} bytes: it is not shown as text`,
        };
      return { kind: "text", text: page(bytes.value, input.offset ?? 1, input.limit ?? linesMax) };
    },
  });
}

/** What kind of non-text the bytes are, or null for text. */
export function binaryKind(bytes: Uint8Array): string | null {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) return "a UTF-16 file";
  return bytes.subarray(0, sniffBytes).includes(0) ? "a binary file" : null;
}

/** The numbered lines from `offset`, and notes on what is not shown or not visible. */
function page(bytes: Uint8Array, offset: number, limit: number): string {
  if (bytes.length === 0) return "(the file is empty)";
  const { text, notes } = decode(bytes);
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  else notes.push("no newline at the end of the file");
  if (offset > lines.length) return `(the file has ${lines.length} lines: there is nothing at line ${offset})`;
  const shown: string[] = [];
  let chars = 0;
  for (const line of lines.slice(offset - 1, offset - 1 + limit)) {
    const numbered = numberedLine(offset + shown.length, line);
    if (chars + numbered.length > answerCharsMax) break;
    chars += numbered.length + 1;
    shown.push(numbered);
  }
  const last = offset - 1 + shown.length;
  if (offset > 1 || last < lines.length) notes.unshift(`lines ${offset}-${last} of ${lines.length}`);
  if (last < lines.length) notes.push(`go on with offset ${last + 1}`);
  return notes.length === 0 ? shown.join("\n") : `${shown.join("\n")}\n[${notes.join("; ")}]`;
}

/** Text with LF line ends and without a byte order mark, and notes on what that hides. */
function decode(bytes: Uint8Array): { text: string; notes: string[] } {
  const notes: string[] = [];
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    text = new TextDecoder("utf-8").decode(bytes);
    notes.push("not valid UTF-8: bytes that are no text are shown as \ufffd");
  }
  const ends = text.match(/\r?\n/g) ?? [];
  const crlf = ends.filter((end) => end === "\r\n").length;
  if (crlf > 0)
    notes.push(crlf === ends.length ? "CRLF line endings" : `mixed line endings: ${crlf} of ${ends.length} are CRLF`);
  return { text: text.replaceAll("\r\n", "\n"), notes };
}

function numberedLine(number: number, line: string): string {
  const text =
    line.length > lineCharsMax
      ? `${line.slice(0, lineCharsMax)}… [${line.length - lineCharsMax} more characters in this line]`
      : line;
  return `${String(number).padStart(5)}\t${text}`;
}

async function unreadable(env: ToolEnv, path: ResolvedPath, error: FileError): Promise<ToolAnswer> {
  if (error.code === "too-large") {
    return {
      kind: "error",
      text: `${path.shown} is larger than ${readBytesMax} bytes: search it with grep, or show a part of it with a shell command`,
    };
  }
  if (error.code === "is-directory")
    return { kind: "error", text: `${path.shown} is a directory${await entriesText(env, path.absolute)}` };
  if (error.code === "not-found")
    return { kind: "error", text: `${path.shown}: no such file${await nearText(env, path.absolute)}` };
  return { kind: "error", text: `${path.shown}: ${sentence(error)}` };
}

async function entriesText(env: ToolEnv, directory: string): Promise<string> {
  const entries = await env.files.list(directory, entriesMax);
  if (!entries.ok) return "";
  const names = entries.value
    .filter((entry) => entry.name !== ".git")
    .map((entry) => (entry.kind === "directory" ? `${entry.name}/` : entry.name));
  if (names.length === 0) return ", and it is empty";
  const more = names.length > entriesShownMax ? `, and ${names.length - entriesShownMax} more` : "";
  return ` with: ${names.slice(0, entriesShownMax).join(", ")}${more}`;
}

/** Names like the missing one in its directory; where that is missing as well, says which directory there is. */
async function nearText(env: ToolEnv, absolute: string): Promise<string> {
  const entries = await env.files.list(dirname(absolute), entriesMax);
  if (!entries.ok) {
    const root = await env.files.realPath(env.root);
    const parent = root.ok ? relativeInside(root.value, dirname(absolute)) : null;
    return entries.error.code === "not-found" && parent !== null
      ? `: its directory ${parent} does not exist either`
      : "";
  }
  const names = entries.value.map((entry) => entry.name);
  const near = mostAlike(basename(absolute), names, 3, 0.4).map((index) => names[index]);
  return near.length === 0 ? "" : `. In the same directory: ${near.join(", ")}`;
}
