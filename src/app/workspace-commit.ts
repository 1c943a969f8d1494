// A commit from a directory that may be a workspace of the store. Invariant: what is committed from a workspace is what was changed in
// it, against the snapshot it is at; what others did meanwhile is never taken back by it, nor taken for its own.

import { dirname, join, relative, resolve, sep } from "node:path";
import { asPosition, type Position } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Manifest } from "../vcs/types.ts";
import { differences } from "../vcs/workspace/overlay/layers.ts";
import type { Workspace } from "../vcs/workspace/workspace.ts";
import { type CommitError, type Committed, type CommitWish, commitDirectory } from "./store-commit.ts";
import type { WriteDoor } from "./store-door.ts";
import { storeIdentity } from "./store-identity.ts";
import type { StorePlace } from "./store-place.ts";
import { sourceOf } from "./store-source.ts";
import type { Surroundings } from "./surroundings.ts";
import { isName, openFound, optionsOf, type Place, personsDirectory, underLock } from "./workspace-places.ts";

export type WorkspaceCommitError =
  | CommitError
  /** `from` lies in a workspace and is not its root. */
  | { readonly kind: "inside-workspace"; readonly from: string; readonly root: string }
  /** The snapshot that was named is not what the workspace's files were made from. */
  | { readonly kind: "other-base"; readonly name: string; readonly base: number; readonly at: number }
  | { readonly kind: "sync-cut-off"; readonly name: string }
  | { readonly kind: "workspace-unusable"; readonly name: string; readonly message: string };

type Answer = Promise<Result<Committed, WorkspaceCommitError>>;

export async function commitFrom(
  surroundings: Surroundings,
  found: StorePlace,
  door: WriteDoor,
  wish: CommitWish,
): Answer {
  const from = resolve(surroundings.cwd, wish.from);
  const own = await workspaceHolding(surroundings, found.directory, from);
  if (own === null) return commitDirectory(surroundings, door, wish);
  const { directory, name, root } = own;
  if (own.from !== root) return err({ kind: "inside-workspace", from, root });
  const { files } = surroundings.host;
  const identity = await storeIdentity(files, found.directory);
  const source = identity === null ? null : await sourceOf(door, identity.log);
  if (source === null) return err({ kind: "not-imported" });
  const options = () => optionsOf(surroundings, source, dirname(directory));
  const place: Place = { store: found.directory, source, directory: dirname(directory), found, options };
  let answer: Awaited<Answer> | null = null;
  const held = await underLock(surroundings, { kind: "person", name, directory }, async () => {
    const opened = await openFound(surroundings, place, { kind: "person", name, directory });
    if (!opened.ok) return opened;
    answer = await commitOpen({ surroundings, door, wish, name, place, workspace: opened.value.workspace });
    return ok(undefined);
  });
  if (answer !== null) return answer;
  const message = held.ok ? "nothing was done" : "message" in held.error ? held.error.message : held.error.kind;
  return err({ kind: "workspace-unusable", name, message });
}

interface Open {
  readonly surroundings: Surroundings;
  readonly door: WriteDoor;
  readonly wish: CommitWish;
  readonly name: string;
  readonly place: Place;
  readonly workspace: Workspace;
}

async function commitOpen({ surroundings, door, wish, name, place: { source }, workspace }: Open): Answer {
  if (workspace.isCutOff) return err({ kind: "sync-cut-off", name });
  const head = await source.head();
  const base = wish.base === "head" ? head : asPosition(wish.base);
  if (base > head || base < source.first) return err({ kind: "no-snapshot", base, head });
  if (base !== workspace.position && differences(await source.manifest(base), workspace.base) > 0)
    return err({ kind: "other-base", name, base, at: workspace.position });
  const before: Manifest = new Map(workspace.base);
  const committed = await commitDirectory(surroundings, door, { ...wish, base }, before);
  if (!committed.ok || committed.value.outcome.kind !== "landed") return committed;
  const { changes, outcome } = committed.value;
  const at = await whole(source, before, committed.value, outcome.position);
  const kept = await workspace.keepCommitted(changes, at);
  // The commit has landed whatever becomes of the note: without it the next sync names these files as overlaps.
  return kept.ok ? committed : ok({ ...committed.value, unnoted: name });
}

/** The snapshot that the commit made, where it holds nothing but the workspace's base and the commit. */
async function whole(
  source: Place["source"],
  before: Manifest,
  { changes }: Committed,
  position: Position,
): Promise<Position | null> {
  const after = new Map(before);
  for (const change of changes) {
    if (change.kind === "put") after.set(change.path, { blob: change.blob, mode: change.mode });
    else after.delete(change.path);
  }
  return differences(await source.manifest(position), after) === 0 ? position : null;
}

async function workspaceHolding(surroundings: Surroundings, store: string, from: string) {
  const persons = personsDirectory(surroundings, store);
  if (!persons.ok) return null;
  const { files } = surroundings.host;
  const [top, real] = [await files.realPath(persons.value), await files.realPath(from)];
  if (!top.ok || !real.ok) return null;
  const [name = "", tree, ...below] = relative(top.value, real.value).split(sep);
  if (name === ".." || !isName(name) || tree !== "tree") return null;
  const directory = join(persons.value, name);
  return { name, directory, root: join(top.value, name, tree), from: join(top.value, name, tree, ...below) };
}
