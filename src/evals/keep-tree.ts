// Brings what a run left into the results: files, directories and symlinks, none with a key in it. What is nothing of these (a socket, a
// pipe) is left behind, and what cannot be read is told.

import { join } from "node:path";
import { err, ok, type Result } from "../base/result.ts";
import { SecretFilter, textWithoutSecrets } from "../base/secrets.ts";
import type { FileError, FileHandle, Files } from "../host/files.ts";

const entriesMax = 200_000;
const depthMax = 200;
const pieceBytes = 1024 * 1024;

export interface KeepTree {
  readonly from: string;
  /** Made where it is not there. */
  readonly to: string;
  /** In all the forms in which they are written. */
  readonly secrets: readonly string[];
}

/** What of it could not be read, in words; the error is that something could not be written. */
export async function keepTree(files: Files, tree: KeepTree): Promise<Result<readonly string[], FileError>> {
  const unread: string[] = [];
  const kept = await keepDirectory(files, tree, unread, 0);
  return kept.ok ? ok(unread) : kept;
}

async function keepDirectory(
  files: Files,
  { from, to, secrets }: KeepTree,
  unread: string[],
  depth: number,
): Promise<Result<void, FileError>> {
  const made = await files.makeDirectory(to);
  if (!made.ok) return made;
  const entries = depth > depthMax ? tooDeep(from) : await files.list(from, entriesMax);
  if (!entries.ok) {
    unread.push(wordsOf(entries.error));
    return ok(undefined);
  }
  for (const { name, kind } of entries.value) {
    const tree: KeepTree = { from: join(from, name), to: join(to, textWithoutSecrets(name, secrets)), secrets };
    const kept =
      kind === "directory"
        ? await keepDirectory(files, tree, unread, depth + 1)
        : kind === "file"
          ? await keepFile(files, tree, unread)
          : kind === "symlink"
            ? await keepLink(files, tree, unread)
            : ok(undefined);
    if (!kept.ok) return kept;
  }
  return ok(undefined);
}

function tooDeep(path: string): Result<never, FileError> {
  return err({ kind: "file", code: "other", path, message: "directories lie too deep" });
}

function wordsOf({ path, message }: FileError): string {
  return `${path}: ${message}`;
}

async function keepLink(
  files: Files,
  { from, to, secrets }: KeepTree,
  unread: string[],
): Promise<Result<void, FileError>> {
  const target = await files.readLink(from);
  if (target.ok) return files.makeLink(textWithoutSecrets(target.value, secrets), to);
  unread.push(wordsOf(target.error));
  return ok(undefined);
}

async function keepFile(
  files: Files,
  { from, to, secrets }: KeepTree,
  unread: string[],
): Promise<Result<void, FileError>> {
  const stat = await files.stat(from);
  const opened = stat.ok ? await files.open(from, "read") : stat;
  if (!stat.ok || !opened.ok) {
    if (!opened.ok) unread.push(wordsOf(opened.error));
    return ok(undefined);
  }
  const source = opened.value;
  try {
    const made = await files.open(to, "create");
    if (!made.ok) return made;
    const copied = await copyThrough(source, made.value, { secrets, from, unread });
    const closed = await made.value.close();
    if (!copied.ok) return copied;
    if (!closed.ok) return closed;
    return stat.value.executable ? await files.setExecutable(to, true) : ok(undefined);
  } finally {
    await source.close();
  }
}

async function copyThrough(
  source: FileHandle,
  target: FileHandle,
  { secrets, from, unread }: { readonly secrets: readonly string[]; readonly from: string; readonly unread: string[] },
): Promise<Result<void, FileError>> {
  const filter = new SecretFilter(secrets);
  for (let offset = 0; ; ) {
    const piece = await source.read(offset, pieceBytes);
    if (!piece.ok) {
      unread.push(`${from}: ${piece.error.message}`);
      return ok(undefined);
    }
    if (piece.value.length === 0) break;
    offset += piece.value.length;
    const written = await target.append([filter.take(piece.value)]);
    if (!written.ok) return written;
  }
  return target.append([filter.end()]);
}
