// `skein serve`: opens a store and serves it until it is told to stop.

import { err, ok, type Result } from "../base/result.ts";
import type { FileError } from "../host/files.ts";
import type { NetError } from "../host/net.ts";
import type { AppendError } from "../log/log.ts";
import type { VcsLimits } from "../vcs/limits.ts";
import { removeStaleSockets } from "./stale-sockets.ts";
import { type DoorError, openDoorToWrite } from "./store-door.ts";
import { type PoliciesError, readPolicies } from "./store-policies.ts";
import { startStoreServer } from "./store-server.ts";
import type { Surroundings } from "./surroundings.ts";
import { openVcsView, type VcsStore } from "./vcs-store.ts";

export interface ServeOptions {
  readonly directory: string;
  readonly socket: string | null;
  /** A file of policies; null: the standard ones alone. */
  readonly policies: string | null;
  readonly limits: Partial<VcsLimits>;
  readonly stop: AbortSignal;
  onReady(ready: Serving): void;
  /** Nothing more is accepted from now on, and everything that was acknowledged is still read. */
  onStopped(message: string): void;
}

export interface Serving {
  readonly socket: string;
  readonly position: number;
  /** Bytes of an unfinished write that a crash had left, which were cut off. */
  readonly tornBytes: number;
}

export type ServeError =
  | DoorError
  | NetError
  | FileError
  | PoliciesError
  | { readonly kind: "already-served"; readonly pid: number | null; readonly store: string }
  /** The disk refused: nothing more was accepted. */
  | { readonly kind: "store-stopped"; readonly message: string; readonly store: string };

const stopLookMs = 250;

/** Ends when it is told to stop; well, unless the disk refused meanwhile. */
export async function serve(surroundings: Surroundings, options: ServeOptions): Promise<Result<void, ServeError>> {
  const { directory, socket, limits, stop } = options;
  const { host } = surroundings;
  const policies =
    options.policies === null ? ok({ policies: [] }) : await readPolicies(surroundings, options.policies);
  if (!policies.ok) return policies;
  const door = await openDoorToWrite(surroundings, directory, { ...policies.value, limits });
  if (!door.ok) return door;
  if (door.value.kind !== "writer") {
    const pid = door.value.client.server?.pid ?? null;
    await door.value.close();
    return err({ kind: "already-served", pid, store: directory });
  }
  const { store } = door.value;
  try {
    await removeStaleSockets(surroundings);
    const place = socket === null ? {} : { socket };
    const server = await startStoreServer(surroundings, { store, directory, limits, ...place });
    if (!server.ok) return server;
    options.onReady({
      socket: server.value.path,
      position: store.vcs.head(),
      tornBytes: store.log.tornTail?.bytes ?? 0,
    });
    let view: VcsStore | null = null;
    let isTold = false;
    while (!stop.aborted) {
      const message = reasonOf(store.ledger.stopped);
      if (message !== null && !isTold) {
        isTold = true;
        // The folds have seen what never became durable: from now on the files are believed.
        const opened = await openVcsView(host, directory);
        view = opened.ok ? opened.value : null;
        if (view !== null) server.value.readFrom(view);
        options.onStopped(message);
      }
      await host.clock.sleep(stopLookMs, stop);
    }
    await server.value.close("the server was told to stop");
    await view?.close();
    const message = reasonOf(store.ledger.stopped);
    return message === null ? ok(undefined) : err({ kind: "store-stopped", message, store: directory });
  } finally {
    await store.close();
  }
}

function reasonOf(stopped: AppendError | null): string | null {
  if (stopped === null) return null;
  return "message" in stopped ? stopped.message : stopped.kind;
}
