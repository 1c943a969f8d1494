// The branch and commit that a worktree is at, read from HEAD, loose and packed refs. Formats: gitrepository-layout(5), git-pack-refs(1).

import type { Files } from "../../host/files.ts";

export interface Head {
  /** Null on a detached HEAD, and where the repository keeps its refs in another format than files. */
  readonly branch: string | null;
  /** Null on a branch without a commit, and where it cannot be read. */
  readonly commit: string | null;
}

const refBytesMax = 4096;
const packedRefsBytesMax = 8 * 1024 * 1024;
/** A ref may name another one; git itself stops at five. */
const symbolicMax = 5;

/** Stands in HEAD where the refs are in a reftable. */
const NO_FILE_REFS = "refs/heads/.invalid";

export async function readHead(files: Pick<Files, "read">, gitDirectory: string, common: string): Promise<Head | null> {
  const text = await textOf(files, `${gitDirectory}/HEAD`, refBytesMax);
  if (text === null) return null;
  const name = refName(text);
  if (name === null) return { branch: null, commit: objectId(text) };
  if (name === NO_FILE_REFS) return { branch: null, commit: null };
  const branch = name.startsWith("refs/heads/") ? name.slice("refs/heads/".length) : name;
  return { branch, commit: await commitOf(files, { name, gitDirectory, common }) };
}

interface Ref {
  readonly name: string;
  readonly gitDirectory: string;
  readonly common: string;
}

async function commitOf(files: Pick<Files, "read">, { name, gitDirectory, common }: Ref): Promise<string | null> {
  let current = name;
  for (let link = 0; link < symbolicMax; link++) {
    if (!isSafeRef(current)) return null;
    // Some refs are a worktree's own: those of a bisection.
    const directories = gitDirectory === common ? [common] : [gitDirectory, common];
    let text: string | null = null;
    for (const directory of directories) text ??= await textOf(files, `${directory}/${current}`, refBytesMax);
    if (text === null) return packedCommit(files, common, current);
    const next = refName(text);
    if (next === null) return objectId(text);
    current = next;
  }
  return null;
}

async function packedCommit(files: Pick<Files, "read">, common: string, name: string): Promise<string | null> {
  const text = await textOf(files, `${common}/packed-refs`, packedRefsBytesMax);
  if (text === null) return null;
  const at = text.indexOf(` ${name}\n`);
  const end = at >= 0 ? at : text.endsWith(` ${name}`) ? text.length - name.length - 1 : -1;
  return end < 0 ? null : objectId(text.slice(text.lastIndexOf("\n", end - 1) + 1, end));
}

function refName(text: string): string | null {
  return /^ref: *(\S.*)$/.exec(text)?.[1] ?? null;
}

function objectId(text: string): string | null {
  return /^([0-9a-f]{40}|[0-9a-f]{64})$/.exec(text)?.[1] ?? null;
}

/** A name becomes part of a path: one that leaves the directory is nobody's branch. */
function isSafeRef(name: string): boolean {
  return name.startsWith("refs/") && !name.split("/").includes("..") && !name.includes("\0");
}

async function textOf(files: Pick<Files, "read">, path: string, bytesMax: number): Promise<string | null> {
  const bytes = await files.read(path, bytesMax);
  return bytes.ok
    ? Buffer.from(bytes.value)
        .toString("utf8")
        .replace(/[\r\n]+$/, "")
    : null;
}
