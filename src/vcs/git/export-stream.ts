// Streams commits and the blobs git does not have yet into one `git fast-import`, on a ref of ours that nobody looks at.
// Invariant: a blob goes over once; memory holds one fetch of blobs at a time.

import type { BlobId } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { blobId } from "../blob-id.ts";
import type { BlobSource, Change, LandedCommit } from "../types.ts";
import { type Git, type GitError, type RunningGit, runGit, startGit } from "./command.ts";
import { blobCommand, type CommitText, commitCommand, streamEnd, streamStart } from "./fast-import.ts";

export type Described = Pick<CommitText, "authorName" | "authorEmail" | "trailers">;

export interface StreamOptions {
  readonly git: Git;
  readonly repository: string;
  /** Full name of the ref that gets the commits; whatever it held is replaced. */
  readonly ref: string;
  readonly parent: string;
  readonly commits: readonly LandedCommit[];
  readonly blobs: BlobSource;
  readonly describe: (commit: LandedCommit) => Described;
  readonly signal?: AbortSignal;
}

export type StreamError = { readonly kind: "blob"; readonly id: BlobId | null; readonly message: string } | GitError;

const blobsPerFetchMax = 32;

export async function streamCommits(options: StreamOptions): Promise<Result<void, StreamError>> {
  const wanted = putBlobs(options.commits);
  const present = await presentBlobs(options.git, options.repository, wanted);
  const started = await startGit(options.git, {
    cwd: options.repository,
    args: ["fast-import", "--quiet", "--force", "--done"],
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  if (!started.ok) return started;
  const running = started.value;
  const drained = drain(running.child.stdout);
  const sent = await send(
    options,
    running,
    wanted.filter((id) => !present.has(id)),
  );
  // Without `done` git makes nothing of the stream but unreferenced objects.
  if (!sent.ok) running.child.kill("SIGKILL");
  running.child.endInput();
  await drained;
  const finished = await running.finish();
  return sent.ok ? finished : sent;
}

async function send(
  options: StreamOptions,
  running: RunningGit,
  missing: readonly BlobId[],
): Promise<Result<void, StreamError>> {
  const { child } = running;
  // A refused write means that git ended: its own error is then what `finish` reports.
  if (!(await child.write(streamStart()))) return ok(undefined);
  const marks = new Map<BlobId, number>();
  for (let start = 0; start < missing.length; start += blobsPerFetchMax) {
    const ids = missing.slice(start, start + blobsPerFetchMax);
    const fetched = await fetchBlobs(options.blobs, ids);
    if (!fetched.ok) return fetched;
    for (const [index, bytes] of fetched.value.entries()) {
      const mark = marks.size + 1;
      marks.set(ids[index]!, mark);
      if (!(await child.write(Buffer.concat(blobCommand(mark, bytes))))) return ok(undefined);
    }
  }
  const dataRef = (change: Change & { readonly kind: "put" }): string => {
    const mark = change.mode === "160000" ? undefined : marks.get(change.blob);
    return mark === undefined ? change.blob : `:${mark}`;
  };
  for (const [index, commit] of options.commits.entries()) {
    const bytes = commitCommand({
      ref: options.ref,
      text: { ...options.describe(commit), message: commit.message, atMs: commit.atMs },
      from: index === 0 ? options.parent : null,
      changes: commit.changes,
      dataRef,
    });
    if (!(await child.write(bytes))) return ok(undefined);
  }
  await child.write(streamEnd());
  return ok(undefined);
}

/** The source's bytes, each checked against its id. */
async function fetchBlobs(
  source: BlobSource,
  ids: readonly BlobId[],
): Promise<Result<readonly Uint8Array[], StreamError>> {
  let contents: readonly Uint8Array[];
  try {
    contents = await source.get(ids);
  } catch (cause) {
    return err({ kind: "blob", id: null, message: cause instanceof Error ? cause.message : String(cause) });
  }
  for (const [index, id] of ids.entries()) {
    const bytes = contents[index];
    if (bytes === undefined) return err({ kind: "blob", id, message: "the source has no such blob" });
    if (blobId(bytes, id.length === 64 ? "sha256" : "sha1") !== id) {
      return err({ kind: "blob", id, message: "the source's bytes do not hash to this id" });
    }
  }
  return ok(contents);
}

function putBlobs(commits: readonly LandedCommit[]): readonly BlobId[] {
  const ids = new Set<BlobId>();
  for (const { changes } of commits) {
    for (const change of changes) if (change.kind === "put" && change.mode !== "160000") ids.add(change.blob);
  }
  return [...ids];
}

/**
 * Which blobs the repository has. A question git cannot answer (in a partial clone, git before 2.44 ends at the first absent
 * object) means "none": then all go over, and git stores them once.
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

async function drain(stream: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of stream);
}
