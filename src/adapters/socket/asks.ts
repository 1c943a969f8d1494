// What one connection asks besides commits. Lists, contents and upkeep wait for their turn, one of a connection at a time; nothing is
// worked on for a connection that is gone.

import { parse } from "../../base/parse.ts";
import { err, type Result } from "../../base/result.ts";
import type { ByteBudget } from "./byte-budget.ts";
import { FRAME, type Frame, packFrame, rawFrame, unpackBody } from "./frame.ts";
import type { SocketLimits } from "./limits.ts";
import { type Answers, type Ask, ask as askParser, type Problem } from "./messages.ts";
import type { Outbox } from "./outbox.ts";
import { answerAsk } from "./requests.ts";
import type { ServedStore } from "./served-store.ts";
import type { Turns } from "./turns.ts";
import type { UpkeepQueue } from "./upkeep-queue.ts";
import { Uploads } from "./uploads.ts";

/** Of all connections together. */
export interface SharedRoom {
  /** Contents held in memory for clients that read them. */
  readonly heldBytes: ByteBudget;
  /** Parts of lists and contents on their way out. */
  readonly partBytes: ByteBudget;
  readonly turns: Turns;
  readonly upkeep: UpkeepQueue;
}

export interface AsksOptions {
  readonly store: ServedStore;
  readonly limits: SocketLimits;
  readonly shared: SharedRoom;
  readonly outbox: Outbox;
}

type Answered = Result<Answers[Ask["kind"]], Problem>;

export class Asks {
  readonly #options: AsksOptions;
  readonly #uploads: Uploads;
  #isClosed = false;
  #closing: Promise<void> | null = null;
  #waiting = 0;
  #smalls = 0;
  /** Answers in parts and upkeep, one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: AsksOptions) {
    this.#options = options;
    const { store, limits, outbox } = options;
    this.#uploads = new Uploads(store.contents, limits.uploadsOpenMax, {
      go: (id) => outbox.push(packFrame(FRAME.part, id, null)),
      done: (id, answer) => this.#answer(id, answer),
    });
  }

  /** Of those that wait for their turn or are being answered. */
  get waiting(): number {
    return this.#waiting;
  }

  get owesUpload(): boolean {
    return this.#uploads.isOpen;
  }

  part({ id, body }: Frame): Promise<void> {
    return this.#uploads.part(id, body);
  }

  async ask({ id, body }: Frame): Promise<void> {
    const value = unpackBody(body);
    const parsed = value.ok ? parse(askParser, value.value, "request") : null;
    if (parsed === null) return this.fail(id, "bad-request", "a request is not msgpack");
    if (!parsed.ok) return this.fail(id, "bad-request", parsed.error.message);
    const request = parsed.value;
    if (request.kind === "upload") return this.#uploads.begin(id, request, this.#options.store.limits.fileBytesMax);
    const { store, limits, shared } = this.#options;
    const parts = { push: (part: Uint8Array) => this.#part(id, part), isClosed: () => this.#isClosed };
    const answer = () => answerAsk({ store, limits, ...shared, parts }, request);
    const answered = await (this.#isSmall(request)
      ? this.#small(answer)
      : isQuick(request.kind)
        ? answer()
        : this.#inTurn(answer));
    if (answered.ok) this.#answer(id, answered.value);
    else this.fail(id, answered.error.failed, answered.error.message);
  }

  fail(id: number, failed: Problem["failed"], message: string): void {
    this.#answer(id, { failed, message: message.slice(0, 100_000) } satisfies Problem);
  }

  /** Nothing more is worked on. Resolves when nothing is held any more. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#closing ??= this.#uploads.close();
    return this.#closing;
  }

  #answer(id: number, value: object): void {
    this.#options.outbox.push(packFrame(FRAME.answer, id, value));
  }

  /** Resolves when there is room for the next. */
  async #part(id: number, part: Uint8Array): Promise<void> {
    const { outbox, shared } = this.#options;
    const { partBytes, turns } = shared;
    await turns.next(part.byteLength);
    const taking = partBytes.take(part.byteLength);
    if (taking !== null) await taking;
    outbox.push(rawFrame(FRAME.part, id, [part]), () => partBytes.give(part.byteLength));
    const room = outbox.room();
    if (room !== null) await room;
  }

  /** Many agents share a connection: a small file of one does not wait for those of the others. */
  #isSmall(request: Ask): boolean {
    const { store, outbox, limits } = this.#options;
    if (request.kind !== "blob" || this.#smalls === smallsMax || outbox.unsentBytes >= limits.unsentBytesMax)
      return false;
    const bytes = store.contents.bytesOf(request.id);
    return bytes !== null && bytes <= smallBytesMax;
  }

  /** Under way as long as the reader has not taken enough of what it has been sent. */
  async #small(act: () => Promise<Answered>): Promise<Answered> {
    this.#smalls += 1;
    try {
      return await act();
    } finally {
      this.#smalls -= 1;
    }
  }

  async #inTurn(act: () => Promise<Answered>): Promise<Answered> {
    this.#waiting += 1;
    const turn = this.#last.then(() => (this.#isClosed ? err(gone) : act()));
    this.#last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.#waiting -= 1;
    }
  }
}

const gone: Problem = { failed: "internal", message: "the connection is gone" };

/** Larger contents come one after the other, and so do small ones where there are more, or the reader takes nothing. */
const smallBytesMax = 64 * 1024;
const smallsMax = 16;

function isQuick(kind: Ask["kind"]): boolean {
  // Who watches waits, and holds up nothing else of his connection.
  return kind === "head" || kind === "entry" || kind === "conflict" || kind === "conflicts" || kind === "watch";
}
