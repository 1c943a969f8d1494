// Two ends of one simulated connection: two delayed directions, and a close that the other end sees after what was sent before it.

import type { Connection } from "../../host/net.ts";
import type { VirtualLoop } from "./loop.ts";
import { Pipe } from "./pipe.ts";
import type { SeededRandom } from "./random.ts";

export interface Endpoint extends Connection {
  /** Loses everything at once, as a power loss does. */
  drop(): void;
}

interface Wire {
  readonly loop: VirtualLoop;
  readonly random: SeededRandom;
  delayMs(): number;
}

export function connectedPair(wire: Wire): readonly [Endpoint, Endpoint] {
  const first = new Side(wire);
  const second = new Side(wire);
  first.peer = second;
  second.peer = first;
  return [first, second];
}

class Side implements Endpoint {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly closed: Promise<void>;
  peer: Side | null = null;
  private readonly wire: Wire;
  private readonly incoming = new Pipe();
  private open = true;
  private lastArrivalMs = 0;
  private sending: Promise<unknown> = Promise.resolve();
  private resolveClosed: () => void = () => undefined;

  constructor(wire: Wire) {
    this.wire = wire;
    this.bytes = this.incoming.bytes;
    this.closed = new Promise((resolve) => {
      this.resolveClosed = resolve;
    });
  }

  send(bytes: Uint8Array): Promise<boolean> {
    if (!this.open) return Promise.resolve(false);
    const copy = bytes.slice();
    return this.inTurn("deliver", () => this.deliver(copy));
  }

  close(): void {
    if (!this.open) return;
    this.open = false;
    this.incoming.break();
    void this.inTurn("close", async () => {
      this.peer?.endedByPeer();
      this.resolveClosed();
      return true;
    });
  }

  drop(): void {
    this.open = false;
    this.incoming.break();
    this.resolveClosed();
  }

  /** Runs `arrive` when the message's delay has passed and all before it have arrived. */
  private inTurn(label: string, arrive: () => Promise<boolean>): Promise<boolean> {
    const { loop } = this.wire;
    this.lastArrivalMs = Math.max(this.lastArrivalMs, loop.nowMs + this.wire.delayMs());
    const due = loop.sleep(this.lastArrivalMs - loop.nowMs, label);
    const turn = Promise.all([this.sending, due]).then(arrive);
    this.sending = turn;
    return turn;
  }

  private async deliver(bytes: Uint8Array): Promise<boolean> {
    const { random } = this.wire;
    const cut = random.integer(4) === 0 ? random.integer(bytes.length + 1) : bytes.length;
    let taken = true;
    for (const piece of [bytes.subarray(0, cut), bytes.subarray(cut)]) {
      if (piece.length > 0) taken = (await this.peer?.incoming.write(piece)) ?? false;
    }
    return taken;
  }

  private endedByPeer(): void {
    this.open = false;
    this.incoming.end();
    this.resolveClosed();
  }
}
