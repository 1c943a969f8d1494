// The part of a workspace that the agent works on: `tree`, and `scratch` beside it on the same file system, with what writes them.
// A layer that workspaces share is made and brought up by the same means as a workspace.

import { join } from "node:path";
import type { RepoPath } from "../../base/ids.ts";
import { ok, type Result } from "../../base/result.ts";
import type { Files } from "../../host/files.ts";
import type { ObjectFormat } from "../../log/blob-id.ts";
import type { BlobSource, Entry, Manifest } from "../types.ts";
import type { BlobCache } from "./blob-cache.ts";
import { fillTree } from "./create.ts";
import type { WorkspaceError } from "./errors.ts";
import type { GitBases } from "./git-bases.ts";
import { type Looks, openLooks } from "./looks.ts";
import { openPlace, type Place } from "./place.ts";
import { noteBrought, plainOverlaps, type SyncReport, sync } from "./sync.ts";
import { makeThrowawayGit, reopenThrowawayGit, type ThrowawayGit } from "./throwaway-git.ts";

export type GitForm =
  | { readonly kind: "none" }
  | { readonly kind: "empty" }
  | { readonly kind: "base"; readonly bases: GitBases };

export interface HomeOptions {
  readonly files: Files;
  /** Holds, or gets, `tree` and `scratch`. */
  readonly directory: string;
  readonly cache: BlobCache;
  readonly blobs: BlobSource;
  readonly git: GitForm;
  readonly fileBytesMax: number;
  readonly idFormat: ObjectFormat;
}

export interface Home {
  readonly root: string;
  readonly place: Place;
  readonly looks: Looks;
  /** Null where there is none to be brought up. */
  readonly repository: ThrowawayGit | null;
}

/** What a home holds: it changes as the home is brought up. */
export interface Held {
  readonly base: Map<RepoPath, Entry>;
  readonly unsupported: Set<RepoPath>;
}

export interface FilledHome {
  readonly home: Home;
  /** Links that this system cannot hold. */
  readonly unsupported: ReadonlySet<RepoPath>;
}

/** Makes both directories and fills them. */
export async function fillHome(options: HomeOptions, manifest: Manifest): Promise<Result<FilledHome, WorkspaceError>> {
  const { files, cache, blobs, git, idFormat } = options;
  const { root, scratch } = placesOf(options.directory);
  for (const part of [root, scratch]) {
    const made = await files.claimDirectory(part);
    if (!made.ok) return made;
  }
  const { place, looks } = tools(options);
  const filled = await fillTree({ files, root, scratch, place, looks, cache, blobs, manifest });
  if (!filled.ok) return filled;
  const tree = { manifest, format: idFormat, cache, blobs };
  const bases = git.kind === "base" ? git.bases : null;
  const repository = git.kind === "none" ? ok(null) : await makeThrowawayGit({ files, root, scratch, bases }, tree);
  if (!repository.ok) return repository;
  return ok({ home: { root, place, looks, repository: repository.value }, unsupported: filled.value });
}

/** One that is there already. Every file is looked at anew. */
export async function openHome(options: HomeOptions): Promise<Home> {
  const { files, git } = options;
  const { root, scratch } = placesOf(options.directory);
  const bases = git.kind === "base" ? git.bases : null;
  const repository = bases === null ? null : await reopenThrowawayGit({ files, root, scratch, bases });
  return { root, ...tools(options), repository };
}

/** Brings the files to `target`; what the agent has changed stays and is reported. */
export async function bringUp(
  { cache, blobs }: HomeOptions,
  { place, looks }: Home,
  { base, unsupported }: Held,
  target: Manifest,
): Promise<Result<SyncReport, WorkspaceError>> {
  const now = await place.now();
  return now.ok ? sync({ place, looks, cache, blobs, base, unsupported, target, atMs: now.value }) : now;
}

/** What of `target` is in the way of the agent's own work for certain; nothing is changed. */
export async function overlapsOf(
  { place, looks }: Home,
  { base, unsupported }: Held,
  target: Manifest,
): Promise<Result<readonly RepoPath[], WorkspaceError>> {
  const now = await place.now();
  return now.ok ? plainOverlaps({ place, looks, base, unsupported, target, atMs: now.value }) : now;
}

/** After a sync to `target` that was cut off: what it had brought is the base's. */
export async function noteCutOff(
  { place, looks }: Home,
  { base }: Pick<Held, "base">,
  target: Manifest,
): Promise<Result<void, WorkspaceError>> {
  const now = await place.now();
  return now.ok ? noteBrought({ place, looks, base, target, atMs: now.value }) : now;
}

/** Then its repository: what differs from the base is what its `git status` shows. */
export async function bringUpGit(
  { cache, blobs, idFormat }: HomeOptions,
  { repository }: Home,
  { base }: Held,
): Promise<Result<void, WorkspaceError>> {
  return repository?.moveTo({ manifest: new Map(base), format: idFormat, cache, blobs }) ?? ok(undefined);
}

function placesOf(directory: string): { readonly root: string; readonly scratch: string } {
  return { root: join(directory, "tree"), scratch: join(directory, "scratch") };
}

function tools({ files, directory, cache, fileBytesMax, idFormat }: HomeOptions): Pick<Home, "place" | "looks"> {
  const { root, scratch } = placesOf(directory);
  return {
    place: openPlace({ files, root, scratch, cache }),
    looks: openLooks({ files, root, fileBytesMax, idFormat }),
  };
}
