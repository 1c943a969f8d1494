// One connection of a store's server: hello first, then requests in any number and order, each answered once. Invariant: what a
// client sends, or does not take, costs the server bounded memory, and what is no frame of ours costs only this connection.

import { assert } from "../../base/assert.ts";
import { parse } from "../../base/parse.ts";
import { cleanLine } from "../../base/text.ts";
import type { Clock } from "../../host/clock.ts";
import type { Connection } from "../../host/net.ts";
import type { ByteBudget } from "./byte-budget.ts";
import { readCommitBody } from "./commit-frame.ts";
import { FRAME, type Frame, type FrameHead, packFrame, rawFrame, unpackBody } from "./frame.ts";
import { FrameReader } from "./frame-reader.ts";
import type { SocketLimits } from "./limits.ts";
import {
  ask as askParser,
  clientHello,
  type Problem,
  type ServerHello,
  socketName,
  socketProtocol,
} from "./messages.ts";
import { Outbox, type Soon } from "./outbox.ts";
import { answerAsk } from "./requests.ts";
import type { ServedStore } from "./served-store.ts";
import { Uploads } from "./uploads.ts";

export interface SessionOptions {
  readonly connection: Connection;
  readonly store: ServedStore;
  readonly clock: Clock;
  readonly soon: Soon;
  readonly limits: SocketLimits;
  readonly pid: number;
  /** Requests' bodies, of all connections. */
  readonly requestBytes: ByteBudget;
  /** Contents held for clients that read them, of all connections. */
  readonly answerBytes: ByteBudget;
  /** Why this connection gets nothing but this reason, once it has said hello; null for one that is welcome. */
  readonly turnedAway: string | null;
}

export class Session {
  readonly #options: SessionOptions;
  readonly #outbox: Outbox;
  readonly #reader = new FrameReader();
  readonly #uploads: Uploads;
  #isWelcome = false;
  #isClosed = false;
  #open = 0;
  #waiting: (() => void) | null = null;
  /** Answers in parts, one after the other. */
  #streams: Promise<void> = Promise.resolve();
  /** Taken from the budget for the frame that is being received. */
  #receiving = 0;
  #heardAtMs: number;

  constructor(options: SessionOptions) {
    this.#options = options;
    const { connection, soon, clock, limits } = options;
    const { unsentBytesMax, stallMsMax } = limits;
    const onStall = () => this.#end();
    this.#outbox = new Outbox({ connection, soon, clock, unsentBytesMax, stallMsMax, onStall });
    this.#uploads = new Uploads(options.store.contents, limits.uploadsOpenMax, {
      go: (id) => this.#outbox.push(packFrame(FRAME.part, id, null)),
      done: (id, answer) => this.#answer(id, answer),
    });
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
    try {
      for await (const chunk of connection.bytes) {
        this.#heardAtMs = clock.monotonicMs();
        this.#reader.push(chunk);
        await this.#takeFrames();
        if (this.#isClosed) break;
      }
    } finally {
      unwelcome.cancel();
      watch.cancel();
      this.#end();
      await this.#uploads.close();
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
      } else this.#take(step.frame);
      if (this.#isClosed) return;
      const relief = this.#relief();
      if (relief !== null) await relief;
      if (this.#isClosed) return;
    }
  }

  /** Decides about a frame from its head alone; a promise while the server has no room for it. */
  #admit(head: FrameHead): Promise<void> | null {
    const { limits, requestBytes } = this.#options;
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
    const taking = requestBytes.take(head.bytes);
    if (taking === null) {
      this.#receiving = head.bytes;
      this.#reader.take();
      return null;
    }
    return taking.then(() => {
      if (this.#isClosed) return requestBytes.give(head.bytes);
      this.#receiving = head.bytes;
      this.#reader.take();
    });
  }

  #take(frame: Frame): void {
    if (frame.kind === FRAME.hello) return this.#welcome(frame);
    const bytes = this.#receiving;
    this.#receiving = 0;
    const { requestBytes } = this.#options;
    this.#open += 1;
    void this.#handle(frame)
      .catch((error: unknown) => this.#fail(frame.id, "internal", `internal error: ${String(error)}`))
      .finally(() => {
        requestBytes.give(bytes);
        this.#settled();
      });
  }

  #handle(frame: Frame): Promise<void> {
    if (frame.kind === FRAME.commit) return this.#commit(frame);
    return frame.kind === FRAME.part ? this.#uploads.part(frame.id, frame.body) : this.#ask(frame);
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
      file_bytes_max: store.limits.fileBytesMax,
      commit_bytes_max: store.limits.commitBytesMax,
      frame_bytes_max: limits.frameBytesMax,
      part_bytes: limits.partBytes,
    };
    this.#outbox.push(packFrame(FRAME.hello, 0, answer));
  }

  async #commit({ id, body }: Frame): Promise<void> {
    const request = readCommitBody(body);
    if (!request.ok) return this.#fail(id, "bad-request", request.error);
    const outcome = await this.#options.store.vcs.commit(request.value);
    if (outcome.ok) return this.#answer(id, outcome.value);
    const { error } = outcome;
    if (error.kind === "batch-too-large") {
      const reason = `The commit has ${error.bytes} bytes as it is stored; at most ${error.bytesMax} go into one. Split it.`;
      return this.#answer(id, { kind: "refused", policy: "bytes", reason });
    }
    return this.#fail(id, "store", "message" in error ? error.message : error.kind);
  }

  async #ask({ id, body }: Frame): Promise<void> {
    const value = unpackBody(body);
    const parsed = value.ok ? parse(askParser, value.value, "request") : null;
    if (parsed === null) return this.#fail(id, "bad-request", "a request is not msgpack");
    if (!parsed.ok) return this.#fail(id, "bad-request", parsed.error.message);
    const request = parsed.value;
    if (request.kind === "upload") return this.#uploads.begin(id, request, this.#options.store.limits.fileBytesMax);
    const parts = {
      push: (part: Uint8Array) => this.#part(id, part),
      isClosed: () => this.#isClosed,
    };
    const { store, limits, answerBytes } = this.#options;
    const answer = () => answerAsk({ store, limits, answerBytes, parts }, request);
    const isStream = request.kind === "list" || request.kind === "blob";
    const answered = await (isStream ? this.#inTurn(answer) : answer());
    if (answered.ok) this.#answer(id, answered.value);
    else this.#fail(id, answered.error.failed, answered.error.message);
  }

  async #part(id: number, part: Uint8Array): Promise<void> {
    this.#outbox.push(rawFrame(FRAME.part, id, [part]));
    await this.#outbox.room();
  }

  async #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#streams;
    this.#streams = promise;
    await before;
    try {
      return await act();
    } finally {
      resolve();
    }
  }

  #answer(id: number, value: object): void {
    this.#outbox.push(packFrame(FRAME.answer, id, value));
  }

  #fail(id: number, failed: Problem["failed"], message: string): void {
    this.#answer(id, { failed, message: message.slice(0, 100_000) } satisfies Problem);
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
    if (this.#open < this.#options.limits.requestsOpenMax) return null;
    assert(this.#waiting === null, "one reader waits");
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  #settled(): void {
    this.#open -= 1;
    this.#wake();
  }

  /** A frame that began and does not go on holds room that others could use. */
  #watch(): { cancel(): void } {
    const { clock, limits } = this.#options;
    const look = (): void => {
      const silentMs = clock.monotonicMs() - this.#heardAtMs;
      const owes = this.#reader.isInside || this.#uploads.isOpen;
      if (owes && this.#open === 0 && silentMs >= limits.stallMsMax) {
        return this.bye(`the rest of a request did not come within ${limits.stallMsMax / 1_000} s`);
      }
      current = clock.after(limits.stallMsMax, look);
    };
    let current = clock.after(limits.stallMsMax, look);
    return { cancel: () => current.cancel() };
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.requestBytes.give(this.#receiving);
    this.#receiving = 0;
    this.#outbox.close();
    this.#options.connection.close();
    this.#wake();
  }

  #wake(): void {
    const wake = this.#waiting;
    this.#waiting = null;
    wake?.();
  }
}
