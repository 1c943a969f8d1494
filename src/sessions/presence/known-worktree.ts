// What git told of a small worktree when it was asked last, kept with the change times of all that its answer followed from: while only files
// have changed whose change is certain, git is not asked. In `presence/<repository>/.worktrees/<worktree>.json`, replaced whole by whoever
// had to ask. Invariant: a cache; a look is what git would say, or null, and then git is asked.

import { basename, join } from "node:path";
import type { LookNow, SeenFile } from "../../host/files.ts";
import type { Place } from "./place.ts";
import type { SessionFiles } from "./session-file.ts";
import type { WorktreeLook } from "./worktree-look.ts";

export const knownVersion = 2;

/** One directory of the worktree, with what is in it but what has a record of its own. */
export interface KnownDirectory {
  /** Relative to the worktree; empty for its top. */
  readonly path: string;
  /** Its own change time, which is another one when a name in it has come or gone. */
  readonly changedMs: number;
  /** Files that are as committed, in the order of the two lists beside it. */
  readonly names: readonly string[];
  readonly times: readonly number[];
  readonly sizes: readonly number[];
  /** What is looked at by its own name or not at all: files that git has told of, ignored ones, and directories, which end with a slash. */
  readonly others: readonly string[];
}

export interface KnownWorktree {
  readonly v: typeof knownVersion;
  readonly worktree: string;
  readonly branch: string | null;
  readonly commit: string | null;
  /**
   * What git's answer follows from beside the files, absolute → stamp: the index, settings, and which files are ignored.
   */
  readonly watched: Readonly<Record<string, string>>;
  /** Those of them that are links → what they lead to. */
  readonly links: Readonly<Record<string, string>>;
  /** Those of them that hold git's settings for this worktree, or would. */
  readonly settings: readonly string[];
  /** As git told it: what differs from the commit. */
  readonly status: readonly string[];
  readonly directories: readonly KnownDirectory[];
}

/** Where there is too much to be looked at one by one, or that was found out by trying. */
export interface TooMuch {
  readonly v: typeof knownVersion;
  readonly worktree: string;
  /** Milliseconds since the epoch. */
  readonly tooMuchAt: number;
}

/** What git may take, in milliseconds, where it is not known that it has little to do. */
export const gitMsMax = 250;
/** More is worth a start of git beside the hook, which costs it some 15 ms; to look at one file some 15 us. */
export const entriesMax = 1_000;
/** Of an index with more entries than that. */
export const indexBytesMax = 160 * 1024;

/** Their content decides what git tells of other files. */
const DECIDING: ReadonlySet<string> = new Set([".gitignore", ".gitattributes"]);
export const missing = "gone";

/** Whether it is a record, as far as a look depends on it: the file is ours, and renamed to its place when it is whole. */
export function isKnown(value: unknown): value is KnownWorktree | TooMuch {
  if (!isRecord(value) || value.v !== knownVersion || typeof value.worktree !== "string") return false;
  if (typeof value.tooMuchAt === "number") return true;
  const { watched, links, settings, status, directories } = value;
  const areThere =
    isRecord(watched) &&
    isRecord(links) &&
    Array.isArray(settings) &&
    Array.isArray(status) &&
    Array.isArray(directories);
  return areThere && directories.every(isDirectory);
}

function isDirectory(value: unknown): value is KnownDirectory {
  if (!isRecord(value) || typeof value.path !== "string") return false;
  const { names, times, sizes, others } = value;
  if (!Array.isArray(names) || !Array.isArray(times) || !Array.isArray(sizes)) return false;
  return Array.isArray(others) && names.length === times.length && names.length === sizes.length;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The stamp of a file at this moment, as `stampOf` gives it. */
export function stampNow(files: LookNow, path: string, seen: SeenFile): string {
  return files.seeNow(path, seen) === null ? `${seen.changedMs}:${seen.size}` : missing;
}

export function nothingSeen(): SeenFile {
  return { kind: "file", size: 0, changedMs: 0 };
}

export async function lookWith(
  files: SessionFiles & LookNow,
  known: KnownWorktree,
  { worktree, head }: Place,
): Promise<WorktreeLook | null> {
  if (head === null || known.branch !== head.branch || known.commit !== head.commit) return null;
  const seen = nothingSeen();
  for (const [path, stamp] of Object.entries(known.watched)) if (stampNow(files, path, seen) !== stamp) return null;
  for (const [path, target] of Object.entries(known.links)) {
    const real = await files.realPath(path);
    if (!real.ok || real.value !== target) return null;
  }
  const stamps: Record<string, string> = Object.create(null);
  for (const path of known.status) stamps[path] = stampNow(files, join(worktree, path), seen);
  const changed = new Set<string>();
  let paths: ReadonlySet<string> | null = null;
  for (const { path, changedMs, names, times, sizes, others } of known.directories) {
    const absolute = path === "" ? worktree : `${worktree}/${path}`;
    const isThere = files.seeNow(absolute, seen) === null && seen.kind === "directory";
    if (isThere && seen.changedMs !== changedMs) {
      // With the one above it: then it may be another one by that name, whose files are as old and as large.
      if (path !== "" && changed.has(aboveOf(path))) return null;
      changed.add(path);
      paths ??= new Set(known.directories.map((directory) => directory.path));
      if (await holdsMore(files, absolute, { path, names, others, directories: paths })) return null;
    }
    for (let index = 0; index < names.length; index++) {
      const name = names[index];
      if (typeof name !== "string") return null;
      const fault = isThere ? files.seeNow(`${absolute}/${name}`, seen) : null;
      if (isThere && fault === null && seen.changedMs === times[index] && seen.size === sizes[index]) continue;
      const below = path === "" ? name : `${path}/${name}`;
      if (!isThere || fault?.code === "not-found") stamps[below] = missing;
      // Of the same size it may be as it was, and what that is only git knows.
      else if (fault !== null || seen.size === sizes[index] || seen.kind !== "file") return null;
      else stamps[below] = `${seen.changedMs}:${seen.size}`;
    }
  }
  return { stamps: { ...stamps }, complete: true };
}

/** The directory that it is in, relative to the worktree. */
export function aboveOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

interface Listed extends Pick<KnownDirectory, "path" | "names" | "others"> {
  readonly directories: ReadonlySet<string>;
}

/** Whether something is there that was not there before: only git knows whether it is ignored. */
async function holdsMore(
  files: Pick<SessionFiles, "list">,
  absolute: string,
  { path, names, others, directories }: Listed,
): Promise<boolean> {
  const listed = await files.list(absolute, entriesMax);
  if (!listed.ok) return true;
  const known = new Set(names);
  for (const name of others) known.add(name);
  return listed.value.some(({ name, kind }) => {
    if (kind === "other") return false;
    if (kind !== "directory") return !known.has(name);
    return !known.has(`${name}/`) && !directories.has(path === "" ? name : `${path}/${name}`);
  });
}

/** The worktree's index; null outside git. */
export function indexOf({ gitDirectory }: Place): string | null {
  return gitDirectory === null ? null : join(gitDirectory, "index");
}

/** Whether git's answer about others depends on it. */
export function isDeciding(path: string): boolean {
  return DECIDING.has(basename(path));
}
