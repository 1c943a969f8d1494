// The Net port on unix sockets. A stale socket file (nobody answers) is removed before listening; one that answers, or is no socket, never.

import { chmod, lstat, unlink } from "node:fs/promises";
import { connect as connectSocket, createServer, type Server, type Socket } from "node:net";
import { err, ok, type Result } from "../../base/result.ts";
import type { Connection, Listener, Net, NetError } from "../../host/net.ts";
import { byteSource } from "./byte-source.ts";
import { systemError } from "./errors.ts";

/** Room in `sockaddr_un.sun_path` without its final NUL: 108 bytes on Linux, 104 on the BSDs and macOS. */
const socketPathBytesMax = process.platform === "linux" ? 107 : 103;

const NET_CODES: Readonly<Record<string, NetError["code"]>> = {
  ENOENT: "not-found",
  ENOTDIR: "not-found",
  ECONNREFUSED: "refused",
  EADDRINUSE: "in-use",
  EPIPE: "closed",
  ECONNRESET: "closed",
};

export const nodeNet: Net = { listen, connect };

async function listen(
  path: string,
  onConnection: (connection: Connection) => void,
): Promise<Result<Listener, NetError>> {
  const long = pathTooLong(path);
  if (long !== null) return err(long);
  const cleared = await clearStale(path);
  if (!cleared.ok) return cleared;
  const server = createServer((socket) => onConnection(connectionOf(socket)));
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(path, resolve);
    });
    // Whoever may connect may command: only our own user.
    await chmod(path, 0o600);
  } catch (cause) {
    server.close();
    return err(netError(path, cause));
  }
  // An accept that fails (no descriptors left) costs that client its connection, not us the server.
  server.on("error", () => undefined);
  return ok({ path, close: async () => closeServer(server) });
}

/** Closes the socket and removes its file at once; open connections live on with who holds them. */
function closeServer(server: Server): void {
  if (server.listening) server.close();
}

async function connect(path: string): Promise<Result<Connection, NetError>> {
  const long = pathTooLong(path);
  if (long !== null) return err(long);
  try {
    return ok(connectionOf(await openSocket(path)));
  } catch (cause) {
    return err(netError(path, cause));
  }
}

function openSocket(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectSocket(path);
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve(socket);
    });
  });
}

async function clearStale(path: string): Promise<Result<void, NetError>> {
  try {
    const stats = await lstat(path).catch((cause: unknown) => {
      if (systemError(cause).code === "ENOENT") return null;
      throw cause;
    });
    if (stats === null) return ok(undefined);
    if (!stats.isSocket()) return err(netFault(path, "in-use", "a file that is not a socket is in the way"));
    const answer = await connect(path);
    if (answer.ok) {
      answer.value.close();
      return err(netFault(path, "in-use", "another process listens here"));
    }
    if (answer.error.code !== "refused" && answer.error.code !== "not-found") return answer;
    if (answer.error.code === "refused") await unlink(path);
    return ok(undefined);
  } catch (cause) {
    return err(netError(path, cause));
  }
}

function connectionOf(socket: Socket): Connection {
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  // A broken connection shows as the end of `bytes`, as `closed` and as a false `send`.
  socket.on("error", () => undefined);
  return {
    bytes: byteSource(socket, { idleUnref: false }),
    send: (bytes) => new Promise((resolve) => socket.write(bytes, (error) => resolve(!error))),
    close: () => socket.destroySoon(),
    closed,
  };
}

function pathTooLong(path: string): NetError | null {
  const length = Buffer.byteLength(path);
  if (length <= socketPathBytesMax) return null;
  return netFault(path, "other", `the socket path has ${length} bytes; the system allows ${socketPathBytesMax}`);
}

function netError(path: string, cause: unknown): NetError {
  const { code, message } = systemError(cause);
  return netFault(path, NET_CODES[code] ?? "other", message);
}

function netFault(path: string, code: NetError["code"], message: string): NetError {
  return { kind: "net", code, path, message };
}
