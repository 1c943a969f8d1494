// Port to local stream sockets. A socket carries bytes; framing belongs to `protocol`.

import type { Result } from "../base/result.ts";

export interface NetError {
  readonly kind: "net";
  readonly code: "not-found" | "refused" | "in-use" | "closed" | "other";
  readonly path: string;
  readonly message: string;
}

export interface Connection {
  /** Bytes in the order they were sent; ends when either side closes. May be iterated once. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Resolves when the peer's buffer took them (back-pressure); false once the connection is closed. */
  send(bytes: Uint8Array): Promise<boolean>;
  close(): void;
  readonly closed: Promise<void>;
}

export interface Listener {
  readonly path: string;
  close(): Promise<void>;
}

export interface Net {
  /** Listens on a unix socket path; a stale socket file is replaced only by who holds the store's lock. */
  listen(path: string, onConnection: (connection: Connection) => void): Promise<Result<Listener, NetError>>;
  connect(path: string): Promise<Result<Connection, NetError>>;
}
