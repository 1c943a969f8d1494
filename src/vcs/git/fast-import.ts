// Writes the stream `git fast-import` reads (its manual is the source of the format). Pure: text and counts in, bytes out.
// Invariant: counted data and quoted paths, so that no content can end a command early.

import type { RepoPath } from "../../base/ids.ts";
import { cleanLine, cleanText } from "../../base/text.ts";
import type { Change } from "../types.ts";

export interface CommitText {
  readonly authorName: string;
  readonly authorEmail: string;
  readonly message: string;
  readonly trailers: readonly (readonly [key: string, value: string])[];
  readonly atMs: number;
}

const identityCharsMax = 200;
const messageCharsMax = 64 * 1024;
const trailerCharsMax = 1_000;

export function streamStart(): Uint8Array {
  // `feature done` makes a stream that was cut off an error instead of a shorter history.
  return Buffer.from("feature done\nfeature date-format=raw\n");
}

export interface StreamEnd {
  readonly ref: string;
  readonly mark: number;
}

/** Asks for the marked commit's id, and takes the ref out of the stream again: git then makes no ref at all. */
export function streamEnd({ ref, mark }: StreamEnd): Uint8Array {
  return Buffer.from(`get-mark :${mark}\nreset ${ref}\ndone\n`);
}

export function blobCommand(mark: number, bytes: Uint8Array): readonly Uint8Array[] {
  return [Buffer.from(`blob\nmark :${mark}\ndata ${bytes.length}\n`), bytes, Buffer.from("\n")];
}

export interface CommitCommand {
  /** The name of the line of commits within the stream. */
  readonly ref: string;
  /** Number by which `streamEnd` can ask for it; null for none. */
  readonly mark: number | null;
  readonly text: CommitText;
  /** The parent's id for the first commit of the stream; null continues the ref. */
  readonly from: string | null;
  readonly changes: readonly Change[];
  /** A mark (`:5`) or an object id for each put. */
  readonly dataRef: (change: Change & { readonly kind: "put" }) => string;
}

export function commitCommand(command: CommitCommand): Uint8Array {
  const { text, changes } = command;
  const identity = `${identityPart(text.authorName)} <${identityPart(text.authorEmail)}> ${Math.floor(text.atMs / 1000)} +0000`;
  const message = Buffer.from(messageWithTrailers(text));
  const mark = command.mark === null ? [] : [`mark :${command.mark}`];
  const lines = [
    `commit ${command.ref}`,
    ...mark,
    `author ${identity}`,
    `committer ${identity}`,
    `data ${message.length}`,
  ];
  const from = command.from === null ? "" : `from ${command.from}\n`;
  const files: string[] = [];
  // Deletions first: a file that becomes a directory, or the other way round, is gone before its successor comes.
  for (const change of changes) if (change.kind === "delete") files.push(`D ${quotePath(change.path)}\n`);
  for (const change of changes) {
    if (change.kind === "put") files.push(`M ${change.mode} ${command.dataRef(change)} ${quotePath(change.path)}\n`);
  }
  return Buffer.concat([Buffer.from(`${lines.join("\n")}\n`), message, Buffer.from(`\n${from}${files.join("")}\n`)]);
}

/** C-style quotes always, which any path may have. Bytes from 0x80 stand for themselves. */
export function quotePath(path: RepoPath): string {
  const escaped = path.replace(/["\\\u0000-\u001f\u007f]/g, (character) => {
    if (character === '"' || character === "\\") return `\\${character}`;
    return `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`;
  });
  return `"${escaped}"`;
}

/** Subject, body, an empty line, and the trailers as one block, as `git interpret-trailers` reads them. */
export function messageWithTrailers(text: Pick<CommitText, "message" | "trailers">): string {
  const body = cleanText(text.message, messageCharsMax)
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();
  const trailers = text.trailers.map(([key, value]) => `${trailerKey(key)}: ${cleanLine(value, trailerCharsMax)}`);
  return `${[body === "" ? "(no message)" : body, trailers.join("\n")].filter((part) => part !== "").join("\n\n")}\n`;
}

function trailerKey(key: string): string {
  return key.replace(/[^A-Za-z0-9-]/g, "-");
}

/** What git's own commands leave out of an identity, and never empty. */
function identityPart(text: string): string {
  const clean = cleanLine(text.replace(/[<>]/g, ""), identityCharsMax);
  return clean === "" ? "unknown" : clean;
}
