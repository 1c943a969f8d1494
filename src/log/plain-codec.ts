// Saves a fold's state that is small and made of plain values, arrays, objects, Maps and Sets alone.

import { Packr } from "msgpackr";
import type { FoldCodec } from "./fold.ts";
import { checkpointPartBytesMax } from "./limits.ts";

/** `structuredClone` keeps Maps and Sets apart from objects, and `undefined` from `null`. */
const newPackr = () => new Packr({ structuredClone: true, copyBuffers: true, int64AsType: "number" });

/** `isState`: a look at the shape, since the version and the checksum have already said whose parts they are. */
export function plainCodec<State>(isState: (value: unknown) => value is State): FoldCodec<State> {
  return {
    save: (state) => cut(newPackr().pack(state)),
    async load(parts) {
      const bytes: Uint8Array[] = [];
      for await (const part of parts) bytes.push(part.slice());
      const value = unpack(Buffer.concat(bytes));
      return isState(value) ? value : null;
    },
  };
}

function* cut(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += checkpointPartBytesMax)
    yield bytes.subarray(at, at + checkpointPartBytesMax);
}

function unpack(bytes: Buffer): unknown {
  try {
    return newPackr().unpack(bytes);
  } catch {
    return null;
  }
}

export function isObjectWith(value: unknown, field: string): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, field);
}
