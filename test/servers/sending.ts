// Writing a stream of server-sent events byte by byte, and breaking it where it is to break.

import type { ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import type { Behaviour } from "./behaviour.ts";
import type { Frame } from "./protocol.ts";

/** What became of the stream, as far as the server knows. */
export type Sent = "whole" | "broken" | "hanging" | "client-gone";

export async function sendFrames(
  response: ServerResponse,
  frames: readonly Frame[],
  behaviour: Behaviour,
): Promise<Sent> {
  const { broken, hang, bytesPerChunk } = behaviour;
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  response.flushHeaders();
  const bytes = Buffer.from(frames.map(textOf).join(""));
  const limit = broken !== undefined ? breakAt(frames, broken.after) : bytes.length;
  const hangAt = typeof hang === "object" ? hang.afterBytes : Number.POSITIVE_INFINITY;
  const end = Math.min(limit, hangAt, bytes.length);
  const step = bytesPerChunk ?? Math.max(end, 1);
  for (let at = 0; at < end; at += step) {
    if (response.destroyed) return "client-gone";
    response.write(bytes.subarray(at, Math.min(at + step, end)));
    // Each piece is a packet of its own.
    if (bytesPerChunk !== undefined) await setImmediate();
  }
  if (hangAt <= end) return "hanging";
  if (broken?.how === "reset") {
    // What was written is to arrive before the connection breaks.
    await new Promise<void>((resolve) => response.write("", () => resolve()));
    response.socket?.destroy();
    return "broken";
  }
  response.end();
  return broken === undefined ? "whole" : "broken";
}

function textOf({ event, data }: Frame): string {
  return `${event === null ? "" : `event: ${event}\n`}data: ${data}\n\n`;
}

function breakAt(frames: readonly Frame[], after: number | "call"): number {
  if (after !== "call") return after;
  const announced = frames.findIndex(({ announcesCall }) => announcesCall);
  return Buffer.byteLength(
    frames
      .slice(0, announced + 1)
      .map(textOf)
      .join(""),
  );
}
