// Reads a commit's tree out of git: first every entry, then every blob's bytes once.
// Invariant: nothing is skipped. An entry that cannot be carried refuses the import and is named.

import type { BlobId, RepoPath } from "../../base/ids.ts";
import { asBlobId } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { cleanLine } from "../../base/text.ts";
import type { ObjectFormat } from "../../log/blob-id.ts";
import { parseRepoPath } from "../path.ts";
import { treeId } from "../tree-id.ts";
import type { Entry, Manifest, Mode } from "../types.ts";
import { type Git, type GitError, runGit } from "./command.ts";

export interface TreeListing {
  /** In git's order. A submodule's entry has a commit as its id, and no blob. */
  readonly manifest: Manifest;
  /** Each blob once, in the order of first use: what `readBlobs` is asked for. */
  readonly blobs: readonly BlobId[];
}

export interface RefusedPath {
  /** For people: bytes that are no text are shown as `\xNN`. */
  readonly path: string;
  readonly reason: string;
}

export type ImportError =
  | GitError
  /** The first refused paths, and how many there are. */
  | { readonly kind: "refused-paths"; readonly paths: readonly RefusedPath[]; readonly count: number };

const refusedPathsShownMax = 20;
const shownPathCharsMax = 300;
const listingBytesMax = 512 * 1024 * 1024;

/** Every entry of the commit's tree, by `git ls-tree -r -z --full-tree`. */
export async function readTree(
  git: Git,
  repository: string,
  commit: string,
): Promise<Result<TreeListing, ImportError>> {
  const listed = await runGit(git, {
    cwd: repository,
    args: ["ls-tree", "-r", "-z", "--full-tree", "--end-of-options", commit],
    outputBytesMax: listingBytesMax,
  });
  if (!listed.ok) return listed;
  const manifest = new Map<RepoPath, Entry>();
  const blobs = new Set<BlobId>();
  const refused: RefusedPath[] = [];
  for (const line of entryLines(listed.value)) {
    const parsed = parseLine(line);
    if (!parsed.ok) {
      refused.push(parsed.error);
      continue;
    }
    const { path, entry } = parsed.value;
    if (manifest.has(path)) refused.push({ path: cleanLine(path, shownPathCharsMax), reason: "the tree has it twice" });
    manifest.set(path, entry);
    if (entry.mode !== "160000") blobs.add(entry.blob);
  }
  refused.push(...filesWithChildren(manifest));
  if (refused.length === 0) return ok({ manifest, blobs: [...blobs] });
  return err({ kind: "refused-paths", paths: refused.slice(0, refusedPathsShownMax), count: refused.length });
}

/** A hand-made tree can have one name as a link and as a directory: what is below would be written through the link. */
function* filesWithChildren(manifest: Manifest): Generator<RefusedPath> {
  const directories = new Set<string>();
  for (const path of manifest.keys()) {
    for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) directories.add(path.slice(0, end));
  }
  for (const path of manifest.keys()) {
    if (directories.has(path)) {
      yield { path: cleanLine(path, shownPathCharsMax), reason: "the tree has it as a file and as a directory" };
    }
  }
}

export interface TreeMismatch {
  readonly kind: "tree-mismatch";
  readonly expected: string;
  readonly actual: string;
}

/** Proof that a manifest is the tree git names: its id, computed here, equals git's. */
export function verifyTree(manifest: Manifest, expectedTree: string, format: ObjectFormat): Result<void, TreeMismatch> {
  const actual = treeId(manifest, format);
  return actual === expectedTree ? ok(undefined) : err({ kind: "tree-mismatch", expected: expectedTree, actual });
}

function* entryLines(output: Uint8Array): Generator<Uint8Array> {
  let start = 0;
  for (let end = output.indexOf(0); end !== -1; end = output.indexOf(0, start)) {
    yield output.subarray(start, end);
    start = end + 1;
  }
}

// A byte order mark is part of a name like any other character.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** `<mode> <type> <id>\t<path>`. */
function parseLine(line: Uint8Array): Result<{ readonly path: RepoPath; readonly entry: Entry }, RefusedPath> {
  const tab = line.indexOf(0x09);
  const [mode = "", , id = ""] = Buffer.from(line.subarray(0, tab)).toString("latin1").split(" ");
  const pathBytes = line.subarray(tab + 1);
  const text = decode(pathBytes);
  if (text === null) return err({ path: shownPath(pathBytes), reason: "the name is not UTF-8" });
  const path = parseRepoPath(text);
  if (!path.ok) return err({ path: cleanLine(text, shownPathCharsMax), reason: path.error.reason });
  if (!isMode(mode)) {
    // Git shows the old 100664 as 100644: `verifyTree` finds such a tree by its id, `findOldModes` its paths.
    return err({ path: cleanLine(text, shownPathCharsMax), reason: `mode ${mode} is unknown` });
  }
  return ok({ path: path.value, entry: { blob: asBlobId(id), mode } });
}

export function isMode(text: string): text is Mode {
  return text === "100644" || text === "100755" || text === "120000" || text === "160000";
}

function decode(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

/** A name for people: bytes that are no text as `\xNN`. */
export function shownPath(bytes: Uint8Array): string {
  const text = [...bytes].map((byte) =>
    byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`,
  );
  return cleanLine(text.join(""), shownPathCharsMax);
}
