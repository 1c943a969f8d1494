// One connection of a store's server: hello first, then requests in any number and order, each answered once. Invariant: what a
// client sends, or does not take, costs the server bounded memory, and what is no frame of ours costs only this connection.

import { assert } from "../../base/assert.ts";
import { parse } from "../../base/parse.ts";
import { cleanLine } from "../../base/text.ts";
import type { Clock } from "../../host/clock.ts";
import type { Connection } from "../../host/net.ts";
import type { AppendError } from "../../log/log.ts";
import { Asks, type SharedRoom } from "./asks.ts";
import { commitAnswerFrame, readCommitBody } from "./commit-frame.ts";
import { FRAME, type Frame, type FrameHead, packFrame, unpackBody } from "./frame.ts";
import { FrameReader } from "./frame-reader.ts";
import type { SocketLimits } from "./limits.ts";
import { clientHello, type Problem, type ServerHello, socketName, socketProtocol } from "./messages.ts";
import { Outbox, type Soon } from "./outbox.ts";
import type { RequestRoom } from "./request-room.ts";
import type { ServedStore } from "./served-store.ts";

export interface SessionOptions {
  readonly connection: Connection;
  readonly store: ServedStore;
  readonly clock: Clock;
  readonly soon: Soon;
  readonly limits: SocketLimits;
  readonly pid: number;
  readonly requestRoom: RequestRoom;
  readonly room: SharedRoom;
  /** Why this connection gets nothing but this reason, once it has said hello; null for one that is welcome. */
  readonly turnedAway: string | null;
}

/** Of a large request, while others wait: 1 MiB a second. */
const pressedBytesAMs = 1_024;

export class Session {
  readonly #options: SessionOptions;
  readonly #outbox: Outbox;
  readonly #reader = new FrameReader();
  readonly #asks: Asks;
  #isWelcome = false;
  #isClosed = false;
  #open = 0;
  #waiting: (() => void) | null = null;
  /** Taken for the large frame that is being received. */
  #receiving = 0;
  #begunAtMs = 0;
  /** Its bytes are waited for: what it does not send now is its own doing. */
  #isRead = true;
  #heardAtMs: number;

  constructor(options: SessionOptions) {
    this.#options = options;
    const { connection, soon, clock, limits } = options;
    const { unsentBytesMax, stallMsMax } = limits;
    const onStall = () => this.#end();
    this.#outbox = new Outbox({ connection, soon, clock, unsentBytesMax, stallMsMax, onStall });
    this.#asks = new Asks({ store: options.store, limits, shared: options.room, outbox: this.#outbox });
    this.#heardAtMs = clock.monotonicMs();
  }

  get unsentBytes(): number {
    return this.#outbox.unsentBytes;
  }

  /** Resolves when the connection is over and nothing of it is held any more. */
  async serve(): Promise<void> {
    const { clock, limits, connection } = this.#options;
    const unwelcome = clock.after(limits.helloMsMax, () => {
      if (!this.#isWelcome) this.bye("no hello came");
    });
    const watch = this.#watch();
    // Also while it is not read: what nobody will take is not made.
    void connection.closed.then(() => this.#end());
    try {
      for await (const chunk of connection.bytes) {
        this.#isRead = false;
        this.#reader.push(chunk);
        await this.#takeFrames();
        if (this.#isClosed) break;
        this.#heardAtMs = clock.monotonicMs();
        this.#isRead = true;
      }
    } finally {
      unwelcome.cancel();
      watch.cancel();
      this.#end();
      await this.#asks.close();
    }
  }

  /** Says why, then closes. */
  bye(reason: string): void {
    if (this.#isClosed) return;
    void this.#options.connection.send(packFrame(FRAME.bye, 0, { reason: cleanLine(reason, 1_000) }));
    this.#end();
  }

  async #takeFrames(): Promise<void> {
    for (let step = this.#reader.step(); step.kind !== "more"; step = this.#reader.step()) {
      if (step.kind === "head") {
        const admitted = this.#admit(step.head);
        if (admitted !== null) await admitted;
      } else {
        const bytes = step.frame.body.length;
        const arrived = this.#isWelcome ? this.#options.requestRoom.arrived(bytes) : null;
        if (arrived !== null) {
          await arrived;
          if (this.#isClosed) return this.#options.requestRoom.give(bytes);
        }
        this.#receiving = 0;
        this.#take(step.frame);
      }
      if (this.#isClosed) return;
      const relief = this.#relief();
      if (relief !== null) await relief;
      if (this.#isClosed) return;
    }
  }

  /** Decides about a frame from its head alone; a promise while the server has no room for it. */
  #admit(head: FrameHead): Promise<void> | null {
    const { limits, requestRoom, clock } = this.#options;
    if (!this.#isWelcome) {
      if (head.kind === FRAME.hello && head.bytes <= limits.helloBytesMax) this.#reader.take();
      else this.bye("this is the socket of a skein store, and what came is not its protocol");
      return null;
    }
    if (head.bytes > limits.frameBytesMax) {
      this.#reader.skip();
      this.#refuseLarge(head);
      return null;
    }
    if (head.kind !== FRAME.ask && head.kind !== FRAME.commit && head.kind !== FRAME.part) {
      this.bye(`a frame of kind ${head.kind} is not a client's to send`);
      return null;
    }
    if (requestRoom.isSmall(head.bytes)) {
      this.#reader.take();
      return null;
    }
    const begin = (): void => {
      if (this.#isClosed) return requestRoom.give(head.bytes);
      this.#receiving = head.bytes;
      this.#begunAtMs = clock.monotonicMs();
      this.#reader.take();
    };
    const room = requestRoom.announced(head.bytes);
    if (room !== null) return room.then(begin);
    begin();
    return null;
  }

  #take(frame: Frame): void {
    if (frame.kind === FRAME.hello) return this.#welcome(frame);
    const bytes = frame.body.length;
    this.#open += 1;
    if (frame.kind === FRAME.commit) return this.#commit(frame, bytes);
    void this.#handle(frame)
      .catch((error: unknown) => this.#broken(frame.id, error))
      .finally(() => this.#settled(bytes));
  }

  #handle(frame: Frame): Promise<void> {
    return frame.kind === FRAME.part ? this.#asks.part(frame) : this.#asks.ask(frame);
  }

  #welcome({ body }: Frame): void {
    const value = unpackBody(body);
    const hello = value.ok ? parse(clientHello, value.value, "hello") : null;
    if (hello === null || !hello.ok || hello.value.socket !== socketName) {
      return this.bye("this is the socket of a skein store, and what came is not its protocol");
    }
    if (hello.value.protocol !== socketProtocol) {
      const both = "use one version of skein for both";
      return this.bye(`the server speaks protocol ${socketProtocol}, the client ${hello.value.protocol}: ${both}`);
    }
    if (this.#options.turnedAway !== null) return this.bye(this.#options.turnedAway);
    this.#isWelcome = true;
    const { store, limits, pid } = this.#options;
    const answer: ServerHello = {
      socket: socketName,
      protocol: socketProtocol,
      pid,
      store: store.identity,
      file_bytes_max: store.limits.fileBytesMax,
      commit_bytes_max: store.limits.commitBytesMax,
      frame_bytes_max: limits.frameBytesMax,
      part_bytes: limits.partBytes,
    };
    this.#outbox.push(packFrame(FRAME.hello, 0, answer));
  }

  /** Without an async function: there are ten thousand of these a second, and each of its promises would cost a part of a commit. */
  #commit({ id, body }: Frame, bytes: number): void {
    const request = readCommitBody(body);
    if (!request.ok) {
      this.#fail(id, "bad-request", request.error);
      return this.#settled(bytes);
    }
    this.#options.store.vcs.commit(request.value).then(
      (outcome) => {
        if (outcome.ok) this.#outbox.push(commitAnswerFrame(id, outcome.value));
        else this.#notCommitted(id, outcome.error);
        this.#settled(bytes);
      },
      (error: unknown) => {
        this.#broken(id, error);
        this.#settled(bytes);
      },
    );
  }

  #notCommitted(id: number, error: AppendError): void {
    if (error.kind === "batch-too-large") {
      const reason = `The commit has ${error.bytes} bytes as it is stored; at most ${error.bytesMax} go into one. Split it.`;
      return this.#answer(id, { kind: "refused", policy: "bytes", reason });
    }
    return this.#fail(id, "store", "message" in error ? error.message : error.kind);
  }

  #answer(id: number, value: object): void {
    this.#outbox.push(packFrame(FRAME.answer, id, value));
  }

  #fail(id: number, failed: Problem["failed"], message: string): void {
    this.#answer(id, { failed, message: message.slice(0, 100_000) } satisfies Problem);
  }

  #broken(id: number, error: unknown): void {
    this.#fail(id, "internal", `internal error: ${String(error)}`);
  }

  #refuseLarge({ kind, id, bytes }: FrameHead): void {
    const { frameBytesMax } = this.#options.limits;
    const mebibytes = (count: number) => `${(count / 1024 ** 2).toFixed(1)} MiB`;
    const sizes = `${mebibytes(bytes)} in one frame; at most ${mebibytes(frameBytesMax)} are taken`;
    if (kind !== FRAME.commit) return this.#fail(id, "too-large", `The request has ${sizes}.`);
    const reason = `The commit has ${sizes}. Split it into several commits, or leave out what is too large.`;
    this.#answer(id, { kind: "refused", policy: "bytes", reason });
  }

  /** A promise while this connection is not to be read: it has enough open requests, or does not take its answers. */
  #relief(): Promise<void> | null {
    const room = this.#outbox.room();
    if (room !== null) return room;
    const { requestsOpenMax, streamsOpenMax } = this.#options.limits;
    if (this.#open < requestsOpenMax && this.#asks.waiting < streamsOpenMax) return null;
    assert(this.#waiting === null, "one reader waits");
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /** The request with a body of so many bytes was answered. */
  #settled(bytes: number): void {
    this.#options.requestRoom.give(bytes);
    this.#open -= 1;
    this.#wake();
  }

  /** What began and does not go on holds room that others could use: all the shorter, when they wait for it. */
  #watch(): { cancel(): void } {
    const { clock, limits } = this.#options;
    const lookMs = Math.min(limits.stallMsMax, limits.pressedStallMsMax);
    const look = (): void => {
      const reason = this.#stall();
      if (reason !== null) return this.bye(reason);
      current = clock.after(lookMs, look);
    };
    let current = clock.after(lookMs, look);
    return { cancel: () => current.cancel() };
  }

  #stall(): string | null {
    const { clock, limits, requestRoom, room } = this.#options;
    const nowMs = clock.monotonicMs();
    const silentMs = nowMs - this.#heardAtMs;
    const owes = this.#reader.isInside || this.#asks.owesUpload;
    if (owes && this.#open === 0 && silentMs >= limits.stallMsMax) {
      return `the rest of a request did not come within ${limits.stallMsMax / 1_000} s`;
    }
    const pressedMs = limits.pressedStallMsMax;
    if (requestRoom.isWanted && this.#receiving > 0 && this.#isRead) {
      // Who sends slowly enough never ends: each byte has its time too.
      const dueMs = pressedMs + this.#receiving / pressedBytesAMs;
      if (silentMs >= pressedMs || nowMs - this.#begunAtMs >= dueMs) {
        return "the rest of a request did not come in time, and others waited for the room it had";
      }
    }
    if ((room.partBytes.isWanted || room.heldBytes.isWanted) && this.#outbox.stuckMs >= pressedMs) {
      return "nothing of an answer was taken in time, and others waited for the room it had";
    }
    return null;
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#receiving > 0) this.#options.requestRoom.give(this.#receiving);
    this.#receiving = 0;
    this.#outbox.close();
    void this.#asks.close();
    this.#options.connection.close();
    this.#wake();
  }

  #wake(): void {
    const wake = this.#waiting;
    this.#waiting = null;
    wake?.();
  }
}
