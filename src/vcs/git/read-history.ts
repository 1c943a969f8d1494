// Reads the commits that led to a commit, along first parents: who made each, when, why, and what it changed. Invariant: every tree on
// the way is computed here and compared with git's, so that nothing in between is taken on trust.

import { asBlobId, type BlobId, type RepoPath } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { cleanLine } from "../../base/text.ts";
import type { ObjectFormat } from "../../log/blob-id.ts";
import { parseRepoPath } from "../path.ts";
import { TreeHasher } from "../tree-hasher.ts";
import type { Change, Entry } from "../types.ts";
import { type Git, gitError, outputLine, runGit } from "./command.ts";
import { type ImportError, isMode, type RefusedPath, readTree, shownPath } from "./import.ts";

export interface GitCommit {
  readonly id: string;
  readonly tree: string;
  /** `Name <address>`, cleaned and capped. */
  readonly author: string;
  /** When it was committed, milliseconds. */
  readonly atMs: number;
  /** A merge's ends with a trailer for each parent but the first: their own commits do not come along. */
  readonly message: string;
  /** Against its first parent. */
  readonly changes: readonly Change[];
}

export interface GitHistory {
  /** The oldest commit that was read: its tree is what the others change. */
  readonly first: { readonly commit: string; readonly tree: string };
  readonly manifest: ReadonlyMap<RepoPath, Entry>;
  /** Oldest first. */
  readonly commits: readonly GitCommit[];
  /** Of all trees, each once. */
  readonly blobs: readonly BlobId[];
  /** Of `commits`, those with more parents than one. */
  readonly merges: number;
  /** The repository is shallow, and has fewer commits than were asked for. */
  readonly isCutShort: boolean;
}

export type HistoryError =
  | ImportError
  /** A tree that cannot be carried exactly: in a mode that git no longer writes, or another old form. `newer`: commits on top of it. */
  | { readonly kind: "history-tree"; readonly commit: string; readonly newer: number }
  /** More commits than are taken at once. */
  | { readonly kind: "history-too-long"; readonly commits: number; readonly commitsMax: number };

export interface HistoryOptions {
  readonly git: Git;
  readonly repository: string;
  /** Full id. */
  readonly tip: string;
  readonly format: ObjectFormat;
  /** Commits on top of the oldest tree; null: back to the first one. */
  readonly commits: number | null;
}

export const historyCommitsMax = 100_000;
const authorCharsMax = 100;
const messageCharsMax = 16_000;
const mergedParentsMax = 100;
const mergedTrailer = "Git-Merged-Parent";
const outputBytesMax = 1024 * 1024 * 1024;
const refusedShownMax = 20;

export async function readHistory(options: HistoryOptions): Promise<Result<GitHistory, HistoryError>> {
  const { git, repository, format } = options;
  const listed = await listCommits(options);
  if (!listed.ok) return listed;
  const [oldest, ...others] = listed.value;
  if (oldest === undefined) return err(gitError({ args: ["log"] }, 0, "named no commit"));
  const tree = await readTree(git, repository, oldest.id);
  if (!tree.ok) return tree;
  const { manifest } = tree.value;
  const hasher = new TreeHasher(manifest, format);
  if (hasher.id() !== oldest.tree) return err({ kind: "history-tree", commit: oldest.id, newer: others.length });
  const diffs = await readDiffs(options, listed.value);
  if (!diffs.ok) return diffs;
  const blobs = new Set<BlobId>(tree.value.blobs);
  const commits: GitCommit[] = [];
  for (const [index, commit] of others.entries()) {
    const changes = diffs.value[index] ?? [];
    hasher.apply(changes);
    if (hasher.id() !== commit.tree) {
      return err({ kind: "history-tree", commit: commit.id, newer: others.length - index - 1 });
    }
    for (const change of changes) if (change.kind === "put" && change.mode !== "160000") blobs.add(change.blob);
    const { isMerge: _, ...named } = commit;
    commits.push({ ...named, changes });
  }
  const first = { commit: oldest.id, tree: oldest.tree };
  const merges = others.filter(({ isMerge }) => isMerge).length;
  const isShort = options.commits === null || others.length < options.commits;
  const shallow = isShort ? await isShallow(options) : ok(false);
  if (!shallow.ok) return shallow;
  return ok({ first, manifest, commits, blobs: [...blobs], merges, isCutShort: shallow.value });
}

async function isShallow({ git, repository }: HistoryOptions): Promise<Result<boolean, HistoryError>> {
  const answer = await runGit(git, { cwd: repository, args: ["rev-parse", "--is-shallow-repository"] });
  return answer.ok ? ok(outputLine(answer.value) === "true") : answer;
}

type Named = Omit<GitCommit, "changes"> & { readonly isMerge: boolean };

/** Oldest first; the first is the one whose tree is the beginning. */
async function listCommits(options: HistoryOptions): Promise<Result<readonly Named[], HistoryError>> {
  const { git, repository, tip, commits } = options;
  const format = ["%H", "%T", "%P", "%an <%ae>", "%ct", "%B"].join("%x00");
  const count = ["rev-list", "--count", "--first-parent", tip, "--"] as const;
  const counted = await runGit(git, { cwd: repository, args: count });
  if (!counted.ok) return counted;
  const all = Number(Buffer.from(counted.value).toString("latin1").trim());
  const wanted = Math.min(commits ?? all, all);
  if (wanted > historyCommitsMax) {
    return err({ kind: "history-too-long", commits: wanted, commitsMax: historyCommitsMax });
  }
  const limit = `--max-count=${wanted + 1}`;
  const args = ["log", "-z", "--first-parent", "--encoding=UTF-8", limit, `--format=${format}`, tip, "--"] as const;
  const logged = await runGit(git, { cwd: repository, args, outputBytesMax });
  if (!logged.ok) return logged;
  const fields = Buffer.from(logged.value).toString("utf8").split("\0");
  const named: Named[] = [];
  for (let at = 0; at + 6 <= fields.length; at += 6) {
    const [id = "", tree = "", parents = "", author = "", seconds = "", message = ""] = fields.slice(at, at + 6);
    const [, ...merged] = parents.split(" ");
    named.push({
      id,
      tree,
      author: cleanLine(author, authorCharsMax) || "unknown",
      atMs: Math.max(0, Number(seconds) * 1_000),
      message: message.trimEnd().slice(0, messageCharsMax) + mergedTrailers(merged),
      isMerge: merged.length > 0,
    });
  }
  return ok(named.reverse());
}

function mergedTrailers(parents: readonly string[]): string {
  if (parents.length === 0) return "";
  const named = parents.slice(0, mergedParentsMax).map((id) => `\n${mergedTrailer}: ${id}`);
  const more = parents.length - named.length;
  return `\n${named.join("")}${more > 0 ? `\n${mergedTrailer}: and ${more} more` : ""}`;
}

/** What each commit but the first changed. */
async function readDiffs(
  { git, repository }: HistoryOptions,
  commits: readonly Named[],
): Promise<Result<readonly (readonly Change[])[], HistoryError>> {
  if (commits.length < 2) return ok([]);
  const pairs = commits.slice(1).map(({ tree }, index) => `${commits[index]?.tree} ${tree}\n`);
  const args = ["diff-tree", "--stdin", "-r", "-z", "--raw", "--no-renames", "--ignore-submodules=none"] as const;
  const stdin = Buffer.from(pairs.join(""), "latin1");
  const answered = await runGit(git, { cwd: repository, args, stdin, outputBytesMax });
  if (!answered.ok) return answered;
  return parseDiffs(answered.value, pairs);
}

/** A line with both trees, then for each path `:<mode> <mode> <id> <id> <letter>`, NUL, the path, NUL: git-diff-tree(1). */
function parseDiffs(
  output: Uint8Array,
  pairs: readonly string[],
): Result<readonly (readonly Change[])[], HistoryError> {
  const bytes = Buffer.from(output.buffer, output.byteOffset, output.byteLength);
  const diffs: Change[][] = [];
  const refused: RefusedPath[] = [];
  let at = 0;
  for (const pair of pairs) {
    if (bytes.toString("latin1", at, at + pair.length) !== pair) {
      return err(gitError({ args: ["diff-tree"] }, 0, `did not answer for ${pair.trim()}`));
    }
    at += pair.length;
    const changes: Change[] = [];
    while (bytes[at] === 0x3a) {
      const headEnd = bytes.indexOf(0, at);
      const pathEnd = bytes.indexOf(0, headEnd + 1);
      const [, mode = "", , id = "", letter = ""] = bytes.toString("latin1", at + 1, headEnd).split(" ");
      const change = changeOf(bytes.subarray(headEnd + 1, pathEnd), { mode, id, letter });
      if (change.ok) changes.push(change.value);
      else refused.push(change.error);
      at = pathEnd + 1;
    }
    diffs.push(changes);
  }
  if (refused.length === 0) return ok(diffs);
  return err({ kind: "refused-paths", paths: refused.slice(0, refusedShownMax), count: refused.length });
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function changeOf(
  pathBytes: Uint8Array,
  { mode, id, letter }: { readonly mode: string; readonly id: string; readonly letter: string },
): Result<Change, RefusedPath> {
  const path = shownPath(pathBytes);
  let text: string;
  try {
    text = utf8.decode(pathBytes);
  } catch {
    return err({ path, reason: "the name is not UTF-8" });
  }
  const parsed = parseRepoPath(text);
  if (!parsed.ok) return err({ path, reason: parsed.error.reason });
  if (letter === "D") return ok({ kind: "delete", path: parsed.value });
  if (!isMode(mode)) return err({ path, reason: `mode ${mode} is unknown` });
  return ok({ kind: "put", path: parsed.value, blob: asBlobId(id), mode });
}
