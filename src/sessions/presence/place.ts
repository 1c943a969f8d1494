// Where a directory belongs: repository, worktree, branch and commit, read from git's files without starting git, which would cost a
// hook more than all its other work. Layout: gitrepository-layout(5). All paths are real paths, so that one place has one name.

import { dirname, resolve } from "node:path";
import type { Files } from "../../host/files.ts";
import { type Head, readHead } from "./head.ts";

export type PlaceFiles = Pick<Files, "read" | "stat" | "realPath">;

export interface Place {
  /** The common git directory, which all worktrees of a repository share; outside git the directory itself. */
  readonly repository: string;
  /** Top of the worktree; the directory itself outside git and in a bare repository. */
  readonly worktree: string;
  /** Where git keeps what is this worktree's alone, as its index; null outside git. */
  readonly gitDirectory: string | null;
  /** Null outside git. */
  readonly head: Head | null;
}

const gitFileBytesMax = 64 * 1024;
const directoriesUpMax = 200;

/** A directory that is gone keeps its name, so that an event about it is still told. */
export async function findPlace(files: PlaceFiles, directory: string): Promise<Place> {
  const start = await realOr(files, directory);
  let at = start;
  for (let up = 0; up < directoriesUpMax; up++) {
    const gitDirectory = (await linkedGitDirectory(files, at)) ?? ((await isGitDirectory(files, at)) ? at : null);
    if (gitDirectory !== null) return placeIn(files, gitDirectory, gitDirectory === at ? start : at);
    if (dirname(at) === at) break;
    at = dirname(at);
  }
  return { repository: start, worktree: start, gitDirectory: null, head: null };
}

async function placeIn(files: PlaceFiles, gitDirectory: string, worktree: string): Promise<Place> {
  const common = await textOf(files, `${gitDirectory}/commondir`);
  const repository = common === null ? gitDirectory : await realOr(files, resolve(gitDirectory, common));
  return { repository, worktree, gitDirectory, head: await readHead(files, gitDirectory, repository) };
}

/** What `.git` in a directory stands for: itself, or the directory that a worktree's or submodule's file names. */
async function linkedGitDirectory(files: PlaceFiles, directory: string): Promise<string | null> {
  const path = `${directory}/.git`;
  const stat = await files.stat(path);
  if (!stat.ok) return null;
  if (stat.value.kind === "file") {
    const target = /^gitdir: (.+)$/.exec((await textOf(files, path)) ?? "")?.[1];
    return target === undefined ? null : existing(files, resolve(directory, target));
  }
  const real = await existing(files, path);
  return real !== null && (await isGitDirectory(files, real)) ? real : null;
}

/** As git itself tells one: HEAD, objects and refs are there. */
async function isGitDirectory(files: PlaceFiles, path: string): Promise<boolean> {
  for (const name of ["HEAD", "objects", "refs"]) if (!(await files.stat(`${path}/${name}`)).ok) return false;
  return true;
}

async function existing(files: PlaceFiles, path: string): Promise<string | null> {
  const real = await files.realPath(path);
  return real.ok ? real.value : null;
}

async function realOr(files: PlaceFiles, path: string): Promise<string> {
  return (await existing(files, path)) ?? resolve(path);
}

async function textOf(files: PlaceFiles, path: string): Promise<string | null> {
  const bytes = await files.read(path, gitFileBytesMax);
  return bytes.ok
    ? Buffer.from(bytes.value)
        .toString("utf8")
        .replace(/[\r\n]+$/, "")
    : null;
}
