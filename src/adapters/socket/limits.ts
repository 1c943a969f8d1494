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
  /** Lists, contents and upkeep that one connection waits for; beyond it the connection is not read. */
  readonly streamsOpenMax: number;
  /** Bodies of large requests of all connections that are being received or wait for their answer. */
  readonly requestBytesMax: number;
  /** A request of at most so many bytes is a small one: it takes no room before it is here. */
  readonly smallFrameBytesMax: number;
  /** Bodies of small requests of all connections that wait for their answer. */
  readonly smallBytesMax: number;
  /** Contents held in memory for clients that read them, of all connections. */
  readonly heldBytesMax: number;
  /** Parts of lists and contents on their way out, of all connections. */
  readonly partBytesMax: number;
  /** Uploads of one connection under way. */
  readonly uploadsOpenMax: number;
  /** A connection that has not said hello by then is closed. */
  readonly helloMsMax: number;
  /** A connection that owes bytes, or takes none of those it is sent, is closed after so long. */
  readonly stallMsMax: number;
  /** The same while others wait for the room that it holds. */
  readonly pressedStallMsMax: number;
}

export const SOCKET_LIMITS: SocketLimits = {
  frameBytesMax: 48 * MIB,
  helloBytesMax: 4 * KIB,
  partBytes: 256 * KIB,
  connectionsMax: 1_024,
  requestsOpenMax: 1_024,
  unsentBytesMax: MIB,
  streamsOpenMax: 32,
  requestBytesMax: 160 * MIB,
  smallFrameBytesMax: 64 * KIB,
  smallBytesMax: 32 * MIB,
  heldBytesMax: 128 * MIB,
  partBytesMax: 64 * MIB,
  uploadsOpenMax: 4,
  helloMsMax: 10_000,
  stallMsMax: 60_000,
  pressedStallMsMax: 5_000,
};
