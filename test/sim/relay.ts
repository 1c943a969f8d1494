// A worker host's line to the coordinator that a test can cut and mend: the host notices nothing, what it says is held back and
// arrives later over a new connection. What was on its way to the host is lost.

import { unwrap } from "../../src/base/result.ts";
import type { Connection, Net } from "../../src/host/net.ts";

const headerBytes = 4;

export interface Relay {
  /** What the host is given. */
  readonly net: Net;
  cut(): void;
  mend(): Promise<void>;
  /** The host is not heard any more, while its connection stands. */
  mute(): void;
}

export function relayOver(net: Net): Relay {
  let line: Connection | null = null;
  let mended = Promise.withResolvers<Connection>();
  let reach: () => Promise<Connection> = () => Promise.reject(new Error("never connected"));
  const held: Uint8Array[] = [];
  let muted = false;

  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const current = line ?? (await mended.promise);
      yield* wholeFrames(current.bytes);
      if (line === current) return;
    }
  }

  return {
    net: {
      listen: net.listen,
      async connect(path) {
        const first = await net.connect(path);
        if (!first.ok) return first;
        line = first.value;
        reach = async () => unwrap(await net.connect(path), "connect again");
        const { promise: closed, resolve } = Promise.withResolvers<void>();
        return {
          ok: true,
          value: {
            bytes: bytes(),
            closed,
            async send(frame) {
              if (line !== null && !muted) return line.send(frame);
              held.push(frame.slice());
              return true;
            },
            close() {
              line?.close();
              resolve();
            },
          },
        };
      },
    },
    cut() {
      const current = line;
      line = null;
      mended = Promise.withResolvers<Connection>();
      current?.close();
    },
    mute() {
      muted = true;
    },
    async mend() {
      const next = await reach();
      line = next;
      mended.resolve(next);
      for (const frame of held.splice(0)) await next.send(frame);
    },
  };
}

/** A frame of which a part was lost must not be completed by another connection's. */
async function* wholeFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pending = Buffer.alloc(0);
  for await (const chunk of chunks) {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= headerBytes && pending.length >= headerBytes + pending.readUInt32BE(0)) {
      const end = headerBytes + pending.readUInt32BE(0);
      yield Uint8Array.from(pending.subarray(0, end));
      pending = pending.subarray(end);
    }
  }
}
