// The git objects of the trees that workspaces begin from, in one object directory a host: every workspace borrows from it, so a
// base costs one commit, and a blob is stored once. Invariant: only git's own code runs here, under settings of ours alone.

import { basename, dirname, join } from "node:path";
import type { BlobId } from "../../base/ids.ts";
import { ok, type Result } from "../../base/result.ts";
import type { Files } from "../../host/files.ts";
import type { ObjectFormat } from "../../log/blob-id.ts";
import type { Git } from "../git/command.ts";
import { blobCommand, commitCommand, streamEnd, streamStart } from "../git/fast-import.ts";
import { runFastImport, type Write } from "../git/run-fast-import.ts";
import { treeId } from "../tree-id.ts";
import type { BlobSource, Change, Manifest } from "../types.ts";
import type { BlobCache } from "./blob-cache.ts";
import type { WorkspaceError } from "./errors.ts";
import { writeGitDirectory } from "./git-directory.ts";

export interface BaseTree {
  readonly manifest: Manifest;
  readonly format: ObjectFormat;
  readonly cache: BlobCache;
  readonly blobs: BlobSource;
}

export interface GitBases {
  readonly git: Git;
  /** Of its directory, beside the workspaces'. */
  readonly name: string;
  /** The object directory to borrow from. */
  objects(format: ObjectFormat): string;
  /** Id of a commit without parents that holds exactly this tree; all its blobs are there too. */
  commit(tree: BaseTree): Promise<Result<string, WorkspaceError>>;
  /** Removes the objects, unless a workspace was kept beside them: its `git` needs them. Call it when nothing is made any more. */
  close(): Promise<void>;
}

export interface GitBasesOptions {
  readonly files: Files;
  readonly git: Git;
  /** Of the bases alone, beside the workspaces' directories. Another process's objects there are used. */
  readonly directory: string;
}

type Commit = Promise<Result<string, WorkspaceError>>;

const siblingsMax = 1_000_000;
/** Their contents are in memory together. */
const readsAtOnceMax = 16;
const blobBytesMax = 2 ** 31 - 1;
/** The commit's mark; blobs are named by their ids, so git itself checks that each is what it should be. */
const commitMark = 1;
const ref = "refs/heads/base";

export function openGitBases(options: GitBasesOptions): GitBases {
  return new DiskGitBases(options);
}

class DiskGitBases implements GitBases {
  readonly git: Git;
  readonly name: string;
  readonly #files: Files;
  readonly #directory: string;
  readonly #commits = new Map<string, Commit>();
  readonly #stored = new Set<BlobId>();
  #last: Promise<unknown> = Promise.resolve();

  constructor({ files, git, directory }: GitBasesOptions) {
    this.git = git;
    this.name = basename(directory);
    this.#files = files;
    this.#directory = directory;
  }

  objects(format: ObjectFormat): string {
    return join(this.#directory, format, "objects");
  }

  commit(tree: BaseTree): Commit {
    const id = treeId(tree.manifest, tree.format);
    const known = this.#commits.get(id);
    if (known !== undefined) return known;
    // One after the other: two that begin together would both send the blobs they share.
    const made = this.#last.then(() => this.#make(tree));
    this.#last = made.catch(() => undefined);
    this.#commits.set(id, made);
    const forget = (): void => void this.#commits.delete(id);
    made.then((answer) => (answer.ok ? undefined : forget()), forget);
    return made;
  }

  async close(): Promise<void> {
    await this.#last;
    const beside = await this.#files.list(dirname(this.#directory), siblingsMax);
    if (!beside.ok || beside.value.some(({ name }) => name !== basename(this.#directory))) return;
    await this.#files.remove(this.#directory);
  }

  async #make(tree: BaseTree): Commit {
    const { manifest, format, cache, blobs } = tree;
    const gitDir = join(this.#directory, format);
    const laid = await writeGitDirectory({ files: this.#files, gitDir, format, bare: true, borrows: null });
    if (!laid.ok) return laid;
    const ids = [...manifest.values()].filter(({ mode }) => mode !== "160000").map(({ blob }) => blob);
    const missing = [...new Set(ids)].filter((id) => !this.#stored.has(id));
    const filled = await cache.fill(missing, blobs);
    if (!filled.ok) return filled;
    const call = {
      cwd: gitDir,
      // Speed before size, and no flush: all of it can be made again.
      options: ["--depth=0"],
      config: [
        ["core.compression", "1"],
        ["core.fsync", "none"],
        // A hundred loose files would be slower than one small pack.
        ["fastimport.unpackLimit", "1"],
      ],
    } as const;
    const made = await runFastImport(this.git, call, (write) => this.#send(write, cache, manifest, missing));
    if (made.ok) for (const id of missing) this.#stored.add(id);
    return made;
  }

  async #send(
    write: Write,
    cache: BlobCache,
    manifest: Manifest,
    missing: readonly BlobId[],
  ): Promise<Result<void, WorkspaceError>> {
    if (!(await write(streamStart()))) return ok(undefined);
    for (let start = 0; start < missing.length; start += readsAtOnceMax) {
      const ids = missing.slice(start, start + readsAtOnceMax);
      const contents = await Promise.all(ids.map((id) => this.#files.read(cache.path(id), blobBytesMax)));
      const parts: Uint8Array[] = [];
      for (const [index, bytes] of contents.entries()) {
        if (!bytes.ok) return bytes;
        parts.push(...blobCommand(commitMark + 1 + start + index, bytes.value));
      }
      if (!(await write(Buffer.concat(parts)))) return ok(undefined);
    }
    const changes = [...manifest].map(([path, { blob, mode }]): Change => ({ kind: "put", path, blob, mode }));
    const message = "Base of this workspace";
    const text = { authorName: "skein", authorEmail: "skein@localhost", message, trailers: [], atMs: 0 };
    const commit = { ref, text, mark: commitMark, from: null, changes, dataRef: ({ blob }: { blob: BlobId }) => blob };
    if (await write(commitCommand(commit))) await write(streamEnd({ ref, mark: commitMark }));
    return ok(undefined);
  }
}
