// Streams commits and their blobs into one `git fast-import`.
// Invariant: no ref is made or moved; a blob goes over once; memory holds some commits and two fetches of small blobs at a time, and ids.

import type { BlobId } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { blobId } from "../blob-id.ts";
import type { BlobSource, Change, LandedCommit } from "../types.ts";
import { type Git, type GitError, runGit } from "./command.ts";
import { blobCommand, type CommitText, commitCommand, streamEnd, streamStart } from "./fast-import.ts";
import { bytesOf, type Command, type Pace, paced, type Sink, unpaced } from "./pace.ts";
import { runFastImport, type Write } from "./run-fast-import.ts";

export type Described = Pick<CommitText, "authorName" | "authorEmail" | "trailers">;

export interface StreamOptions {
  readonly git: Git;
  readonly repository: string;
  /** Null: the first commit has no parent. */
  readonly parent: string | null;
  readonly commits: () => AsyncIterable<LandedCommit>;
  /** What `survey` found in them: more than so many are not sent. */
  readonly count: number;
  readonly wanted: readonly BlobId[];
  readonly blobs: BlobSource;
  readonly describe: (commit: LandedCommit) => Described;
  /** Where others need the machine, too. */
  readonly pace?: Pace;
  readonly signal?: AbortSignal;
}

export type StreamError = { readonly kind: "blob"; readonly id: BlobId | null; readonly message: string } | GitError;

const blobsPerFetchMax = 64;
const aheadBytesMax = 4 * 1024 * 1024;
/** Only within the stream: no ref of this name is made. */
const ref = "refs/heads/export";
const commitMark = 1;

/** Answers the last commit's id; no ref names it yet. */
export async function streamCommits(options: StreamOptions): Promise<Result<string, StreamError>> {
  const { git, repository: cwd, pace, signal } = options;
  return runFastImport(git, { cwd, ...(signal === undefined ? {} : { signal }) }, (write, workedOff) =>
    send(options, write, () => (pace === undefined ? unpaced(write) : paced(write, workedOff, pace))),
  );
}

async function send(options: StreamOptions, write: Write, sink: () => Sink): Promise<Result<void, StreamError>> {
  if (!(await write(streamStart()))) return ok(undefined);
  const marks = await sendBlobs(options, sink());
  if (!marks.ok) return marks;
  if (marks.value === null || !(await sendCommits(options, sink(), marks.value))) return ok(undefined);
  await write(streamEnd({ ref, mark: commitMark }));
  return ok(undefined);
}

/**
 * Their marks; null where git has ended. Git is not asked which of them it has: before 2.44 it looks through its directories anew for
 * each that it lacks, which costs more than sending them, and it stores none twice that is in a pack.
 */
async function sendBlobs(
  options: StreamOptions,
  sink: Sink,
): Promise<Result<ReadonlyMap<BlobId, number> | null, StreamError>> {
  const marks = new Map<BlobId, number>();
  const groups = groupsOf(options.wanted);
  let next = groups.length === 0 ? null : fetchBlobs(options, groups[0] ?? []);
  for (const number of groups.keys()) {
    const fetched = (await next) ?? ok([]);
    if (!fetched.ok) return fetched;
    // While git takes these the next come, unless these are large: then two groups in memory would be much.
    const bytes = fetched.value.reduce((sum, [, content]) => sum + content.byteLength, 0);
    const ahead = groups[number + 1];
    next = ahead === undefined || bytes > aheadBytesMax ? null : fetchBlobs(options, ahead);
    const commands: Command[] = [];
    for (const [id, content] of fetched.value) {
      const mark = commitMark + marks.size + 1;
      marks.set(id, mark);
      commands.push(blobCommand(mark, content));
    }
    if (!(await writeAll(sink, commands))) return ok(null);
    if (ahead !== undefined) next ??= fetchBlobs(options, ahead);
  }
  return ok(marks);
}

/** False where git has ended. */
async function sendCommits(options: StreamOptions, sink: Sink, marks: ReadonlyMap<BlobId, number>): Promise<boolean> {
  const dataRef = (change: Change & { readonly kind: "put" }): string => {
    const mark = change.mode === "160000" ? undefined : marks.get(change.blob);
    return mark === undefined ? change.blob : `:${mark}`;
  };
  let index = 0;
  let waiting: Command[] = [];
  let waitingBytes = 0;
  for await (const commit of options.commits()) {
    if (index === options.count) break;
    const bytes = commitCommand({
      ref,
      mark: index === options.count - 1 ? commitMark : null,
      text: { ...options.describe(commit), message: commit.message, atMs: commit.atMs },
      from: index === 0 ? options.parent : null,
      changes: commit.changes,
      dataRef,
    });
    index += 1;
    waiting.push([bytes]);
    waitingBytes += bytes.byteLength;
    if (waitingBytes < sink.pieceBytesMax) continue;
    if (!(await sink.write(waiting))) return false;
    [waiting, waitingBytes] = [[], 0];
  }
  return waiting.length === 0 || sink.write(waiting);
}

function groupsOf(ids: readonly BlobId[]): readonly (readonly BlobId[])[] {
  const groups: (readonly BlobId[])[] = [];
  for (let start = 0; start < ids.length; start += blobsPerFetchMax)
    groups.push(ids.slice(start, start + blobsPerFetchMax));
  return groups;
}

/** Piece by piece. False where git has ended. */
async function writeAll(sink: Sink, commands: readonly Command[]): Promise<boolean> {
  let piece: Command[] = [];
  let bytes = 0;
  for (const command of commands) {
    piece.push(command);
    bytes += bytesOf(command);
    if (bytes < sink.pieceBytesMax) continue;
    if (!(await sink.write(piece))) return false;
    [piece, bytes] = [[], 0];
  }
  return piece.length === 0 || sink.write(piece);
}

type Fetched = readonly (readonly [id: BlobId, bytes: Uint8Array])[];

/** The source's bytes, each checked against its id. Where it cannot give them all, git need not be given what it has. */
async function fetchBlobs(
  { git, repository, blobs }: StreamOptions,
  ids: readonly BlobId[],
): Promise<Result<Fetched, StreamError>> {
  const fetched = await checkedBlobs(blobs, ids);
  if (fetched.ok) return fetched;
  const present = await presentBlobs(git, repository, ids);
  return present.size === 0
    ? fetched
    : checkedBlobs(
        blobs,
        ids.filter((id) => !present.has(id)),
      );
}

async function checkedBlobs(source: BlobSource, ids: readonly BlobId[]): Promise<Result<Fetched, StreamError>> {
  let contents: readonly Uint8Array[];
  try {
    contents = await source.get(ids);
  } catch (cause) {
    return err({ kind: "blob", id: null, message: cause instanceof Error ? cause.message : String(cause) });
  }
  const fetched: (readonly [BlobId, Uint8Array])[] = [];
  for (const [index, id] of ids.entries()) {
    const bytes = contents[index];
    if (bytes === undefined) return err({ kind: "blob", id, message: "the source has no such blob" });
    if (blobId(bytes, id.length === 64 ? "sha256" : "sha1") !== id) {
      return err({ kind: "blob", id, message: "the source's bytes do not hash to this id" });
    }
    fetched.push([id, bytes]);
  }
  return ok(fetched);
}

/** How many commits there are, and which contents they put. */
export async function survey(
  commits: AsyncIterable<LandedCommit>,
): Promise<{ readonly count: number; readonly blobs: readonly BlobId[] }> {
  const ids = new Set<BlobId>();
  let count = 0;
  for await (const { changes } of commits) {
    count += 1;
    for (const change of changes) if (change.kind === "put" && change.mode !== "160000") ids.add(change.blob);
  }
  return { count, blobs: [...ids] };
}

/**
 * Which blobs the repository has. A question git cannot answer (in a partial clone, git before 2.44 ends at the first absent
 * object) means "none".
 */
async function presentBlobs(git: Git, cwd: string, ids: readonly BlobId[]): Promise<ReadonlySet<BlobId>> {
  const answer = await runGit(git, {
    cwd,
    args: ["cat-file", "--batch-check=%(objectname) %(objecttype)"],
    stdin: Buffer.from(ids.map((id) => `${id}\n`).join(""), "latin1"),
  });
  const present = new Set<BlobId>();
  if (!answer.ok) return present;
  const lines = new Set(Buffer.from(answer.value).toString("latin1").split("\n"));
  for (const id of ids) if (lines.has(`${id} blob`)) present.add(id);
  return present;
}
