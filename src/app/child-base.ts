// What is kept beside a child's copy for after a crash: what it was made from, without which it could not be merged back, and what was
// said when it was, without which it would be looked for in vain. Each is written whole and renamed into place.

import type { FinishedChanges } from "../agent/child-home.ts";
import { asBlobId, type RepoPath } from "../base/ids.ts";
import { flag, list, object, oneOf, type Parser, parse, text } from "../base/parse.ts";
import type { FileResult, Files } from "../host/files.ts";
import type { Manifest } from "../vcs/types.ts";

export interface BroughtChanges extends FinishedChanges {
  /** Whether the copy stays. */
  readonly kept: boolean;
}

const fileBytesMax = 256 * 1024 * 1024;
const pathsMax = 1_000_000;
const BASE = list(
  object({ path: text<RepoPath>(4_096), blob: text(64), mode: oneOf("100644", "100755", "120000", "160000") }),
  pathsMax,
);
const BROUGHT = object({ kind: oneOf("brought", "failed"), text: text(fileBytesMax), kept: flag });

export function writeBase(files: Files, path: string, manifest: Manifest): FileResult<void> {
  return write(
    files,
    path,
    [...manifest].map(([name, { blob, mode }]) => ({ path: name, blob, mode })),
  );
}

/** Null where there is none, or none that is whole. */
export async function readBase(files: Files, path: string): Promise<Manifest | null> {
  const entries = await read(files, path, BASE);
  return entries && new Map(entries.map(({ path: name, blob, mode }) => [name, { blob: asBlobId(blob), mode }]));
}

export function writeBrought(files: Files, path: string, { kind, text: said, kept }: BroughtChanges): FileResult<void> {
  return write(files, path, { kind, text: said, kept });
}

/** Null where nothing has been brought. */
export function readBrought(files: Files, path: string): Promise<BroughtChanges | null> {
  return read(files, path, BROUGHT);
}

async function write(files: Files, path: string, value: unknown): FileResult<void> {
  const temporary = `${path}.new`;
  const written = await files.write(temporary, Buffer.from(JSON.stringify(value)));
  return written.ok ? files.rename(temporary, path) : written;
}

async function read<T>(files: Files, path: string, parser: Parser<T>): Promise<T | null> {
  const bytes = await files.read(path, fileBytesMax);
  if (!bytes.ok) return null;
  try {
    const parsed = parse(parser, JSON.parse(Buffer.from(bytes.value).toString("utf8")), "file");
    return parsed.ok ? parsed.value : null;
  } catch {
    return null;
  }
}
