// `skein vcs workspace`: directories at a snapshot of a store, for a person to work in, and those that a run's agents have left. They lie
// in the state directory, never in one another or in a repository. Invariant: none is removed while it holds what the store does not.

import { join } from "node:path";
import { asPosition, type Position } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Change, Manifest } from "../vcs/types.ts";
import { sameEntry } from "../vcs/workspace/scan.ts";
import type { SkippedPath } from "../vcs/workspace/walk.ts";
import { createWorkspace } from "../vcs/workspace/workspace.ts";
import { findStore, type StoreWish } from "./store-place.ts";
import type { StoreSource } from "./store-source.ts";
import type { Surroundings } from "./surroundings.ts";
import {
  type Answer,
  agentPattern,
  entriesMax,
  findWorkspace,
  isName,
  lineOf,
  openFound,
  type Place,
  placesOf,
  recordName,
  underLock,
  type WorkspaceLine,
  type WorkspacesError,
  within,
  workspaceError,
} from "./workspace-places.ts";

export interface WorkspaceShown extends WorkspaceLine {
  readonly head: number;
  readonly changes: readonly Change[];
  readonly skipped: readonly SkippedPath[];
}

export interface WorkspaceSynced extends WorkspaceLine {
  readonly updated: readonly string[];
  /** Changed both here and in the snapshot: then nothing was brought, and the position stays. */
  readonly overlaps: readonly string[];
}

export async function addWorkspace(
  surroundings: Surroundings,
  wish: StoreWish,
  { name, at }: { readonly name: string; readonly at: number | null },
): Answer<WorkspaceLine> {
  if (!isName(name)) return err({ kind: "bad-workspace-name", name });
  return within(surroundings, wish, async (place) => {
    const { host } = surroundings;
    const position = await snapshotOf(place.source, at);
    if (!position.ok) return position;
    const directory = join(place.directory, name);
    const made = await host.files.makeDirectory(place.directory, { private: true });
    if (!made.ok) return made;
    // Beside it, since it is not there yet; no workspace has such a name.
    const lock = await host.locks.acquire(join(place.directory, `.${name}.lock`));
    if (!lock.ok && lock.error.code === "held") return err({ kind: "workspace-busy", name });
    if (!lock.ok) return err({ kind: "workspace", message: lock.error.message });
    try {
      return await fillOne(surroundings, place, { name, directory, position: position.value });
    } finally {
      await lock.value.release();
    }
  });
}

async function fillOne(
  { host }: Surroundings,
  place: Place,
  { name, directory, position }: { readonly name: string; readonly directory: string; readonly position: Position },
): Answer<WorkspaceLine> {
  if ((await host.files.stat(directory)).ok) {
    if ((await host.files.stat(join(directory, recordName))).ok)
      return err({ kind: "workspace-exists", name, directory });
    // Its maker was killed before anybody was told of it: the record is written last.
    const removed = await host.files.remove(directory);
    if (!removed.ok) return removed;
  }
  const snapshot = { position, manifest: await place.source.manifest(position) };
  const created = await createWorkspace({ ...(await place.options()), directory, snapshot });
  if (!created.ok) return err(workspaceError(created.error));
  const written = await host.files.write(
    join(directory, recordName),
    Buffer.from(JSON.stringify({ version: 1, log: place.source.store, store: place.store, at_ms: host.clock.now() })),
  );
  if (!written.ok) return written;
  return ok({ name, kind: "person", root: created.value.root, position, form: "directory" });
}

/** Whether or not the store can be read. */
export async function listWorkspaces(surroundings: Surroundings, wish: StoreWish): Answer<readonly WorkspaceLine[]> {
  const found = await findStore(surroundings, wish);
  if (!found.ok) return found;
  const places = await placesOf(surroundings, found.value);
  if (!places.ok) return places;
  const lines: WorkspaceLine[] = [];
  for (const { kind, directory } of places.value) {
    const listed = await surroundings.host.files.list(directory, entriesMax);
    if (!listed.ok && listed.error.code !== "not-found") return listed;
    for (const { name } of listed.ok ? listed.value : []) {
      if (kind === "agent" ? !agentPattern.test(name) : !isName(name)) continue;
      const line = await lineOf(surroundings, { kind, name, directory: join(directory, name) });
      if (line.ok && line.value !== null) lines.push(line.value);
    }
  }
  return ok(lines);
}

/** What differs there from the snapshot it was made from. One in layers that no host is at is made whole first. */
export async function showWorkspace(surroundings: Surroundings, wish: StoreWish, name: string): Answer<WorkspaceShown> {
  return within(surroundings, wish, async (place) => {
    const found = await findWorkspace(surroundings, place, name);
    if (!found.ok) return found;
    return underLock(surroundings, found.value, async () => {
      const opened = await openFound(surroundings, place, found.value);
      if (!opened.ok) return opened;
      const scanned = await opened.value.workspace.scan();
      if (!scanned.ok) return err(workspaceError(scanned.error));
      const { changes, skipped } = scanned.value;
      return ok({ ...opened.value.line, head: await place.source.head(), changes, skipped });
    });
  });
}

export async function syncWorkspace(
  surroundings: Surroundings,
  wish: StoreWish,
  { name, at }: { readonly name: string; readonly at: number | null },
): Answer<WorkspaceSynced> {
  return within(surroundings, wish, async (place) => {
    const found = await findWorkspace(surroundings, place, name);
    if (!found.ok) return found;
    if (found.value.kind === "agent") return err({ kind: "agents-workspace", name });
    const position = await snapshotOf(place.source, at);
    if (!position.ok) return position;
    return underLock(surroundings, found.value, async () => {
      const opened = await openFound(surroundings, place, found.value);
      if (!opened.ok) return opened;
      const { workspace, line } = opened.value;
      const manifest = await place.source.manifest(position.value);
      const synced = await workspace.syncWhole({ position: position.value, manifest });
      if (!synced.ok) return err(workspaceError(synced.error));
      return ok({ ...line, position: workspace.position, ...synced.value });
    });
  });
}

/** `force`: also with changes that are nowhere else. */
export async function removeWorkspace(
  surroundings: Surroundings,
  wish: StoreWish,
  { name, force }: { readonly name: string; readonly force: boolean },
): Answer<WorkspaceLine> {
  return within(surroundings, wish, async (place) => {
    const found = await findWorkspace(surroundings, place, name);
    if (!found.ok) return found;
    if (found.value.kind === "agent") return err({ kind: "agents-workspace", name });
    return underLock(surroundings, found.value, async () => {
      const opened = await openFound(surroundings, place, found.value);
      if (!opened.ok) return opened;
      const { workspace, line } = opened.value;
      if (!force) {
        const scanned = await workspace.scan();
        if (!scanned.ok) return err(workspaceError(scanned.error));
        const { changes, skipped } = scanned.value;
        const left = notInStore(changes, await place.source.manifest(await place.source.head()));
        const [first] = [...left.map(({ path }) => path), ...skipped.map(({ path }) => path)];
        const count = left.length + skipped.length;
        if (first !== undefined) return err({ kind: "workspace-dirty", name, changes: count, first });
      }
      const removed = await workspace.remove();
      return removed.ok ? ok(line) : err(workspaceError(removed.error));
    });
  });
}

async function snapshotOf(source: StoreSource, at: number | null): Promise<Result<Position, WorkspacesError>> {
  const head = await source.head();
  if (at === null) return ok(head);
  return at >= source.first && at <= head ? ok(asPosition(at)) : err({ kind: "no-snapshot", base: at, head });
}

function notInStore(changes: readonly Change[], head: Manifest): readonly Change[] {
  return changes.filter((change) =>
    change.kind === "put" ? !sameEntry(change, head.get(change.path)) : head.has(change.path),
  );
}
