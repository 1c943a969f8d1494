// A client's connection while it lasts: the hello, frames both ways, and one end, told once with its reason.

import { parse } from "../../base/parse.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { cleanLine } from "../../base/text.ts";
import type { Clock } from "../../host/clock.ts";
import type { Connection, Net } from "../../host/net.ts";
import { FRAME, type Frame, packFrame, unpackBody } from "./frame.ts";
import { FrameReader } from "./frame-reader.ts";
import { SOCKET_LIMITS } from "./limits.ts";
import { bye, type ServerHello, type StoreIdentity, serverHello, socketName, socketProtocol } from "./messages.ts";
import { Outbox, type Soon } from "./outbox.ts";

export interface LinkOptions {
  readonly net: Net;
  readonly clock: Clock;
  readonly soon: Soon;
  readonly path: string;
  /** Whoever serves another one is not talked to; null: any. */
  readonly store?: StoreIdentity | null;
}

export type LinkEnd =
  | { readonly kind: "unreachable"; readonly path: string; readonly message: string }
  /** The server ended the conversation and says why. */
  | { readonly kind: "turned-away"; readonly message: string }
  /** A server of another store listens there. */
  | { readonly kind: "other-store"; readonly message: string };

export interface LinkEvents {
  frame(frame: Frame): void;
  /** After it was welcomed. */
  lost(end: LinkEnd): void;
}

export class Link {
  readonly #path: string;
  readonly #store: StoreIdentity | null;
  readonly #connection: Connection;
  readonly #events: LinkEvents;
  readonly #outbox: Outbox;
  readonly #welcome = Promise.withResolvers<Result<ServerHello, LinkEnd>>();
  #hello: ServerHello | null = null;
  #end: LinkEnd | null = null;

  static async open(
    options: LinkOptions,
    events: LinkEvents,
  ): Promise<Result<{ link: Link; hello: ServerHello }, LinkEnd>> {
    const { net, path } = options;
    const connection = await net.connect(path);
    if (!connection.ok) return err({ kind: "unreachable", path, message: connection.error.message });
    const link = new Link(options, connection.value, events);
    const patience = options.clock.after(SOCKET_LIMITS.helloMsMax, () => link.#lose("it did not answer the hello"));
    const hello = await link.#welcome.promise;
    patience.cancel();
    return hello.ok ? ok({ link, hello: hello.value }) : hello;
  }

  private constructor({ clock, soon, path, store = null }: LinkOptions, connection: Connection, events: LinkEvents) {
    this.#path = path;
    this.#store = store;
    this.#connection = connection;
    this.#events = events;
    const { unsentBytesMax, stallMsMax } = SOCKET_LIMITS;
    const onStall = (reason: string) => this.#lose(reason);
    this.#outbox = new Outbox({ connection, soon, clock, unsentBytesMax, stallMsMax, onStall });
    this.#outbox.push(packFrame(FRAME.hello, 0, { socket: socketName, protocol: socketProtocol }));
    void this.#read();
  }

  send(frame: Buffer): void {
    this.#outbox.push(frame);
  }

  /** Null while there is room for more; else resolves when there is, or the connection is over. */
  room(): Promise<void> | null {
    return this.#outbox.room();
  }

  /** Without telling `lost`. */
  close(): void {
    this.#end ??= { kind: "unreachable", path: this.#path, message: "the connection was closed here" };
    this.#outbox.close();
    this.#connection.close();
  }

  async #read(): Promise<void> {
    const reader = new FrameReader();
    for await (const chunk of this.#connection.bytes) {
      reader.push(chunk);
      for (let step = reader.step(); step.kind !== "more"; step = reader.step()) {
        if (step.kind === "frame") this.#receive(step.frame);
        else if (step.head.bytes <= SOCKET_LIMITS.frameBytesMax) reader.take();
        else return this.#lose(`the server announced a frame of ${step.head.bytes} bytes`);
        if (this.#end !== null) return;
      }
    }
    this.#lose("the connection was closed");
  }

  #receive(frame: Frame): void {
    if (frame.kind === FRAME.bye) {
      const value = unpackBody(frame.body);
      const said = value.ok ? parse(bye, value.value, "bye") : null;
      const message = said?.ok === true ? cleanLine(said.value.reason, 1_000) : "no reason was given";
      return this.#over({ kind: "turned-away", message });
    }
    if (this.#hello !== null) return this.#events.frame(frame);
    const value = frame.kind === FRAME.hello ? unpackBody(frame.body) : null;
    const hello = value?.ok === true ? parse(serverHello, value.value, "hello") : null;
    if (hello?.ok !== true || hello.value.socket !== socketName || hello.value.protocol !== socketProtocol) {
      return this.#over({ kind: "turned-away", message: "whoever listens there is no store's server of this version" });
    }
    const { log, directory } = hello.value.store;
    if (this.#store !== null && (this.#store.log !== log || this.#store.directory !== directory)) {
      return this.#over({ kind: "other-store", message: "the server that listens there has another store open" });
    }
    this.#hello = hello.value;
    this.#welcome.resolve(hello);
  }

  #lose(message: string): void {
    this.#over({ kind: "unreachable", path: this.#path, message });
  }

  #over(end: LinkEnd): void {
    if (this.#end !== null) return;
    this.#end = end;
    this.close();
    if (this.#hello === null) this.#welcome.resolve(err(end));
    else this.#events.lost(end);
  }
}
