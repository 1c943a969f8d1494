// Where a store's workspaces lie, and what it takes to open one: the same for every `skein vcs workspace`.

import { dirname, join } from "node:path";
import { natural, object, oneOf, parse, text } from "../base/parse.ts";
import { err, ok, type Result } from "../base/result.ts";
import { cleanLine } from "../base/text.ts";
import type { FileError } from "../host/files.ts";
import { ignoreSources } from "../vcs/git/ignore-sources.ts";
import { openBlobCache } from "../vcs/workspace/blob-cache.ts";
import { type WorkspaceError, workspaceErrorText } from "../vcs/workspace/errors.ts";
import { openGitBases } from "../vcs/workspace/git-bases.ts";
import { loadOverlay } from "../vcs/workspace/overlay/overlay-state.ts";
import { settleOverlay } from "../vcs/workspace/overlay/settle.ts";
import { loadState } from "../vcs/workspace/saved-state.ts";
import { type createWorkspace, reopenWorkspace, type Workspace, workspaceLimits } from "../vcs/workspace/workspace.ts";
import { gitOf, userHome } from "./prepare-swarm.ts";
import { repositoryKey, type StateError, stateDirectory } from "./state-directory.ts";
import { type DoorError, openDoorToRead } from "./store-door.ts";
import { storeIdentity } from "./store-identity.ts";
import { findStore, type PlaceError, type StorePlace, type StoreWish } from "./store-place.ts";
import { type StoreSource, sourceOf } from "./store-source.ts";
import { type Surroundings, variable } from "./surroundings.ts";

export type WorkspacesError =
  | PlaceError
  | StateError
  | DoorError
  | FileError
  | { readonly kind: "not-imported" }
  | { readonly kind: "no-snapshot"; readonly base: number; readonly head: number }
  | { readonly kind: "bad-workspace-name"; readonly name: string }
  | { readonly kind: "workspace-exists"; readonly name: string; readonly directory: string }
  | { readonly kind: "no-workspace"; readonly name: string; readonly store: string }
  /** Whoever was making it is still at it, or was killed. */
  | { readonly kind: "workspace-unmade"; readonly name: string }
  /** It may hold work, and is not whole: it was kept as it is. */
  | { readonly kind: "workspace-damaged"; readonly directory: string; readonly message: string }
  | { readonly kind: "workspace-busy"; readonly name: string }
  /** It is an agent's: its run keeps it and removes it. */
  | { readonly kind: "agents-workspace"; readonly name: string }
  | { readonly kind: "workspace-dirty"; readonly name: string; readonly changes: number; readonly first: string }
  | { readonly kind: "workspace"; readonly message: string };

export interface WorkspaceLine {
  readonly name: string;
  /** Of a person, or left by a run's agent. */
  readonly kind: "person" | "agent";
  /** Where its files are; an agent's in layers are seen only by the host that mounted them. */
  readonly root: string;
  readonly position: number;
  readonly form: "directory" | "layers";
}

export interface FoundWorkspace {
  readonly name: string;
  readonly kind: WorkspaceLine["kind"];
  readonly directory: string;
}

export type Answer<T> = Promise<Result<T, WorkspacesError>>;

export const entriesMax = 100_000;
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
export const agentPattern = /^a\d+$/;
const ownNames = new Set(["blobs", "git-bases"]);
const recordBytesMax = 16 * 1024;
const record = object({ version: oneOf(1), log: text(64), store: text(4_096), at_ms: natural() });

export const recordName = "workspace.json";

export interface Place {
  readonly store: string;
  readonly source: StoreSource;
  /** Holds the persons' workspaces of this store. */
  readonly directory: string;
  readonly found: StorePlace;
  options(): Promise<Omit<Parameters<typeof createWorkspace>[0], "directory" | "snapshot">>;
}

export async function within<T>(
  surroundings: Surroundings,
  wish: StoreWish,
  act: (place: Place) => Answer<T>,
): Answer<T> {
  const found = await findStore(surroundings, wish);
  if (!found.ok) return found;
  const { directory: store } = found.value;
  const directory = personsDirectory(surroundings, store);
  if (!directory.ok) return directory;
  const door = await openDoorToRead(surroundings, store);
  if (!door.ok) return door;
  try {
    const identity = await storeIdentity(surroundings.host.files, store);
    const source = identity === null ? null : await sourceOf(door.value, identity.log);
    if (source === null) return err({ kind: "not-imported" });
    const options = () => optionsOf(surroundings, source, directory.value);
    return await act({ store, source, directory: directory.value, found: found.value, options });
  } catch (error) {
    return err({
      kind: "workspace",
      message: cleanLine(error instanceof Error ? error.message : String(error), 1_000),
    });
  } finally {
    await door.value.close();
  }
}

export async function optionsOf(surroundings: Surroundings, source: StoreSource, directory: string) {
  const { files } = surroundings.host;
  const git = gitOf(surroundings);
  const { repository, objectFormat, blobs } = source;
  const outside =
    repository === "" ? null : await ignoreSources({ git, files, root: repository, user: userHome(surroundings) });
  return {
    files,
    blobs,
    cache: openBlobCache({ files, directory: join(directory, "blobs") }),
    ignoreTexts: outside?.ok === true ? outside.value.texts : [],
    git: { kind: "base", bases: openGitBases({ files, git, directory: join(directory, "git-bases") }) } as const,
    objectFormat,
    // A person's files are few, and what is over the store's limit is told by the commit.
    limits: { ...workspaceLimits, fileBytesMax: 2 ** 30 },
  };
}

export async function findWorkspace(surroundings: Surroundings, place: Place, name: string): Answer<FoundWorkspace> {
  const places = await placesOf(surroundings, place.found);
  if (!places.ok) return places;
  for (const { kind, directory } of places.value) {
    if (kind === "agent" ? !agentPattern.test(name) : !isName(name)) continue;
    const found = { name, kind, directory: join(directory, name) };
    if ((await surroundings.host.files.stat(found.directory)).ok) return ok(found);
  }
  return err({ kind: "no-workspace", name, store: place.store });
}

export async function openFound(
  surroundings: Surroundings,
  place: Place,
  found: FoundWorkspace,
): Answer<{ readonly workspace: Workspace; readonly line: WorkspaceLine }> {
  const { files, processes } = surroundings.host;
  const { directory } = found;
  const options = await place.options();
  const log = found.kind === "person" ? await logOf(surroundings, directory) : place.source.store;
  if (log === null) return err({ kind: "workspace-unmade", name: found.name });
  if (log !== place.source.store)
    return err({ kind: "workspace-damaged", directory, message: "it was made from another store" });
  const path = variable(surroundings.env, "PATH") ?? "/usr/bin:/bin";
  const settled = await settleOverlay({ files, processes, directory, path });
  if (!settled.ok) return err(workspaceError(settled.error));
  const opened = await reopenWorkspace({
    ...options,
    ...(found.kind === "agent" ? { git: { kind: "none" } as const } : {}),
    directory,
    manifestAt: (position) => place.source.manifest(position),
  });
  if (!opened.ok) return err(workspaceError(opened.error));
  if (opened.value === null)
    return err({ kind: "workspace-damaged", directory, message: "it does not say what it was made from" });
  const { root, position } = opened.value;
  const { name, kind } = found;
  return ok({ workspace: opened.value, line: { name, kind, root, position, form: "directory" } });
}

async function logOf({ host: { files } }: Surroundings, directory: string): Promise<string | null> {
  const bytes = await files.read(join(directory, recordName), recordBytesMax);
  if (!bytes.ok) return null;
  try {
    const parsed = parse(record, JSON.parse(Buffer.from(bytes.value).toString("utf8")), recordName);
    return parsed.ok ? parsed.value.log : null;
  } catch {
    return null;
  }
}

/** An agent's host holds the agent's own lock while it is at work. */
export async function underLock<T>(
  { host }: Surroundings,
  { kind, name, directory }: FoundWorkspace,
  act: () => Answer<T>,
): Answer<T> {
  const run = dirname(dirname(directory));
  const path = kind === "agent" ? join(run, "agents", `${name}.lock`) : join(directory, "lock");
  const lock = await host.locks.acquire(path);
  if (!lock.ok && lock.error.code === "held") return err({ kind: "workspace-busy", name });
  if (!lock.ok) return err({ kind: "workspace", message: lock.error.message });
  try {
    return await act();
  } finally {
    await lock.value.release();
  }
}

export async function lineOf(
  surroundings: Surroundings,
  { name, kind, directory }: FoundWorkspace,
): Answer<WorkspaceLine | null> {
  const { files } = surroundings.host;
  const [state, overlay] = [await loadState(files, directory), await loadOverlay(files, directory)];
  if (!state.ok) return state;
  if (!overlay.ok) return overlay;
  if (state.value === null) return ok(null);
  const form = overlay.value === null || overlay.value.whole ? "directory" : "layers";
  const root = overlay.value === null ? join(directory, "tree") : join(directory, "at", "tree");
  return ok({ name, kind, root, position: state.value.position, form });
}

export async function placesOf(
  surroundings: Surroundings,
  { directory, run }: StorePlace,
): Promise<Result<readonly { readonly kind: WorkspaceLine["kind"]; readonly directory: string }[], WorkspacesError>> {
  const persons = personsDirectory(surroundings, directory);
  if (!persons.ok) return persons;
  // A run's store lies beside its workspaces, also where it was named by its directory.
  const workspaces = run?.directories.workspaces ?? join(dirname(directory), "workspaces");
  return ok([
    { kind: "person", directory: persons.value },
    { kind: "agent", directory: workspaces },
  ]);
}

export function personsDirectory(surroundings: Surroundings, store: string): Result<string, StateError> {
  const state = stateDirectory(surroundings);
  return state.ok ? ok(join(state.value, "workspaces", repositoryKey(store))) : state;
}

export function isName(name: string): boolean {
  return namePattern.test(name) && !ownNames.has(name) && !agentPattern.test(name);
}

export function workspaceError(error: WorkspaceError): WorkspacesError {
  return error.kind === "file" ? error : { kind: "workspace", message: workspaceErrorText(error) };
}
