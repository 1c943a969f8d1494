// Limits of the store's socket: nothing that a client does or leaves undone makes the server's memory grow past them.

const KIB = 1024;
const MIB = 1024 * KIB;

export interface SocketLimits {
  /** The body of one frame. Larger contents travel in parts. */
  readonly frameBytesMax: number;
  /** A connection's first frame, before anything is known of who sends it. */
  readonly helloBytesMax: number;
  /** One part of a content or of a list. */
  readonly partBytes: number;
  readonly connectionsMax: number;
  /** Unanswered requests of one connection; beyond it the connection is not read. */
  readonly requestsOpenMax: number;
  /** Answers of one connection that its reader has not taken; beyond it the connection is not read. */
  readonly unsentBytesMax: number;
  /** Bodies of requests of all connections that are being received or wait for their answer. */
  readonly requestBytesMax: number;
  /** Uploads of one connection under way. */
  readonly uploadsOpenMax: number;
  /** A connection that has not said hello by then is closed. */
  readonly helloMsMax: number;
  /** A connection that owes bytes, or takes none of those it is sent, is closed after so long. */
  readonly stallMsMax: number;
}

export const SOCKET_LIMITS: SocketLimits = {
  frameBytesMax: 48 * MIB,
  helloBytesMax: 4 * KIB,
  partBytes: 256 * KIB,
  connectionsMax: 1_024,
  requestsOpenMax: 1_024,
  unsentBytesMax: 4 * MIB,
  requestBytesMax: 256 * MIB,
  uploadsOpenMax: 4,
  helloMsMax: 10_000,
  stallMsMax: 60_000,
};
