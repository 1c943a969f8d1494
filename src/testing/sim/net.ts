// The Net port in memory. Each direction keeps its order and takes 0–2 ms of virtual time a message; a message may arrive in pieces,
// as it may on a real stream socket.

import { err, ok, type Result } from "../../base/result.ts";
import type { Connection, Listener, Net, NetError } from "../../host/net.ts";
import { connectedPair, type Endpoint } from "./connection.ts";
import type { Disk } from "./disk/disk.ts";
import { SocketInode } from "./disk/inode.ts";
import { walk } from "./disk/walk.ts";
import type { Life } from "./life.ts";
import type { VirtualLoop } from "./loop.ts";
import type { SeededRandom } from "./random.ts";

const delayMsMax = 2;
/** As on Linux. */
const socketPathBytesMax = 107;

interface Listening {
  accept(endpoint: Endpoint): void;
}

/** The machine's sockets. */
export interface NetTable {
  readonly listening: Map<SocketInode, Listening>;
  readonly endpoints: Set<Endpoint>;
}

export interface NetContext {
  readonly disk: Disk;
  readonly table: NetTable;
  readonly loop: VirtualLoop;
  readonly random: SeededRandom;
  readonly life: Life;
}

export function simNet(context: NetContext): Net {
  const { disk, table, loop, random, life } = context;
  const delayMs = () => random.unit() * delayMsMax;

  function reach(path: string): Result<Listening, NetError> {
    const place = placeFor(disk, path);
    if (!place.ok) return place;
    const { inode } = place.value;
    if (inode === null) return netFault(path, "not-found", "ENOENT: no such socket");
    const listening = inode.kind === "socket" ? table.listening.get(inode) : undefined;
    return listening === undefined ? netFault(path, "refused", "ECONNREFUSED: nobody listens") : ok(listening);
  }

  async function connect(path: string): Promise<Result<Connection, NetError>> {
    const known = await life.call(() => reach(path));
    if (!known.ok) return known;
    await loop.sleep(delayMs(), `connect ${path}`);
    return life.call(() => {
      const listening = reach(path);
      if (!listening.ok) return listening;
      const [client, server] = connectedPair({ loop, random, delayMs });
      listening.value.accept(server);
      return ok(own(context, client));
    });
  }

  return { listen: (path, onConnection) => life.call(() => listen(context, path, onConnection)), connect };
}

function listen(
  context: NetContext,
  path: string,
  onConnection: (connection: Connection) => void,
): Result<Listener, NetError> {
  const { disk, table, life } = context;
  const place = placeFor(disk, path);
  if (!place.ok) return place;
  const { parent, name, inode } = place.value;
  if (inode !== null && inode.kind !== "socket")
    return netFault(path, "in-use", "a file that is not a socket is in the way");
  if (inode !== null && table.listening.has(inode)) return netFault(path, "in-use", "another process listens here");
  const socket = new SocketInode(disk.stamp());
  disk.changeNames({ directory: parent, name, inode: socket });
  table.listening.set(socket, { accept: (endpoint) => onConnection(own(context, endpoint)) });
  // A process that dies leaves its socket file behind; only `close` removes it.
  const forget = life.onEnd(() => table.listening.delete(socket));
  return ok({
    path,
    close: () =>
      life.call(() => {
        forget();
        if (!table.listening.delete(socket)) return;
        if (parent.live.get(name) === socket) disk.changeNames({ directory: parent, name, inode: null });
      }),
  });
}

function own({ table, life }: NetContext, endpoint: Endpoint): Connection {
  table.endpoints.add(endpoint);
  const forget = life.onEnd(() => endpoint.close());
  void endpoint.closed.then(() => {
    forget();
    table.endpoints.delete(endpoint);
  });
  return endpoint;
}

function placeFor(disk: Disk, path: string) {
  const length = Buffer.byteLength(path);
  if (length > socketPathBytesMax) {
    return netFault(path, "other", `the socket path has ${length} bytes; the system allows ${socketPathBytesMax}`);
  }
  const place = walk(disk.root, path, true);
  if (place.ok) return place;
  const missing = place.error.code === "not-found" || place.error.code === "not-directory";
  return netFault(path, missing ? "not-found" : "other", place.error.message);
}

function netFault(path: string, code: NetError["code"], message: string): Result<never, NetError> {
  return err({ kind: "net", code, path, message });
}
