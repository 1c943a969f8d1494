// The way into a store for one command: its server where a process has it open, else the files themselves, for reading or, with the
// writer's lock, for writing. Invariant: whoever only reads never changes a file.

import { openStoreClient, type StoreClient } from "../adapters/socket/client.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { OpenError } from "../log/log.ts";
import { readServerFile } from "./server-file.ts";
import { storeIdentity } from "./store-identity.ts";
import type { Surroundings } from "./surroundings.ts";
import { openVcsStore, openVcsView, type VcsStore, type VcsStoreOptions } from "./vcs-store.ts";

export type StoreDoor =
  | { readonly kind: "server"; readonly client: StoreClient; close(): Promise<void> }
  | { readonly kind: "files"; readonly view: VcsStore; close(): Promise<void> }
  | { readonly kind: "writer"; readonly store: VcsStore; close(): Promise<void> };

export type WriteDoor = Exclude<StoreDoor, { readonly kind: "files" }>;

export type DoorError =
  | { readonly kind: "store"; readonly store: string; readonly error: OpenError }
  /** A process has the store open and cannot be asked. */
  | { readonly kind: "writer-silent"; readonly store: string; readonly pid: number | null; readonly message: string };

/** Looks for a server that is just beginning, or just ending. */
const looksMax = 5;
const lookPauseMs = 100;

export async function openDoorToRead(
  surroundings: Surroundings,
  directory: string,
): Promise<Result<StoreDoor, DoorError>> {
  const client = await serverOf(surroundings, directory);
  if (client !== null) return ok(serverDoor(client));
  const view = await openVcsView(surroundings.host, directory);
  if (!view.ok) return err({ kind: "store", store: directory, error: view.error });
  return ok({ kind: "files", view: view.value, close: () => view.value.close() });
}

export async function openDoorToWrite(
  surroundings: Surroundings,
  directory: string,
  options: VcsStoreOptions,
): Promise<Result<WriteDoor, DoorError>> {
  let message = "no server is known";
  for (let look = 1; look <= looksMax; look += 1) {
    if (look > 1) await surroundings.host.clock.sleep(lookPauseMs);
    // The lock first: only while somebody holds it can `server.json` say who serves the store.
    const store = await openVcsStore(surroundings.host, directory, options);
    if (store.ok) return ok({ kind: "writer", store: store.value, close: () => store.value.close() });
    if (store.error.kind !== "held") return err({ kind: "store", store: directory, error: store.error });
    const client = await serverOf(surroundings, directory);
    if (client !== null) return ok(serverDoor(client));
    message = store.error.message;
  }
  const known = await readServerFile(surroundings.host.files, directory);
  return err({ kind: "writer-silent", store: directory, pid: known?.pid ?? null, message });
}

/** Null where nobody answers who has this very store open: what stands in `server.json` may be of the store it was copied from. */
export async function serverOf(
  { host }: Surroundings,
  directory: string,
  options: { readonly patienceMs?: number } = {},
): Promise<StoreClient | null> {
  const known = await readServerFile(host.files, directory);
  const store = known === null ? null : await storeIdentity(host.files, directory);
  if (known === null || store === null) return null;
  const { net, clock } = host;
  const client = await openStoreClient({ net, clock, soon: setImmediate, path: known.socket, store, ...options });
  return client.ok ? client.value : null;
}

function serverDoor(client: StoreClient): Extract<StoreDoor, { kind: "server" }> {
  return { kind: "server", client, close: async () => client.close() };
}
