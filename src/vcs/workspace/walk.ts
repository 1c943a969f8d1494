// Lists what is in a workspace's tree: tracked paths wherever they are, untracked ones unless ignored.
// Invariant: symlinks are never followed, and whatever is passed over is named, but for `.git` and ignored files.

import { join } from "node:path";
import type { RepoPath } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { DirectoryEntry, FileResult, Files } from "../../host/files.ts";
import { parseRepoPath } from "../path.ts";
import type { Entry } from "../types.ts";
import type { WorkspaceError } from "./errors.ts";
import { type IgnoreRules, ignoreRules } from "./ignore-rules.ts";
import { parentsOf } from "./place.ts";

export interface SkippedPath {
  /** As found; not always a valid repository path. */
  readonly path: string;
  readonly reason:
    | "special-file"
    | "too-large"
    | "bad-name"
    | "unreadable"
    | "unstable"
    | "nested-repository"
    | "inside-submodule";
  /** For people and models: what it is, and the limit where there is one. */
  readonly detail: string;
}

export interface WalkOptions {
  readonly files: Files;
  readonly root: string;
  readonly base: ReadonlyMap<RepoPath, Entry>;
  /** Ignore texts from outside the tree, in rising precedence. */
  readonly ignoreTexts: readonly string[];
  readonly filesMax: number;
  /** Only these and what is below them; none: everything. */
  readonly only?: readonly RepoPath[];
  /** The tree in its overlay's upper layer: what is not there is as the base has it, and is not looked at. */
  readonly upper?: string | null;
}

export interface Walked {
  /** Files and symlinks that belong to the tree, in directory order. */
  readonly found: readonly RepoPath[];
  /** Tracked paths that are there in a form that is not looked into (a submodule, a pipe, an unreadable directory). */
  readonly kept: ReadonlySet<RepoPath>;
  readonly skipped: readonly SkippedPath[];
  /** Directories in which nothing was changed, so that they were not looked into; the empty path is all of the tree. */
  readonly untouched: ReadonlySet<string>;
}

const directoryEntriesMax = 1_000_000;
const ignoreFileBytesMax = 4 * 1024 * 1024;

interface State {
  readonly options: WalkOptions;
  readonly trackedDirectories: ReadonlySet<string>;
  readonly found: RepoPath[];
  readonly kept: Set<RepoPath>;
  readonly skipped: SkippedPath[];
  readonly untouched: Set<string>;
}

interface Directory {
  /** Empty for the root. */
  readonly path: string;
  /** Rules of the directory above; its own ignore file is read when it is entered. */
  readonly rules: IgnoreRules | null;
  /** Inside an ignored directory only tracked files count. */
  readonly ignored: boolean;
}

export async function walk(options: WalkOptions): Promise<Result<Walked, WorkspaceError>> {
  const trackedDirectories = new Set<string>();
  for (const path of options.base.keys()) for (const parent of parentsOf(path)) trackedDirectories.add(parent);
  const state: State = { options, trackedDirectories, found: [], kept: new Set(), skipped: [], untouched: new Set() };
  const queue: Directory[] = [{ path: "", rules: null, ignored: false }];
  for (let directory = queue.pop(); directory !== undefined; directory = queue.pop()) {
    const below = await enter(state, directory);
    if (!below.ok) return below;
    queue.push(...below.value.toReversed());
    if (state.found.length > options.filesMax) return err({ kind: "scan-limit", what: "files", max: options.filesMax });
  }
  const { found, kept, skipped, untouched } = state;
  return ok({ found, kept, skipped, untouched });
}

/** Sorts one directory's entries; answers the directories to look into. */
async function enter(state: State, directory: Directory): Promise<Result<readonly Directory[], WorkspaceError>> {
  const { options, skipped } = state;
  const absolute = join(options.root, directory.path);
  const touched = await touchedNames(options, directory.path);
  if (touched === "untouched") {
    state.untouched.add(directory.path);
    return ok([]);
  }
  const listed = await options.files.list(absolute, directoryEntriesMax);
  if (!listed.ok) {
    if (directory.path === "") return listed;
    // Gone since its parent was listed: its files are gone too.
    if (listed.error.code === "not-found" || listed.error.code === "not-directory") return ok([]);
    return ok(passOver(state, directory.path, listed.error.message));
  }
  const entries = listed.value;
  if (directory.path !== "" && !state.trackedDirectories.has(directory.path) && entries.some(isGit)) {
    const detail = "a git repository of its own: its files are not part of this one";
    skipped.push({ path: directory.path, reason: "nested-repository", detail });
    return ok([]);
  }
  const ignoreFile = await readIgnoreFile(options.files, absolute, entries);
  // Without its rules an ignored file could be committed.
  if (!ignoreFile.ok) return ok(passOver(state, directory.path, ignoreFile.error.message));
  const rules =
    directory.rules === null
      ? ignoreRules(options.ignoreTexts, ignoreFile.value)
      : directory.rules.enter(directory.path, ignoreFile.value);
  const below: Directory[] = [];
  for (const entry of entries) {
    if (isGit(entry) || isElsewhere(options.only, directory.path, entry.name)) continue;
    if (touched !== null && !touched.has(entry.name) && passBy(state, directory.path, entry)) continue;
    const next = await sort(state, { ...directory, rules }, entry);
    if (next !== null) below.push(next);
  }
  return ok(below);
}

/** The names that the upper layer has of a directory, an empty one's none; null where everything is to be looked at. */
async function touchedNames(
  { files, upper }: WalkOptions,
  directory: string,
): Promise<ReadonlySet<string> | "untouched" | null> {
  if (upper === undefined || upper === null) return null;
  const listed = await files.list(join(upper, directory), directoryEntriesMax);
  if (listed.ok) return new Set(listed.value.map(({ name }) => name));
  return listed.error.code === "not-found" ? "untouched" : null;
}

/** Takes note of an entry that comes from the layers below; false for one that the base does not know. */
function passBy(
  { options, kept, untouched, trackedDirectories }: State,
  parent: string,
  entry: DirectoryEntry,
): boolean {
  const path = parent === "" ? entry.name : `${parent}/${entry.name}`;
  if (entry.kind === "directory" && trackedDirectories.has(path)) {
    untouched.add(path);
    return true;
  }
  const parsed = parseRepoPath(path);
  if (!parsed.ok || !options.base.has(parsed.value)) return false;
  kept.add(parsed.value);
  return true;
}

/** Takes note of one entry; answers the directory to look into, or null. */
async function sort(
  state: State,
  parent: Directory & { readonly rules: IgnoreRules },
  entry: DirectoryEntry,
): Promise<Directory | null> {
  const { options, found, kept, skipped, trackedDirectories } = state;
  const text = parent.path === "" ? entry.name : `${parent.path}/${entry.name}`;
  const parsed = parseRepoPath(text);
  const tracked = parsed.ok ? options.base.get(parsed.value) : undefined;
  const holdsTracked = entry.kind === "directory" && trackedDirectories.has(text);
  const ruleKind = entry.kind === "other" ? "file" : entry.kind;
  const ignored = parent.ignored || ((!tracked || entry.kind === "directory") && parent.rules.ignores(text, ruleKind));
  if (ignored && !tracked && !holdsTracked) return null;
  if (!parsed.ok) {
    skipped.push({ path: text, reason: "bad-name", detail: parsed.error.reason });
    return null;
  }
  if (entry.name.includes("\ufffd") && !(await options.files.stat(join(options.root, text))).ok) {
    skipped.push({ path: text, reason: "bad-name", detail: "its name is not UTF-8" });
    return null;
  }
  const path = parsed.value;
  switch (entry.kind) {
    case "file":
    case "symlink":
      found.push(path);
      return null;
    case "other":
      if (tracked) kept.add(path);
      skipped.push({
        path: text,
        reason: "special-file",
        detail: "a pipe, socket or device: only files and links are kept",
      });
      return null;
    case "directory":
      if (tracked?.mode !== "160000") return { path: text, rules: parent.rules, ignored };
      kept.add(path);
      await nameSubmoduleFiles(state, path);
      return null;
  }
}

async function nameSubmoduleFiles(state: State, path: RepoPath): Promise<void> {
  const listed = await state.options.files.list(join(state.options.root, path), 1);
  if (listed.ok && listed.value.length === 0) return;
  const detail = "inside a submodule, which is another repository: files there are not kept";
  state.skipped.push({ path, reason: "inside-submodule", detail });
}

/** A directory that cannot be looked into: its tracked files stay as they are in the base. */
function passOver(state: State, directory: string, detail: string): readonly Directory[] {
  const prefix = directory === "" ? "" : `${directory}/`;
  for (const path of state.options.base.keys()) if (path.startsWith(prefix)) state.kept.add(path);
  state.skipped.push({ path: directory === "" ? "." : directory, reason: "unreadable", detail });
  return [];
}

/** Whether a path is one of those that are asked for, or below one. */
export function isAsked(only: readonly RepoPath[], path: string): boolean {
  return only.length === 0 || only.some((name) => path === name || path.startsWith(`${name}/`));
}

/** Neither asked for nor on the way to what is. */
function isElsewhere(only: readonly RepoPath[] = [], directory: string, name: string): boolean {
  const path = directory === "" ? name : `${directory}/${name}`;
  return !isAsked(only, path) && !only.some((asked) => asked.startsWith(`${path}/`));
}

function isGit(entry: DirectoryEntry): boolean {
  return entry.name === ".git";
}

/** Only a regular file: git does not follow a symlink of that name either. */
async function readIgnoreFile(
  files: Files,
  directory: string,
  entries: readonly DirectoryEntry[],
): FileResult<Uint8Array | null> {
  if (!entries.some((entry) => entry.name === ".gitignore" && entry.kind === "file")) return ok(null);
  const bytes = await files.read(join(directory, ".gitignore"), ignoreFileBytesMax);
  if (bytes.ok) return ok(bytes.value);
  return bytes.error.code === "not-found" ? ok(null) : bytes;
}
