// Which commit each line of a file came with: back through the commits that changed it, also under the names it had before.

import type { Position, RepoPath } from "../../base/ids.ts";
import { diffItems } from "../merge/diff.ts";
import { isBinary, type Lines, lineBytes, numberLines, splitLines } from "../merge/lines.ts";
import { similarBytesMax, similarShare, similarShareMin } from "../renames/similarity.ts";
import type { Entry, LandedCommit } from "../types.ts";
import type { Reader } from "./reader.ts";

export type LineOrigin =
  | { readonly kind: "commit"; readonly commit: LandedCommit }
  /** It came with the import. */
  | { readonly kind: "import" }
  /** Older than what could be followed: more versions than `blameVersionsMax`, or a content that is not kept any more. */
  | { readonly kind: "older" };

export interface BlamedLine {
  readonly origin: LineOrigin;
  readonly bytes: Uint8Array;
}

export type BlameAnswer =
  | { readonly kind: "lines"; readonly lines: readonly BlamedLine[] }
  | { readonly kind: "no-file" }
  | { readonly kind: "binary" }
  | { readonly kind: "too-large" }
  | { readonly kind: "not-kept" };

export const blameVersionsMax = 5_000;
const linesMax = 100_000;
const stepsMax = 20_000_000;
const pageOfCommits = 200;
const sourcesMax = 50;

export async function blame(reader: Reader, path: RepoPath, at: Position): Promise<BlameAnswer> {
  const entry = await reader.entry(path, at);
  if (entry === null || entry.mode === "160000") return { kind: "no-file" };
  const bytes = await reader.content(entry.blob);
  if (bytes === null) return { kind: "not-kept" };
  if (isBinary(bytes)) return { kind: "binary" };
  const lines = splitLines(bytes, linesMax);
  if (lines === null) return { kind: "too-large" };
  const origins: (LineOrigin | null)[] = lines.ends.map(() => null);
  const end = await trace(reader, { path, at, lines, origins });
  return {
    kind: "lines",
    lines: origins.map((origin, line) => ({ origin: origin ?? end, bytes: lineBytes(lines, line, line + 1) })),
  };
}

interface Tracing {
  readonly path: RepoPath;
  readonly at: Position;
  readonly lines: Lines;
  /** Filled in; null for what nothing was found for. */
  readonly origins: (LineOrigin | null)[];
}

/** What the lines without an origin come from. */
async function trace(reader: Reader, { path, at, lines, origins }: Tracing): Promise<LineOrigin> {
  /** Number of each line of the current version among the lines asked about; -1 for those that are not. */
  let asked = Int32Array.from(lines.ends.keys());
  let [current, name, until] = [lines, path, at];
  const budget = { steps: stepsMax };
  for (let version = 0; version < blameVersionsMax; ) {
    const page = await reader.log({ at: until, agent: null, task: null, path: name, limit: pageOfCommits });
    if (page.length === 0) return { kind: "import" };
    for (const commit of page) {
      version += 1;
      if (!commit.changes.some((change) => change.path === name)) continue;
      const before = await sourceOf(reader, commit, name, current);
      if (before === null) return take(origins, asked, commit);
      const bytes = await reader.content(before.entry.blob);
      const older = bytes === null || isBinary(bytes) ? null : splitLines(bytes, linesMax);
      if (older === null) return { kind: "older" };
      const [was, is] = numberLines([older, current]) as [Int32Array, Int32Array];
      const changes = diffItems(was, is, budget);
      if (changes === null) return { kind: "older" };
      const next = new Int32Array(older.ends.length).fill(-1);
      let [a, b] = [0, 0];
      const keep = (end: number): void => {
        for (; b < end; a += 1, b += 1) next[a] = asked[b] ?? -1;
      };
      for (const { aTo, bFrom, bTo } of changes) {
        keep(bFrom);
        for (; b < bTo; b += 1) mark(origins, asked[b], commit);
        a = aTo;
      }
      keep(current.ends.length);
      [asked, current] = [next, older];
      if (!asked.some((line) => line !== -1)) return { kind: "older" };
      until = (commit.position - 1) as Position;
      if (before.path === name) continue;
      name = before.path;
      break;
    }
  }
  return { kind: "older" };
}

function mark(origins: (LineOrigin | null)[], line: number | undefined, commit: LandedCommit): void {
  if (line !== undefined && line !== -1) origins[line] = { kind: "commit", commit };
}

function take(origins: (LineOrigin | null)[], asked: Int32Array, commit: LandedCommit): LineOrigin {
  for (const line of asked) mark(origins, line, commit);
  return { kind: "commit", commit };
}

/** What the commit made the file from: its own path, or the file that it deleted and is most like it; null for a new file. */
async function sourceOf(
  reader: Reader,
  commit: LandedCommit,
  path: RepoPath,
  lines: Lines,
): Promise<{ readonly path: RepoPath; readonly entry: Entry } | null> {
  const at = (commit.position - 1) as Position;
  const own = await reader.entry(path, at);
  if (own !== null) return { path, entry: own };
  let best: { readonly path: RepoPath; readonly entry: Entry; readonly share: number } | null = null;
  const deleted = commit.changes.filter(({ kind }) => kind === "delete").slice(0, sourcesMax);
  for (const change of deleted) {
    const entry = await reader.entry(change.path, at);
    const bytes = entry === null || entry.mode === "160000" ? null : await reader.content(entry.blob);
    if (entry === null || bytes === null || bytes.length > similarBytesMax) continue;
    const share = similarShare(bytes, lines.bytes);
    if (share >= similarShareMin && share > (best?.share ?? 0)) best = { path: change.path, entry, share };
  }
  return best;
}
