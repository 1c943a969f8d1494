// However a stream is cut into pieces, the same frames come out of it.

import fc from "fast-check";
import { expect, test } from "vitest";
import { FRAME, rawFrame } from "./frame.ts";
import { FrameReader } from "./frame-reader.ts";

function framesOf(chunks: readonly Uint8Array[], isTaken: (id: number) => boolean) {
  const reader = new FrameReader();
  const found: { id: number; body: string }[] = [];
  for (const chunk of chunks) {
    reader.push(chunk);
    for (let step = reader.step(); step.kind !== "more"; step = reader.step()) {
      if (step.kind === "frame") found.push({ id: step.frame.id, body: step.frame.body.toString("hex") });
      else if (isTaken(step.head.id)) reader.take();
      else reader.skip();
    }
  }
  return { found, isInside: reader.isInside };
}

test("any cutting of a stream gives its frames, without those that are skipped", () => {
  const bodies = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 });
  fc.assert(
    fc.property(bodies, fc.array(fc.nat(30), { minLength: 1 }), (contents, cuts) => {
      const stream = Buffer.concat(contents.map((body, index) => rawFrame(FRAME.part, index, [body])));
      const chunks: Buffer[] = [];
      for (let at = 0, cut = 0; at < stream.length; cut += 1) {
        const length = cuts[cut % cuts.length] ?? 1;
        chunks.push(stream.subarray(at, at + Math.max(1, length)));
        at += Math.max(1, length);
      }
      const expected = contents.map((body, id) => ({ id, body: Buffer.from(body).toString("hex") }));
      expect(framesOf(chunks, (id) => id % 3 !== 0)).toEqual({
        found: expected.filter(({ id }) => id % 3 !== 0),
        isInside: false,
      });
    }),
  );
});

test("a body in one piece is a view of what came", () => {
  const stream = rawFrame(FRAME.part, 7, [Buffer.from("content")]);
  const reader = new FrameReader();
  reader.push(stream);
  expect(reader.step()).toEqual({ kind: "head", head: { bytes: 7, kind: FRAME.part, id: 7 } });
  reader.take();
  const step = reader.step();
  expect(step.kind === "frame" && step.frame.body.buffer).toBe(stream.buffer);
});

test("a frame that is not all here is seen as begun", () => {
  const stream = rawFrame(FRAME.part, 7, [Buffer.from("content")]);
  const states = [0, 3, 9, 12, 16].map((end) => framesOf([stream.subarray(0, end)], () => true).isInside);
  expect(states).toEqual([false, true, true, true, false]);
});
