// The protocol of a store's socket spoken by hand, for tests of what a client of ours would never do.

import { FRAME, type Frame, packFrame } from "../../adapters/socket/frame.ts";
import { FrameReader } from "../../adapters/socket/frame-reader.ts";
import { socketName, socketProtocol } from "../../adapters/socket/messages.ts";
import type { Connection } from "../../host/net.ts";

export function hello(): Buffer {
  return packFrame(FRAME.hello, 0, { socket: socketName, protocol: socketProtocol });
}

export async function* framesOf(connection: Connection): AsyncGenerator<Frame> {
  const reader = new FrameReader();
  for await (const chunk of connection.bytes) {
    reader.push(chunk);
    for (let step = reader.step(); step.kind !== "more"; step = reader.step()) {
      if (step.kind === "head") reader.take();
      else yield step.frame;
    }
  }
}
