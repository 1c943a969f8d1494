// A store's server: listens on a unix socket that only this user reaches, and holds a session for each connection.

import { err, ok, type Result } from "../../base/result.ts";
import type { Clock } from "../../host/clock.ts";
import type { Connection, Net, NetError } from "../../host/net.ts";
import type { SharedRoom } from "./asks.ts";
import { ByteBudget } from "./byte-budget.ts";
import { SOCKET_LIMITS, type SocketLimits } from "./limits.ts";
import type { Soon } from "./outbox.ts";
import { RequestRoom } from "./request-room.ts";
import type { ServedStore } from "./served-store.ts";
import { Session } from "./session.ts";
import { Turns } from "./turns.ts";
import { UpkeepQueue } from "./upkeep-queue.ts";

export interface ServerOptions {
  readonly net: Net;
  readonly clock: Clock;
  readonly soon: Soon;
  readonly store: ServedStore;
  readonly path: string;
  readonly pid: number;
  readonly limits?: Partial<SocketLimits>;
}

export interface StoreServer {
  readonly path: string;
  /** What it holds for its clients now: for people, and for tests that nothing grows. */
  load(): ServerLoad;
  /** No new connections; those there are told why and closed. Resolves when nothing of them is held any more. */
  close(reason: string): Promise<void>;
}

export interface ServerLoad {
  readonly connections: number;
  readonly requestBytes: number;
  /** Contents held for clients that read them. */
  readonly answerBytes: number;
  /** Answers that their readers have not taken. */
  readonly unsentBytes: number;
}

export async function serveStore(options: ServerOptions): Promise<Result<StoreServer, NetError>> {
  const { net, clock, soon, store, path, pid } = options;
  const limits: SocketLimits = { ...SOCKET_LIMITS, ...options.limits };
  const requestRoom = new RequestRoom(limits);
  const heldBytes = new ByteBudget(limits.heldBytesMax);
  const partBytes = new ByteBudget(Math.max(limits.partBytesMax, limits.partBytes));
  const room: SharedRoom = { heldBytes, partBytes, turns: new Turns(soon), upkeep: new UpkeepQueue() };
  const sessions = new Map<Session, Promise<void>>();

  const accept = (connection: Connection): void => {
    // One too many hears why when it has said hello; a flood of them does not.
    if (sessions.size >= 2 * limits.connectionsMax) return connection.close();
    const full = `the server has ${limits.connectionsMax} connections, which is its limit: try again later`;
    const turnedAway = sessions.size >= limits.connectionsMax ? full : null;
    const shared = { store, clock, soon, limits, pid, requestRoom, room };
    const session = new Session({ connection, turnedAway, ...shared });
    const over = session
      .serve()
      .catch((error: unknown) => session.bye(`internal error: ${String(error)}`))
      .finally(() => sessions.delete(session));
    sessions.set(session, over);
  };

  const listener = await net.listen(path, accept);
  if (!listener.ok) return err(listener.error);
  return ok({
    path,
    load: () => ({
      connections: sessions.size,
      requestBytes: requestRoom.taken,
      answerBytes: heldBytes.taken,
      unsentBytes: [...sessions.keys()].reduce((sum, session) => sum + session.unsentBytes, 0),
    }),
    async close(reason) {
      await listener.value.close();
      for (const session of sessions.keys()) session.bye(reason);
      await Promise.all(sessions.values());
    },
  });
}
