// write_file: a whole new content for one file. Says whether the file was created or replaced, and never leaves half a file.

import { dirname } from "node:path";
import { z } from "zod";
import { defineTool, type Tool, type ToolAnswer } from "../agent/tool.ts";
import type { FileError } from "../host/files.ts";
import { writesFile } from "./claims.ts";
import type { ToolEnv } from "./env.ts";
import { resolvePath, sentence } from "./path.ts";
import { readBytesMax } from "./read-file.ts";
import { replaceFile } from "./replace.ts";

const writeBytesMax = 10 * 1024 * 1024;

const INPUT = z.object({
  path: z.string().describe("File to write, relative to the root of the tree. Missing directories are created."),
  content: z.string().describe("The whole content, byte for byte as it is to stand in the file (UTF-8)."),
});

export function writeFileTool(env: ToolEnv): Tool {
  return defineTool({
    name: "write_file",
    description: [
      "Writes a whole file: creates it, or replaces everything in it.",
      "Use it for new files and for complete rewrites. To change a part of an existing file use edit_file: it keeps the rest as it is.",
    ].join("\n"),
    input: INPUT,
    effect: "write",
    claim: ({ path }) => writesFile(env, path),
    async preview({ path: given, content }) {
      const path = await resolvePath(env, given, "write");
      if (!path.ok) return null;
      const { absolute, shown } = path.value;
      const before = await env.files.read(absolute, readBytesMax);
      if (before.ok) return { path: shown, before: Buffer.from(before.value).toString("utf8"), after: content };
      return before.error.code === "not-found" ? { path: shown, before: null, after: content } : null;
    },
    async run({ path: given, content }) {
      if (!content.isWellFormed())
        return { kind: "error", text: "the content has half of a surrogate pair and cannot be written as UTF-8" };
      const bytes = Buffer.from(content, "utf8");
      if (bytes.length > writeBytesMax)
        return { kind: "error", text: `the content has ${bytes.length} bytes; the limit is ${writeBytesMax}` };
      const path = await resolvePath(env, given, "write");
      if (!path.ok) return { kind: "error", text: path.error };
      const before = await env.files.read(path.value.absolute, readBytesMax);
      if (!before.ok && before.error.code !== "not-found" && before.error.code !== "too-large")
        return failure(path.value.shown, before.error);
      const made = await env.files.makeDirectory(dirname(path.value.absolute));
      if (!made.ok) return failure(path.value.shown, made.error);
      const written = await replaceFile(env.files, path.value.absolute, bytes);
      if (!written.ok) return failure(path.value.shown, written.error);
      const replaced = before.ok ? before.value : before.error.code === "too-large" ? "large" : null;
      return { kind: "text", text: report(path.value.shown, replaced, bytes) };
    },
  });
}

/** A failed write, with the old content still in place; what is the machine's fault is said apart. */
export function failure(shown: string, error: FileError): ToolAnswer {
  if (error.code === "no-space" || error.code === "io")
    return { kind: "fault", text: `${shown} was not changed: the disk refused (${error.message})` };
  return { kind: "error", text: `${shown} was not changed: ${sentence(error)}` };
}

function report(shown: string, replaced: Uint8Array | "large" | null, after: Uint8Array): string {
  const now = lineCount(after);
  if (replaced === null) return `created ${shown} (${now})`;
  if (replaced === "large") return `replaced ${shown} (${now})`;
  if (Buffer.compare(replaced, after) === 0) return `unchanged: ${shown} had exactly this content (${now})`;
  const hadCrlf = Buffer.from(replaced).includes("\r\n") && !Buffer.from(after).includes("\r\n");
  const note = hadCrlf ? "; it had CRLF line endings and has LF now" : "";
  return `replaced ${shown} (${lineCount(replaced)} before, ${now} now${note})`;
}

function lineCount(bytes: Uint8Array): string {
  let lines = 0;
  for (const byte of bytes) if (byte === 0x0a) lines++;
  if (bytes.length > 0 && bytes.at(-1) !== 0x0a) lines++;
  return lines === 1 ? "1 line" : `${lines} lines`;
}
