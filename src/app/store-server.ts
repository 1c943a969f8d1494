// A store on its socket, found by others through `server.json`: the same for `skein serve` and for a run's coordinator.

import { join } from "node:path";
import { logContents } from "../adapters/socket/log-contents.ts";
import { type StoreServer, serveStore } from "../adapters/socket/server.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { FileError } from "../host/files.ts";
import type { NetError } from "../host/net.ts";
import { type VcsLimits, vcsLimits } from "../vcs/limits.ts";
import { removeServerFile, writeServerFile } from "./server-file.ts";
import { socketName } from "./stale-sockets.ts";
import { storeStats } from "./store-figures.ts";
import { storeIdentity } from "./store-identity.ts";
import type { Surroundings } from "./surroundings.ts";
import { storeUpkeep } from "./upkeep.ts";
import { openVcsView, type VcsStore } from "./vcs-store.ts";

export interface ServedOptions {
  readonly store: VcsStore;
  readonly directory: string;
  readonly limits?: Partial<VcsLimits>;
  /** Where the socket goes; default: a directory of its own in the temporary one, since a socket's path may be short only. */
  readonly socket?: string;
}

export interface StoreService extends StoreServer {
  /** Once nothing more is accepted: what is read from now on is what the disk holds. */
  readFrom(view: VcsStore): void;
}

/** Whoever opened the store for writing starts it; `close` leaves the store open. */
export async function startStoreServer(
  surroundings: Surroundings,
  { store, directory, limits = {}, socket }: ServedOptions,
): Promise<Result<StoreService, NetError | FileError>> {
  const { host, processId, temporaryDirectory } = surroundings;
  const identity = await storeIdentity(host.files, directory);
  if (identity === null) {
    return err({ kind: "file", code: "io", path: directory, message: "the store's log.json cannot be read" });
  }
  const own = socket === undefined ? join(temporaryDirectory, `skein-${host.random.letters(12)}`) : null;
  if (own !== null) {
    const claimed = await host.files.claimDirectory(own);
    if (!claimed.ok) return claimed;
  }
  const forget = async (): Promise<void> => {
    await removeServerFile(host.files, directory);
    if (own !== null) await host.files.remove(own);
  };
  let reading = store;
  const upkeep = storeUpkeep(surroundings, store, directory);
  const figuresOf = (from: VcsStore) => storeStats({ ...from, ledger: store.ledger });
  const figures = async () => {
    if (store.ledger.stopped === null) return figuresOf(store);
    const view = await openVcsView(host, directory);
    if (!view.ok) return figuresOf(store);
    const found = figuresOf(view.value);
    await view.value.close();
    return found;
  };
  const server = await serveStore({
    net: host.net,
    clock: host.clock,
    soon: setImmediate,
    pid: processId,
    path: socket ?? join(own ?? "", socketName),
    store: {
      identity,
      get vcs() {
        return reading === store ? store.vcs : { ...reading.vcs, commit: store.vcs.commit };
      },
      ledger: store.ledger,
      limits: { ...vcsLimits, ...limits },
      get contents() {
        return logContents(reading.log, reading.large);
      },
      upkeep: { ...upkeep, stats: async () => (reading === store ? figures() : figuresOf(reading)) },
    },
  });
  if (!server.ok) {
    await forget();
    return server;
  }
  const known = await writeServerFile(host.files, directory, { pid: processId, socket: server.value.path });
  if (!known.ok) {
    await server.value.close("the server could not be made known");
    await forget();
    return known;
  }
  const close = async (reason: string): Promise<void> => {
    await server.value.close(reason);
    await forget();
  };
  const readFrom = (view: VcsStore): void => {
    reading = view;
  };
  return ok({ ...server.value, close, readFrom });
}
