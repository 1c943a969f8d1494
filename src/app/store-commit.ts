// Commits what a directory, or some of its files, hold beyond a snapshot of the store: as a worker's commit does for its workspace.

import { join, relative, resolve, sep } from "node:path";
import type { ClientError } from "../adapters/socket/client.ts";
import type { WireCommit } from "../adapters/socket/commit-frame.ts";
import {
  type AgentId,
  asCommitKey,
  asPosition,
  type CommitKey,
  type Position,
  type RepoPath,
  type TaskId,
} from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Files } from "../host/files.ts";
import { type ObjectFormat, objectFormatOf } from "../log/blob-id.ts";
import { LOG_LIMITS } from "../log/limits.ts";
import type { AppendError, NewBlob } from "../log/log.ts";
import { vcsLimits } from "../vcs/limits.ts";
import { parseRepoPath } from "../vcs/path.ts";
import type { Change, CommitOutcome, Entry, Manifest } from "../vcs/types.ts";
import { type WorkspaceError, workspaceErrorText } from "../vcs/workspace/errors.ts";
import { openLooks } from "../vcs/workspace/looks.ts";
import { type Scan, scan } from "../vcs/workspace/scan.ts";
import type { SkippedPath } from "../vcs/workspace/walk.ts";
import type { WriteDoor } from "./store-door.ts";
import type { Surroundings } from "./surroundings.ts";
import type { VcsStore } from "./vcs-store.ts";

export interface CommitWish {
  readonly from: string;
  /** Files and directories below `from`; none: all of it. */
  readonly paths: readonly string[];
  /** The snapshot the files were made from; `head`: the newest. */
  readonly base: number | "head";
  readonly message: string;
  /** Null: one of its own, so that a repetition is another commit. */
  readonly key: CommitKey | null;
  readonly agent: AgentId;
  readonly task: TaskId;
  readonly reason: string | null;
  readonly reads: readonly string[];
  /** New names that differ from others only by case, where this process writes the store: a server has its own rule. */
  readonly caseOnlyNames: "refuse" | "allow";
}

export interface Committed {
  readonly outcome: CommitOutcome;
  readonly key: CommitKey;
  readonly base: Position;
  readonly puts: number;
  readonly deletes: number;
  readonly changes: readonly Change[];
  /** The workspace that it was made from, where that could not take note of it. */
  readonly unnoted?: string;
  /** Found, and not taken. */
  readonly skipped: readonly SkippedPath[];
}

export type CommitError =
  | { readonly kind: "client"; readonly error: ClientError }
  | { readonly kind: "append"; readonly error: AppendError; readonly key: CommitKey }
  | { readonly kind: "scan"; readonly message: string }
  /** `from` is no directory that can be read. */
  | { readonly kind: "bad-from"; readonly path: string; readonly message: string }
  | { readonly kind: "not-imported" }
  | { readonly kind: "no-snapshot"; readonly base: number; readonly head: number }
  | { readonly kind: "bad-commit-path"; readonly path: string; readonly message: string };

const filesMax = 1_000_000;
const directoryEntriesMax = 1_000_000;
const scanBytesMax = 1024 * 1024 * 1024;

interface Standing {
  readonly head: Position;
  readonly first: Position;
  readonly objectFormat: ObjectFormat;
  readonly fileBytesMax: number;
}

export async function commitDirectory(
  { host, cwd }: Surroundings,
  door: WriteDoor,
  wish: CommitWish,
  /** What the files were made from, where that is not the snapshot itself. */
  made: Manifest | null = null,
): Promise<Result<Committed, CommitError>> {
  const standing = await standingOf(door);
  if (!standing.ok) return standing;
  const { head, first, objectFormat, fileBytesMax } = standing.value;
  const base = wish.base === "head" ? head : asPosition(wish.base);
  if (base > head || base < first) return err({ kind: "no-snapshot", base, head });
  const root = resolve(cwd, wish.from);
  const named = namedPaths(wish.paths, root);
  if (!named.ok) return named;
  const listed = await host.files.list(root, directoryEntriesMax);
  if (!listed.ok) return err({ kind: "bad-from", path: root, message: listed.error.message });
  const manifest = made === null ? await manifestOf(door, base) : ok(made);
  if (!manifest.ok) return manifest;
  const unknown = await unknownPath(host.files, { root, named: named.value, manifest: manifest.value, base });
  if (unknown !== null) return err(unknown);
  const scanned = await scanDirectory(
    { host },
    { root, base: manifest.value, only: named.value, fileBytesMax, objectFormat },
  );
  if (!scanned.ok) return scanned;
  const { changes, blobs, skipped } = scanned.value;
  const key = wish.key ?? asCommitKey(`by-hand-${host.random.letters(20)}`);
  // Nobody can ask for its answer again, so nothing need be kept of it.
  if (changes.length === 0 && wish.key === null) {
    return ok({ outcome: { kind: "unchanged", position: head }, key, base, puts: 0, deletes: 0, changes, skipped });
  }
  const request: WireCommit = {
    key,
    base,
    author: { agent: wish.agent, task: wish.task },
    message: wish.reason === null ? wish.message : `${wish.message}\n\nOutside its scope: ${wish.reason}`,
    changes,
    blobs,
    ...(wish.reason === null ? {} : { reason: wish.reason }),
    ...(wish.reads.length === 0 ? {} : { reads: wish.reads as readonly RepoPath[] }),
  };
  const outcome = await send(door, request);
  if (!outcome.ok) return outcome;
  const puts = changes.filter(({ kind }) => kind === "put").length;
  return ok({ outcome: outcome.value, key, base, puts, deletes: changes.length - puts, changes, skipped });
}

export interface DirectoryScan {
  readonly root: string;
  readonly base: ReadonlyMap<RepoPath, Entry>;
  /** Empty: everything. */
  readonly only: readonly RepoPath[];
  readonly fileBytesMax?: number;
  /** Default: as the base's ids are. */
  readonly objectFormat?: ObjectFormat;
}

/** What a directory holds otherwise than a snapshot. */
export async function scanDirectory(
  { host }: Pick<Surroundings, "host">,
  { root, base, only, fileBytesMax = vcsLimits.fileBytesMax, objectFormat }: DirectoryScan,
): Promise<Result<Scan, Extract<CommitError, { kind: "scan" }>>> {
  const [first] = base.values();
  const idFormat = objectFormat ?? (first?.blob.length === 64 ? "sha256" : "sha1");
  const looks = openLooks({ files: host.files, root, fileBytesMax, idFormat });
  const scanned = await scan({
    files: host.files,
    root,
    base,
    only,
    ignoreTexts: [],
    filesMax,
    looks,
    unsupported: new Set(),
    atMs: host.clock.now(),
    fileBytesMax,
    scanBytesMax,
  });
  return scanned.ok ? scanned : err({ kind: "scan", message: textOf(scanned.error) });
}

async function standingOf(door: WriteDoor): Promise<Result<Standing, CommitError>> {
  if (door.kind === "server") {
    const head = await door.client.head();
    if (!head.ok) return err({ kind: "client", error: head.error });
    const { imported, position } = head.value;
    if (imported === null) return err({ kind: "not-imported" });
    const fileBytesMax = door.client.server?.file_bytes_max ?? vcsLimits.fileBytesMax;
    return ok({ head: position, first: imported.position, objectFormat: imported.object_format, fileBytesMax });
  }
  const { vcs } = door.store;
  const imported = vcs.imported();
  if (imported === null) return err({ kind: "not-imported" });
  const { position, objectFormat } = imported;
  return ok({ head: vcs.head(), first: position, objectFormat, fileBytesMax: vcsLimits.fileBytesMax });
}

async function manifestOf(door: WriteDoor, at: Position): Promise<Result<ReadonlyMap<RepoPath, Entry>, CommitError>> {
  if (door.kind === "writer") return ok(door.store.vcs.manifest(at));
  const listed = await door.client.list(at);
  if (!listed.ok) return err({ kind: "client", error: listed.error });
  return ok(new Map(listed.value.files.map(({ path, blob, mode }) => [path, { blob, mode }])));
}

export async function send(door: WriteDoor, request: WireCommit): Promise<Result<CommitOutcome, CommitError>> {
  if (door.kind === "server") {
    const answered = await door.client.commit(request);
    return answered.ok ? answered : err({ kind: "client", error: answered.error });
  }
  const { vcs } = door.store;
  const outcome = await vcs.commit(await withLargeStored(door.store, request));
  return outcome.ok ? outcome : err({ kind: "append", error: outcome.error, key: request.key });
}

/** What no batch can hold is put beside the log first. What fails to be stored is then refused as missing, by its path. */
async function withLargeStored({ large }: VcsStore, request: WireCommit): Promise<WireCommit> {
  const blobs: NewBlob[] = [];
  for (const blob of request.blobs) {
    const { id, bytes } = blob;
    if (bytes.byteLength <= LOG_LIMITS.batchBytesMax / 2 || objectFormatOf(id) === null) {
      blobs.push(blob);
      continue;
    }
    const added = await large.add(id, bytes.byteLength);
    if (added.ok && (await added.value.write(bytes)).ok) await added.value.finish();
  }
  return { ...request, blobs };
}

/** Paths as the store has them; empty: everything. They are given relative to the directory. */
function namedPaths(paths: readonly string[], root: string): Result<readonly RepoPath[], CommitError> {
  const found: RepoPath[] = [];
  for (const path of paths) {
    const absolute = resolve(root, path);
    const inside = relative(root, absolute).split(sep).join("/");
    if (inside === "") return ok([]);
    const parsed = parseRepoPath(inside);
    if (!parsed.ok || inside.startsWith("../")) {
      const message = parsed.ok ? `it is not below ${root}` : parsed.error.reason;
      return err({ kind: "bad-commit-path", path, message });
    }
    found.push(parsed.value);
  }
  return ok(found);
}

interface Named {
  readonly root: string;
  readonly named: readonly RepoPath[];
  readonly manifest: ReadonlyMap<RepoPath, Entry>;
  readonly base: Position;
}

/** What is named and is nowhere is a slip of the pen, and no deletion. */
async function unknownPath(files: Files, { root, named, manifest, base }: Named): Promise<CommitError | null> {
  for (const path of named) {
    if ((await files.stat(join(root, path))).ok || knows(manifest, path)) continue;
    return { kind: "bad-commit-path", path, message: `it is neither in ${root} nor in snapshot ${base}` };
  }
  return null;
}

function knows(manifest: ReadonlyMap<RepoPath, Entry>, path: RepoPath): boolean {
  if (manifest.has(path)) return true;
  for (const known of manifest.keys()) if (known.startsWith(`${path}/`)) return true;
  return false;
}

function textOf(error: WorkspaceError): string {
  return error.kind === "file" ? `${error.path}: ${error.message}` : workspaceErrorText(error);
}
