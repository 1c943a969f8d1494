// Brings the changes of a workspace into the directory it was copied from. Invariant: a file is written only if it still holds what
// was looked at, with the outcome of a three-way merge; whatever cannot be merged stays as it is there and comes back as a conflict.

import { join } from "node:path";
import type { BlobId, RepoPath } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { FileError, Files } from "../../host/files.ts";
import type { NewBlob } from "../../log/log.ts";
import { blobId } from "../blob-id.ts";
import { mergeText } from "../merge/merge.ts";
import { decidePath, type MergeNeed } from "../three-way.ts";
import { entryOf } from "../together.ts";
import type { BlobSource, Change, Entry, Manifest } from "../types.ts";
import type { BlobCache } from "./blob-cache.ts";
import type { WorkspaceError } from "./errors.ts";
import type { Looks, Seen } from "./looks.ts";
import { openPlace, type Place, parentsOf } from "./place.ts";
import { sync } from "./sync.ts";

export interface MergeBackOptions {
  readonly files: Files;
  /** The directory that gets the changes. */
  readonly root: string;
  /** An empty directory on its file system, for files before they are whole. */
  readonly scratch: string;
  readonly looks: Looks;
  readonly cache: BlobCache;
  /** What the workspace was made from. */
  readonly base: Manifest;
  readonly changes: readonly Change[];
  readonly blobs: readonly NewBlob[];
}

export interface MergeBackReport {
  /** Written, removed, or there already. */
  readonly brought: readonly RepoPath[];
  /** Of those, the ones whose lines were merged with others' changes. */
  readonly merged: readonly RepoPath[];
  readonly conflicts: readonly MergeBackConflict[];
}

export interface MergeBackConflict {
  readonly path: RepoPath;
  readonly base: Entry | null;
  /** The workspace's side; null where it removed the file. */
  readonly theirs: Entry | null;
  /** For people and models. */
  readonly reason: string;
}

const contentBytesMax = 2 ** 31 - 1;
/** Of a directory that is to make room for a file. */
const entriesMax = 10_000;

export async function mergeBack(options: MergeBackOptions): Promise<Result<MergeBackReport, WorkspaceError>> {
  const place = openPlace(options);
  const now = await place.now();
  if (!now.ok) return now;
  const work = new MergeBack(options, place, now.value);
  // Removals first: what goes makes room for a directory of its name, and the other way round.
  const isRemoval = ({ kind }: Change): boolean => kind === "delete";
  for (const change of [...options.changes.filter(isRemoval), ...options.changes.filter((one) => !isRemoval(one))]) {
    const decided = await work.decide(change);
    if (!decided.ok) return decided;
  }
  work.keepTogether();
  return work.write();
}

class MergeBack {
  private readonly options: MergeBackOptions;
  private readonly place: Place;
  private readonly atMs: number;
  private readonly contents: Map<BlobId, Uint8Array>;
  /** What stands there now at the paths that will be written. */
  private readonly found = new Map<RepoPath, Entry>();
  private readonly target = new Map<RepoPath, Entry>();
  private readonly brought: RepoPath[] = [];
  private readonly merged: RepoPath[] = [];
  private readonly conflicts: MergeBackConflict[] = [];

  constructor(options: MergeBackOptions, place: Place, atMs: number) {
    this.options = options;
    this.place = place;
    this.atMs = atMs;
    this.contents = new Map(options.blobs.map(({ id, bytes }) => [id, bytes]));
  }

  async decide(change: Change): Promise<Result<void, WorkspaceError>> {
    const { path } = change;
    const base = this.options.base.get(path) ?? null;
    const theirs = entryOf(change);
    const head = await this.headAt(path);
    if (!head.ok) return head;
    if (typeof head.value === "string") return this.contest(change, head.value);
    const decision = decidePath(base, head.value, theirs);
    switch (decision.kind) {
      case "already":
        this.brought.push(path);
        return ok(undefined);
      case "conflict":
        return this.contest(change, conflictReason(base, head.value, theirs));
      case "take":
        return this.take(path, head.value, decision.entry);
      case "merge":
        return this.mergeLines(change, head.value, { ...decision });
    }
  }

  async write(): Promise<Result<MergeBackReport, WorkspaceError>> {
    const { cache, looks } = this.options;
    const blobs: BlobSource = { get: async (ids) => ids.map((id) => this.contents.get(id) ?? new Uint8Array()) };
    const { place, target, atMs } = this;
    const options = { place, looks, cache, blobs, base: this.found, unsupported: new Set<RepoPath>(), target, atMs };
    const wanted = new Set([...this.found.keys(), ...target.keys()]);
    const report = await sync(options);
    if (!report.ok) return report;
    // Somebody wrote there after it was looked at.
    for (const path of report.value.overlaps) {
      const change = this.options.changes.find((one) => one.path === path);
      wanted.delete(path);
      if (change !== undefined) this.contest(change, "it was changed while the changes were being brought");
    }
    const merged = this.merged.filter((path) => wanted.has(path));
    const brought = [...this.brought, ...wanted].sort();
    return ok({ brought, merged, conflicts: this.conflicts });
  }

  /** The entry there, null for none, or in words what is in the way. */
  private async headAt(path: RepoPath): Promise<Result<Entry | null | string, FileError>> {
    const parents = await this.place.parents(path);
    if (!parents.ok) return parents;
    if (parents.value === "missing") return ok(null);
    // Nothing can be at a path below what goes.
    if (parents.value === "blocked")
      return ok(
        parentsOf(path).some((parent) => this.goes(parent)) ? null : "a directory above it is a file or a link here",
      );
    const seen = await this.options.looks.see(path, this.atMs);
    if (seen.kind === "directory" && (await this.isEmptied(path, entriesMax)) !== null) return ok(null);
    return ok(seen.kind === "entry" ? seen.entry : seen.kind === "absent" ? null : inTheWay(seen));
  }

  /**
   * What changes a path's kind is brought whole or not at all: a change is contested with any that is contested above or below it, so
   * that nothing goes to make room for what then does not come.
   */
  keepTogether(): void {
    const taken = this.options.changes.filter(({ path }) => this.found.has(path) || this.target.has(path));
    for (let again = true; again; ) {
      again = false;
      for (const change of taken) {
        const other = this.conflicts.find(({ path }) => isAbove(path, change.path) || isAbove(change.path, path));
        if (other === undefined || this.conflicts.some(({ path }) => path === change.path)) continue;
        again = true;
        this.found.delete(change.path);
        this.target.delete(change.path);
        this.merged.splice(0, this.merged.length, ...this.merged.filter((path) => path !== change.path));
        this.contest(change, `it goes with ${other.path}, which could not be brought`);
      }
    }
    this.conflicts.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  private goes(path: RepoPath): boolean {
    return this.found.has(path) && !this.target.has(path);
  }

  /**
   * How many more entries may be looked at once all that is in the directory goes; null where something stays. So does an empty
   * directory in it: only what a removal has emptied goes with it.
   */
  private async isEmptied(directory: RepoPath, left: number): Promise<number | null> {
    const entries = await this.options.files.list(join(this.options.root, directory), left);
    if (!entries.ok) return null;
    let rest = left - entries.value.length;
    for (const { name, kind } of entries.value) {
      const path = `${directory}/${name}` as RepoPath;
      if (kind !== "directory" && !this.goes(path)) return null;
      if (kind !== "directory") continue;
      const inside: number | null = await this.isEmptied(path, rest);
      if (inside === null || inside === rest) return null;
      rest = inside;
    }
    return rest;
  }

  private take(path: RepoPath, head: Entry | null, entry: Entry | null): Result<void, never> {
    if (head !== null) this.found.set(path, head);
    if (entry !== null) this.target.set(path, entry);
    return ok(undefined);
  }

  private async mergeLines(
    change: Change,
    head: Entry | null,
    { need, mode }: { readonly need: MergeNeed; readonly mode: Entry["mode"] },
  ): Promise<Result<void, WorkspaceError>> {
    const { path } = change;
    const base = await this.cached(need.base);
    if (!base.ok) return base;
    const seen = await this.options.looks.read(path, this.atMs);
    const theirs = this.contents.get(need.proposed);
    if (seen.kind !== "entry" || seen.bytes === null || seen.entry.blob !== need.head)
      return this.contest(change, "it was changed while the changes were being brought");
    if (theirs === undefined) return err({ kind: "blob", id: need.proposed, message: "the workspace did not give it" });
    const merge = mergeText(base.value, seen.bytes, theirs);
    switch (merge.kind) {
      case "clean": {
        const id = blobId(merge.bytes, need.head.length === 64 ? "sha256" : "sha1");
        this.contents.set(id, merge.bytes);
        this.merged.push(path);
        return this.take(path, head, { blob: id, mode });
      }
      case "conflict":
        return this.contest(change, "both sides changed the same lines");
      case "binary":
        return this.contest(change, "both sides changed it, and it is binary");
      case "too-large":
        return this.contest(change, "both sides changed it, and it is too large to be merged");
    }
  }

  private cached(id: BlobId): Promise<Result<Uint8Array, FileError>> {
    return this.options.files.read(this.options.cache.path(id), contentBytesMax);
  }

  private contest(change: Change, reason: string): Result<void, never> {
    const { path } = change;
    this.conflicts.push({ path, base: this.options.base.get(path) ?? null, theirs: entryOf(change), reason });
    return ok(undefined);
  }
}

function isAbove(directory: RepoPath, path: RepoPath): boolean {
  return path.startsWith(`${directory}/`);
}

function conflictReason(base: Entry | null, head: Entry | null, theirs: Entry | null): string {
  if (head === null) return "it was removed here and changed there";
  if (theirs === null) return "it was changed here and removed there";
  if (base === null) return "it was added on both sides, differently";
  return "both sides changed what it is or its mode";
}

function inTheWay(seen: Exclude<Seen, { kind: "entry" | "absent" }>): string {
  switch (seen.kind) {
    case "directory":
      return "there is a directory of that name here";
    case "special":
      return "there is a pipe, socket or device of that name here";
    case "too-large":
      return `what stands here has ${seen.size} bytes`;
    case "unstable":
      return "what stands here is being written all the time";
    case "unreadable":
      return `what stands here cannot be read: ${seen.error.message}`;
  }
}
